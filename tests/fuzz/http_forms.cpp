// Forms as the doors of other gateways read them, and the URLs that Kannel's have for receipts.
// What must hold:
//  - parameters that are encoded again are read as the same;
//  - what is refused has an answer that blames the client, and says why;
//  - a message goes out as valid submit_sm;
//  - a URL with its escapes filled in has no octet that a request line may not have.
//
// Input: a byte that chooses the door, the query, and behind a line feed the body.

#include <smpp/pdu/PduWriter.h>

#include "sms_router/http/Callback.h"
#include "sms_router/http/FormDoor.h"
#include "sms_router/http/KannelNotice.h"

#include "fuzz/MessageChecks.h"

namespace {

using fuzz::require;
using router::Callback;
using router::FormFields;
using router::Problem;

bool isVisible(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

void checkFields(const FormFields& fields) {
    FormFields again;
    again.parse(router::formEncoded(fields.all()));
    require(again.all() == fields.all(), "fields are read as they were written");
}

void checkUrl(const std::string& url, std::string_view text) {
    smpp::PduWriter writer(smpp::Command::deliverSm, smpp::Status::ok, 1);
    writer.text("").number(1).number(1).text("41791234567").number(0).number(1).text("1234");
    writer.number(4).number(0).number(0).text("").text("").number(0).number(0).number(0).number(0);
    text = text.substr(0, 140);
    writer.number(static_cast<std::uint8_t>(text.size()));
    const nio::Bytes pdu = writer.octets(nio::asBytes(text)).finish();
    const smpp::Scanned scanned = smpp::scan(pdu);
    require(scanned.pdu.has_value(), "the receipt is valid");
    const router::Notice notice{*scanned.pdu, smpp::receiptOf(*scanned.pdu)};
    if (isVisible(url)) require(isVisible(router::kannelUrl(url, notice)), "the URL stays one");
}

void run(fuzz::FuzzInput input) {
    const auto& door = input.upTo(1) == 0 ? router::kannelDoor : router::jasminDoor;
    apps::HttpRequest request;
    const std::string_view all = input.rest();
    const std::size_t end = std::min(all.find('\n'), all.size());
    request.query = all.substr(0, end);
    request.body = all.substr(std::min(end + 1, all.size()));
    const bool isJson = request.body.starts_with('{');
    request.headers = {
        {"content-type", isJson ? "application/json" : "application/x-www-form-urlencoded"}};
    try {
        const FormFields fields = door.fieldsOf(request);
        checkFields(fields);
        (void)door.credentialsOf(fields);
        for (const router::MessageRequest& message : door.messagesOf(fields, 0xA7B8)) {
            fuzz::requireParts(message);
            const auto callback = Callback::fromJson(message.callback);
            require(callback.has_value() != message.callback.empty(), "a callback is read again");
            if (callback) checkUrl(callback->url, fields.text("text"));
        }
    } catch (const Problem& problem) {
        require(!problem.detail.empty(), "a problem says what is wrong");
        const apps::HttpResponse answer = door.refusalOf(problem);
        require(answer.status >= 400 && answer.status < 500, "the client is to blame");
        require(!answer.body.empty(), "the answer says what is wrong");
    }
}

const fuzz::FuzzTarget target("http_forms", run);

}  // namespace
