// The bodies of POST /v1/messages. What must hold:
//  - a body is JSON or not, and nothing but a Problem is thrown;
//  - a message is a problem that says something, or submit_sm that are valid and have its
//  addresses.
//
// Input: the body.

#include <nlohmann/json.hpp>

#include "sms_router/http/MessageBatch.h"

#include "fuzz/MessageChecks.h"

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
            fuzz::requireParts(std::get<MessageRequest>(message));
        }
    } catch (const Problem& problem) {
        check(problem);
    }
}

const fuzz::FuzzTarget target("http_messages", run);

}  // namespace
