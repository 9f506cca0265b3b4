// The bodies of POST /v1/messages. What must hold:
//  - a body is JSON or not, and nothing but a Problem is thrown;
//  - a message is a problem that says something, or submit_sm that are valid and have its
//  addresses.
//
// Input: the body.

#include <nlohmann/json.hpp>

#include <smpp/pdu/Pdu.h>

#include "sms_router/http/MessageBatch.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using nlohmann::json;
using router::MessageRequest;
using router::Problem;

void check(const Problem& problem) {
    require(problem.status >= 400 && problem.status < 500, "the client is to blame");
    require(!problem.detail.empty(), "a problem says what is wrong");
    require(json::accept(router::responseOf(problem).body), "a problem is JSON");
}

void checkPart(const MessageRequest& message, const smpp::Segment& part) {
    const nio::Bytes pdu = message.submitSm(part, 7);
    const smpp::Scanned scanned = smpp::scan(pdu);
    require(scanned.pdu.has_value(), "a part is a valid PDU");
    const auto has = [&](smpp::Field field, std::string_view text) {
        return scanned.pdu->text(field) == text;
    };
    require(has(smpp::Field::sourceAddress, message.from.address), "it is from the sender");
    require(has(smpp::Field::destinationAddress, message.to.address), "it is to the receiver");
    require(!message.to.address.empty(), "there is a receiver");
    require(has(smpp::Field::scheduleTime, message.schedule), "it is sent at its time");
    require(has(smpp::Field::validityPeriod, message.validity), "it is valid as long");
    const nio::ByteView octets = scanned.pdu->message();
    require(std::equal(octets.begin(), octets.end(), part.message.begin(), part.message.end()),
            "it has the octets of the part");
}

void run(fuzz::FuzzInput input) {
    const json body = json::parse(input.rest(), nullptr, false);
    if (body.is_discarded()) return;
    try {
        for (const json* each : router::messagesOf(body)) {
            const auto message = router::messageRequestOf(*each, 0xA7B8);
            if (const Problem* problem = std::get_if<Problem>(&message)) {
                check(*problem);
                continue;
            }
            const auto& request = std::get<MessageRequest>(message);
            require(!request.segments.parts.empty(), "there is a part");
            for (const smpp::Segment& part : request.segments.parts) checkPart(request, part);
        }
    } catch (const Problem& problem) {
        check(problem);
    }
}

const fuzz::FuzzTarget target("http_messages", run);

}  // namespace
