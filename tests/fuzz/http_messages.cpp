// The bodies of POST /v1/messages. What must hold:
//  - a body is JSON or not, and nothing but a Problem is thrown;
//  - a message is a problem that says something, or submit_sm that are valid and have its
//  addresses.
//
// Input: the body.

#include <nlohmann/json.hpp>

#include "sms_router/http/MessageBody.h"

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
    try {
        const std::string_view text = input.rest();
        router::MessageBody body;
        body.read(text);
        require(json::accept(text), "another reader takes it for JSON, too");
        for (std::size_t i = 0; i < body.size(); ++i) {
            const auto message = body.messageAt(i, 0xA7B8);
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
