// What an answer says: a value, or what is wrong with the request.
//
// Thread: any; values.
// Source: RFC 9457 (problem details for HTTP APIs).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <smpp/pdu/Status.h>

#include "common/http/HttpResponse.h"

namespace router {

struct Problem {
    int status = 400;                    // of HTTP
    std::string detail{};                // a sentence
    std::optional<smpp::Status> smpp{};  // that an ESME would have been answered
};

// Of a message that was refused: 429 for what the account may not send now, 503 for what may be
// accepted later, 422 for the rest.
Problem problemOf(smpp::Status refusal);

// What HTTP itself refuses: a path, a method, a request that is malformed or too long.
Problem httpProblem(int status);

// An answer whose body is that value.
apps::HttpResponse jsonResponse(int status, const nlohmann::ordered_json& value);

// {"title", "status", "detail", "smpp_status"}
nlohmann::ordered_json jsonOf(const Problem& problem);
apps::HttpResponse responseOf(const Problem& problem);

}  // namespace router
