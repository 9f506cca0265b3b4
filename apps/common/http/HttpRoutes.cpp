#include "common/http/HttpRoutes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace apps {

namespace {

std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = std::min(path.find('/'), path.size());
        parts.push_back(path.substr(0, end));
        if (end == path.size()) return parts;
        path.remove_prefix(end + 1);
    }
}

bool isPlaceholder(const std::string& part) {
    return part.size() > 2 && part.front() == '{' && part.back() == '}';
}

// The parameters, if the path is of that form.
std::optional<HttpFields> match(const std::vector<std::string>& form,
                                const std::vector<std::string_view>& path) {
    if (form.size() != path.size()) return std::nullopt;
    HttpFields parameters;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (path[i] == form[i] && !isPlaceholder(form[i])) continue;
        auto part = percentDecoded(path[i]);
        if (!part) return std::nullopt;
        if (!isPlaceholder(form[i])) {
            if (*part != form[i]) return std::nullopt;
            continue;
        }
        if (part->empty()) return std::nullopt;
        parameters.emplace_back(form[i].substr(1, form[i].size() - 2), std::move(*part));
    }
    return parameters;
}

bool serves(const std::string& routeMethod, const std::string& method) {
    return routeMethod == method || (routeMethod == "GET" && method == "HEAD");
}

// What a route could have. The others are about no page, as CONNECT is, or give away what a proxy
// has added, as TRACE does.
bool isKnown(std::string_view method) {
    constexpr std::array<std::string_view, 6> known{"GET", "HEAD",  "POST",
                                                    "PUT", "PATCH", "DELETE"};
    return std::find(known.begin(), known.end(), method) != known.end();
}

void allow(std::string& methods, const std::string& method) {
    methods += (methods.empty() ? "" : ", ") + method + (method == "GET" ? ", HEAD" : "");
}

}  // namespace

void HttpRoutes::add(std::string method, std::string_view path, Handler handler) {
    const auto parts = split(path);
    routes_.push_back({std::move(method), {parts.begin(), parts.end()}, std::move(handler)});
}

void HttpRoutes::addHeader(std::string name, std::string value) {
    headers_.emplace_back(std::move(name), std::move(value));
}

void HttpRoutes::complete(HttpResponse& response) const {
    if (response.status < 400 || !response.body.empty()) return;
    const int status = response.status;
    HttpResponse written = refusal_
                               ? refusal_(status)
                               : HttpResponse::text(status, std::string(reasonOf(status)) + "\n");
    response.body = std::move(written.body);
    std::move(written.headers.begin(), written.headers.end(), std::back_inserter(response.headers));
}

void HttpRoutes::serve(HttpRequest request, HttpResponder responder) const {
    if (guard_) {
        if (auto refused = guard_(request)) return responder.answer(std::move(*refused));
    }
    const std::vector<std::string_view> path = split(request.path);
    std::string allowed;
    for (const Route& route : routes_) {
        std::optional<HttpFields> parameters = match(route.parts, path);
        if (!parameters) continue;
        if (serves(route.method, request.method)) {
            request.pathParameters = std::move(*parameters);
            return route.handler(request, std::move(responder));
        }
        allow(allowed, route.method);
    }
    if (!isKnown(request.method)) return responder.answer({501});
    if (allowed.empty()) return responder.answer({404});
    responder.answer(HttpResponse{405}.with("Allow", allowed));
}

}  // namespace apps
