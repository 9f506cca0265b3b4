#include "sms_router/http/WebhookEvent.h"

#include <array>
#include <nlohmann/json.hpp>

#include <smpp/text/MessageText.h>
#include <smpp/text/UserDataHeader.h>

#include "common/Digest.h"
#include "common/Hex.h"

namespace router {

namespace {

using Json = nlohmann::ordered_json;
using smpp::Field;

void addReceipt(Json& event, const smpp::Pdu& pdu, const smpp::Receipt& receipt) {
    event["id"] = receipt.id();
    event["state"] = wordFor(receipt.state.value_or(smpp::MessageState::unknown));
    if (!receipt.error.empty()) event["error"] = receipt.error.view();
    if (!receipt.doneDate.empty()) event["done_date"] = receipt.doneDate.view();
    event["from"] = pdu.text(Field::destinationAddress);
    event["to"] = pdu.text(Field::sourceAddress);
}

void addMessage(Json& event, const smpp::Pdu& pdu) {
    event["from"] = pdu.text(Field::sourceAddress);
    event["to"] = pdu.text(Field::destinationAddress);
    const std::optional<std::string> text = smpp::plainText(pdu);
    const smpp::UserDataHeader header(pdu);
    if (text) {
        event["text"] = *text;
    } else {
        event["data"] = apps::hexOf(pdu.message().subspan(header.size()));
    }
    event["data_coding"] = pdu.number(Field::dataCoding);
    if (header.size() > 0) event["udh"] = apps::hexOf(pdu.message().first(header.size()));
    if (const auto part = smpp::concatenationOf(pdu)) {
        event["part"] = {
            {"reference", part->reference}, {"of", part->total}, {"number", part->part}};
    }
}

}  // namespace

std::string_view wordFor(smpp::MessageState state) {
    constexpr std::array<std::string_view, 10> words{
        "scheduled",     "enroute",  "delivered", "expired",  "deleted",
        "undeliverable", "accepted", "unknown",   "rejected", "skipped"};
    const auto index = static_cast<std::size_t>(state);
    return words[index < words.size() ? index : std::size_t{7}];
}

std::optional<std::string> webhookEvent(const smpp::Pdu& pdu, std::uint64_t delivery) {
    if (pdu.command() == smpp::Command::alertNotification) return std::nullopt;
    const auto receipt = smpp::receiptOf(pdu);
    const bool isReceipt = receipt && receipt->isMarked;
    Json event{{"event", isReceipt ? "receipt" : "message"},
               {"delivery", std::to_string(delivery)}};
    isReceipt ? addReceipt(event, pdu, *receipt) : addMessage(event, pdu);
    return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string webhookSignature(std::string_view secret, std::int64_t seconds, std::string_view body) {
    const std::string time = std::to_string(seconds);
    return "t=" + time + ",v1=" + apps::keyedDigest(secret, time + "." + std::string(body));
}

}  // namespace router
