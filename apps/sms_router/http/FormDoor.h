// How requests are answered as another gateway does: what its parameters mean, and what it
// answers. What lies between is the router's own: such a message goes the way of a JSON one.
//
// Passwords stand in the parameters, and so in the logs of proxies between.
//
// Thread: any; pure functions.
// Source: docs/kannel-and-jasmin.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/http/Authorization.h"
#include "common/http/HttpResponse.h"
#include "sms_router/http/FormFields.h"
#include "sms_router/http/MessageRequest.h"

namespace router {

// What became of one message.
struct MessageResult {
    std::string to{};
    std::string id{};
    std::optional<Problem> problem{};  // then not all of its parts were accepted
};

struct FormDoor {
    const char* path;
    // Throws Problem.
    FormFields (*fieldsOf)(const apps::HttpRequest& request);
    apps::BasicCredentials (*credentialsOf)(const FormFields& fields);
    // One at least. `reference`: of the parts of long ones. Throws Problem.
    std::vector<MessageRequest> (*messagesOf)(const FormFields& fields, std::uint16_t reference);
    apps::HttpResponse (*answerOf)(const std::vector<MessageResult>& results);
    // Of a request that sends nothing.
    apps::HttpResponse (*refusalOf)(const Problem& problem);
};

extern const FormDoor kannelDoor;
extern const FormDoor jasminDoor;

}  // namespace router
