// How a request says whose it is: its Authorization header.
//
// Thread: any; pure.
// Source: RFC 9110, 11.4; RFC 7617 (Basic), RFC 6750 (Bearer).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/http/HttpRequest.h"

namespace apps {

// What follows the scheme, whose name may be written in any case: "bearer". Nothing: no such
// header, or another scheme.
std::optional<std::string_view> credentialsOf(const HttpRequest& request, std::string_view scheme);

struct BasicCredentials {
    std::string user;
    std::string password;
};
// Nothing: no Basic credentials, or malformed ones.
std::optional<BasicCredentials> basicCredentialsOf(const HttpRequest& request);

}  // namespace apps
