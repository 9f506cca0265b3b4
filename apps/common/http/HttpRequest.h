// One request, complete.
//
// Names of headers are in lower case. Paths and parameters: `path` is as it came, the answers of
// the functions are decoded (%41, and + in queries).
//
// Thread: any; a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nio/sys/SocketAddress.h>

namespace apps {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method;  // "GET"
    std::string path;    // "/connectors/a%20b/stop"; percentDecoded() has an answer, without a NUL
    std::string query;   // behind the ?, as it came
    // Whom the client wanted to talk to, "localhost:8080": of an absolute URL, else of the Host
    // header. Empty only from HTTP/1.0 clients.
    std::string host;
    HttpFields headers;
    std::string body;
    nio::SocketAddress peer;  // whose connection it is
    bool keepAlive = true;
    HttpFields pathParameters;  // of the route, decoded

    // The first of that name, else empty.
    std::string_view header(std::string_view lowerCaseName) const;
    bool hasHeader(std::string_view lowerCaseName) const;
    std::string pathParameter(std::string_view name) const;
    // The first of that name in the query.
    std::optional<std::string> queryParameter(std::string_view name) const;
    std::vector<std::string> queryParameters(std::string_view name) const;
    // The first of that name in the body, which is a form's (application/x-www-form-urlencoded).
    std::optional<std::string> formParameter(std::string_view name) const;
    std::optional<std::string> cookie(std::string_view name) const;
};

// Text with %XX decoded; nothing if there is a % without two hexadecimal digits behind it.
std::optional<std::string> percentDecoded(std::string_view text, bool plusIsSpace = false);

}  // namespace apps
