#include "sms_router/admin/AdminAccess.h"

#include <algorithm>
#include <cctype>

#include <nio/sys/SocketAddress.h>

#include "common/Digest.h"
#include "common/http/Authorization.h"
#include "sms_router/admin/Page.h"

namespace router {

namespace {

using apps::HttpRequest;
using apps::HttpResponse;

std::string lower(std::string_view text) {
    std::string result(text);
    const auto toLower = [](unsigned char c) { return static_cast<char>(std::tolower(c)); };
    std::transform(result.begin(), result.end(), result.begin(), toLower);
    return result;
}

// The host without its port, "::1" without brackets; nothing if it has another form.
std::optional<std::string> nameOf(std::string_view host) {
    const bool bracketed = host.starts_with('[');
    const std::size_t end = bracketed ? host.find(']') : std::min(host.find(':'), host.size());
    if (end == host.npos) return std::nullopt;
    std::string_view port = host.substr(end + (bracketed ? 1 : 0));
    if (port.starts_with(':')) port.remove_prefix(1);
    if (port.find_first_not_of("0123456789") != port.npos) return std::nullopt;
    std::string name = lower(bracketed ? host.substr(1, end - 1) : host.substr(0, end));
    if (name.ends_with('.')) name.pop_back();
    return name;
}

bool isReading(const HttpRequest& request) {
    return request.method == "GET" || request.method == "HEAD";
}

bool isLogIn(const HttpRequest& request) {
    return request.method == "POST" && request.path == "/";
}

bool isSameOrigin(const HttpRequest& request) {
    if (!request.hasHeader("origin")) return true;
    const std::string origin = lower(request.header("origin"));
    const std::string host = lower(request.host);
    return !host.empty() && (origin == "http://" + host || origin == "https://" + host);
}

HttpResponse withChallenge(HttpResponse refused) {
    return std::move(refused).with("WWW-Authenticate", "Bearer realm=\"sms-router\"");
}

// A browser that opens the page is asked for the token.
HttpResponse askForToken(const HttpRequest& request) {
    const bool forPage = request.method == "GET" && request.path == "/";
    return withChallenge(forPage ? HttpResponse::html(401, page::tokenPage(false))
                                 : HttpResponse{401});
}

}  // namespace

bool isLoopbackHost(std::string_view host) {
    const std::optional<std::string> name = nameOf(host);
    if (!name) return false;
    if (*name == "localhost" || name->ends_with(".localhost")) return true;
    const auto address = nio::SocketAddress::numeric(*name, 0);
    if (!address) return false;
    const std::string numeric = address.value().host();
    return numeric == "::1" || numeric.starts_with("127.");
}

// Cookies are for all ports of a host: the name keeps two routers there apart.
AdminAccess::AdminAccess(std::string token)
    : token_(std::move(token)),
      cookieName_("sms-router-" + apps::keyedDigest(token_, "name of the cookie").substr(0, 8)),
      cookie_(apps::keyedDigest(apps::randomKey(), token_)) {}

std::optional<HttpResponse> AdminAccess::check(const HttpRequest& request) const {
    if (request.path == "/healthz") return std::nullopt;
    if (token_.empty()) {
        if (!isLoopbackHost(request.host)) {
            return HttpResponse::text(403, "Without a token, only loopback clients are allowed.\n");
        }
    } else if (isLogIn(request)) {
        return logIn(request);
    } else if (!showsToken(request)) {
        return askForToken(request);
    }
    if (isReading(request) || isSameOrigin(request)) return std::nullopt;
    return HttpResponse::text(403, "Cross-origin requests are not allowed.\n");
}

bool AdminAccess::isAttempt(const HttpRequest& request) const {
    return !token_.empty() &&
           (isLogIn(request) || apps::credentialsOf(request, "bearer").has_value());
}

bool AdminAccess::showsToken(const HttpRequest& request) const {
    const auto bearer = apps::credentialsOf(request, "bearer");
    if (bearer) return apps::equalInConstantTime(*bearer, token_);
    const auto cookie = request.cookie(cookieName_);
    return cookie && apps::equalInConstantTime(*cookie, cookie_);
}

// From whichever page: who knows the token needs no other's browser. (A form sends "Origin: null"
// under our Referrer-Policy.)
HttpResponse AdminAccess::logIn(const HttpRequest& request) const {
    const auto token = request.formParameter("token");
    if (token && apps::equalInConstantTime(*token, token_)) return giveCookie();
    return withChallenge(HttpResponse::html(401, page::tokenPage(true)));
}

HttpResponse AdminAccess::giveCookie() const {
    return HttpResponse::text(303, "")
        .with("Location", "./")
        .with("Set-Cookie", cookieName_ + "=" + cookie_ + "; Path=/; HttpOnly; SameSite=Strict");
}

}  // namespace router
