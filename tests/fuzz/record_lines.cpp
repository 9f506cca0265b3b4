// What the router writes of texts that come from its peers. What must hold, for any bytes:
//  - a line of the access log is one JSON object in one line, with the text in it where that is
//    UTF-8;
//  - a masked address has as many bytes, and the same last three;
//  - an id of ours that is read is written as the same id, but for the letters' case.
//
// Input: the fields, each ended by a line feed; the last one may have any.

#include <nlohmann/json.hpp>

#include "sms_router/model/MessageId.h"
#include "sms_router/records/RecordLine.h"

#include <smpp/text/Alphabets.h>

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using router::MessageRecord;

std::string cleaned(std::string_view text) {
    std::string out;
    while (!text.empty()) smpp::appendUtf8(out, smpp::takeUtf8(text));
    return out;
}

void checkLine(const MessageRecord& record, bool masks) {
    std::string line;
    router::appendRecordLine(line, record, masks);
    require(line.find('\n') + 1 == line.size(), "one line");
    const auto read = nlohmann::json::parse(line, nullptr, false);
    require(read.is_object(), "a JSON object: " + line);
    for (const auto& [name, text] : {std::pair("account", record.account),
                                     std::pair("smsc_message_id", record.smscMessageId)}) {
        require(read.contains(name) == !text.empty(), "what is empty is left out");
        if (!text.empty() && cleaned(text) == text) require(read[name] == text, "as it came");
    }
}

void checkMasked(const std::string& address) {
    const std::string masked = router::maskedAddress(address);
    require(masked.size() == address.size(), "as long");
    const std::size_t shown = std::min<std::size_t>(3, address.size());
    require(masked.substr(masked.size() - shown) == address.substr(address.size() - shown),
            "the end is shown");
}

void checkId(const std::string& text) {
    const auto id = router::messageIdOf(text);
    if (!id) return;
    const router::MessageIdText again = router::textOf(*id);
    require(router::messageIdOf(again.view()) == id, "an id is the same again");
}

void run(fuzz::FuzzInput input) {
    std::string_view rest = input.rest();
    MessageRecord record;
    for (std::string* field : {&record.account, &record.connector, &record.route, &record.source,
                               &record.destination, &record.messageId}) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        *field = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    record.smscMessageId = rest;
    record.status = static_cast<smpp::Status>(record.route.size() * 7);
    checkLine(record, false);
    checkLine(record, true);
    checkMasked(record.source);
    checkId(record.messageId);
}

const fuzz::FuzzTarget target("record_lines", run);

}  // namespace
