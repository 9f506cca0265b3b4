#include "sms_router/http/JasminNotice.h"

#include <algorithm>
#include <string_view>

#include <smpp/text/MessageText.h>

#include "common/Hex.h"

namespace router {

namespace {

using smpp::Field;

// Behind that keyword of a receipt's text, up to the next blank.
std::string wordBehind(const std::string& text, std::string_view keyword) {
    const std::size_t found = text.find(keyword);
    if (found == text.npos) return {};
    const std::size_t begin = found + keyword.size();
    return text.substr(begin, text.find(' ', begin) - begin);
}

std::string restBehind(const std::string& text, std::string_view keyword) {
    const std::size_t found = text.find(keyword);
    return found == text.npos ? std::string() : text.substr(found + keyword.size());
}

apps::HttpFields receiptFields(const Notice& notice, unsigned level) {
    const smpp::Receipt& receipt = *notice.receipt;
    const std::string text = smpp::plainText(notice.pdu).value_or("");
    const std::string id(receipt.id());
    const auto state = receipt.state.value_or(smpp::MessageState::unknown);
    return {{"id", id},
            {"id_smsc", id},
            {"level", std::to_string(level)},
            {"message_status", std::string(smpp::nameOf(state))},
            {"connector", notice.connector},
            {"sub", wordBehind(text, " sub:")},
            {"dlvrd", wordBehind(text, "dlvrd:")},
            {"subdate", wordBehind(text, "submit date:")},
            {"donedate", std::string(receipt.doneDate.view())},
            {"err", std::string(receipt.error.view())},
            {"text", restBehind(text, "text:")}};
}

}  // namespace

apps::HttpFields jasminFields(const Notice& notice, unsigned level) {
    if (notice.receipt) return receiptFields(notice, level);
    const smpp::Pdu& pdu = notice.pdu;
    const nio::ByteView octets = pdu.message();
    const auto text = smpp::plainText(pdu);
    return {{"id", std::to_string(notice.delivery)},
            {"from", std::string(pdu.text(Field::sourceAddress))},
            {"to", std::string(pdu.text(Field::destinationAddress))},
            {"origin-connector", notice.connector},
            {"priority", std::to_string(pdu.number(Field::priority))},
            {"coding", std::to_string(pdu.number(Field::dataCoding))},
            {"validity", std::string(pdu.text(Field::validityPeriod))},
            {"content", text ? *text : std::string(nio::asText(octets))},
            {"binary", apps::hexOf(octets)}};
}

}  // namespace router
