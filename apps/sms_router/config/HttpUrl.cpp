#include "sms_router/config/HttpUrl.h"

#include <algorithm>
#include <charconv>

#include <nio/sys/SocketAddress.h>

namespace router {

namespace {

constexpr std::string_view plain = "http://";
constexpr std::string_view secure = "https://";

nio::Error wrong(const char* what) {
    return nio::Error(std::errc::invalid_argument, what);
}

bool isVisible(char c) {
    return c > ' ' && c <= '~';
}

bool isOfHost(char c) {
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return isLetter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool isIpv6(const std::string& host) {
    return host.find(':') != std::string::npos && nio::SocketAddress::numeric(host, 0).ok();
}

// What follows the host: nothing, or ":PORT".
bool readPort(std::string_view text, std::uint16_t& port) {
    if (text.empty()) return true;
    if (text.front() != ':') return false;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data() + 1, end, port);
    return error == std::errc() && read == end && port > 0;
}

}  // namespace

nio::Result<HttpUrl> HttpUrl::parse(std::string_view text) {
    HttpUrl url;
    url.isTls = text.starts_with(secure);
    if (url.isTls) url.port = 443;
    if (!url.isTls && !text.starts_with(plain)) {
        return wrong("must begin with http:// or https://");
    }
    if (!std::all_of(text.begin(), text.end(), isVisible)) {
        return wrong("must be printable ASCII without spaces");
    }
    text.remove_prefix(url.isTls ? secure.size() : plain.size());
    const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
    if (authority.find('@') != text.npos) return wrong("must not have a user name");
    const bool isBracketed = authority.starts_with('[');
    const std::size_t end = isBracketed ? authority.find(']') : authority.find(':');
    if (isBracketed && end == authority.npos) return wrong("has no valid host");
    url.host = authority.substr(isBracketed, isBracketed ? end - 1 : end);
    const bool isHost =
        isBracketed ? isIpv6(url.host) : std::all_of(url.host.begin(), url.host.end(), isOfHost);
    if (url.host.empty() || !isHost) return wrong("has no valid host");
    const std::size_t behind = isBracketed ? end + 1 : std::min(end, authority.size());
    if (!readPort(authority.substr(behind), url.port)) return wrong("has no valid port");
    std::string_view target = text.substr(authority.size());
    target = target.substr(0, target.find('#'));
    url.target = target.starts_with('/') ? "" : "/";
    url.target += target;
    return url;
}

std::string HttpUrl::hostAndPort() const {
    const bool isBracketed = host.find(':') != std::string::npos;
    return (isBracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string HttpUrl::text() const {
    return std::string(isTls ? secure : plain) + hostAndPort() + target;
}

}  // namespace router
