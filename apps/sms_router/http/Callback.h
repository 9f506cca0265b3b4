// Where the receipt of one message goes, if not to the account's webhook. It is kept with the
// message.
//
// Thread: any; a value.
// Source: docs/http-api.md, docs/kannel-and-jasmin.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/http/Problem.h"

namespace router {

struct Callback {
    WebhookFormat format = WebhookFormat::json;
    std::string url{};    // of kannel with its escapes
    unsigned wanted = 0;  // kannel: dlr-mask, jasmin: dlr-level
    bool isGet = false;   // jasmin: dlr-method

    // A JSON object as text.
    std::string toJson() const;
    // Of what toJson() gave. Nothing: it is something else, or empty.
    static std::optional<Callback> fromJson(std::string_view text);
};

// What is wrong with that callback (toJson(); empty: none) for an account with that webhook: 422.
// `isDurable`: the store's.
std::optional<Problem> callbackProblem(std::string_view callback, const WebhookConfig& webhook,
                                       bool isDurable);

}  // namespace router
