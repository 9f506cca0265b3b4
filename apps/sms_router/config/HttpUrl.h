// Where an HTTP request goes, of "http[s]://HOST[:PORT][/PATH][?QUERY]".
//
// Thread: any; values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nio/base/Result.h>

namespace router {

struct HttpUrl {
    std::string host{};  // a name or an address, without brackets; empty: none
    std::uint16_t port = 80;
    std::string target{"/"};  // path and query
    bool isTls = false;       // https

    // Errors: invalid_argument; the context says what is wrong.
    static nio::Result<HttpUrl> parse(std::string_view text);
    // "HOST:PORT": paths and queries may hold secrets.
    std::string hostAndPort() const;
    // All of it, with the port.
    std::string text() const;
    bool operator==(const HttpUrl&) const = default;
};

}  // namespace router
