// Who answers which request: method and path to a handler.
//
//     HttpRoutes routes;
//     routes.add("GET", "/connectors/{name}", [](const HttpRequest& request, HttpResponder to) {
//         to.answer(HttpResponse::text(200, request.pathParameter("name")));
//     });
//
// A GET route answers HEAD too. No such path: 404; not with that method: 405 with Allow; a method
// that is none of GET, HEAD, POST, PUT, PATCH and DELETE, nor any route's there: 501.
//
// Thread: built by one. Then serve(), delayOf() and complete() are called, and handler, guard,
// delay and refusal run, on the dispatcher of the connection: with a server on a group, on several
// at once.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/http/HttpResponder.h"

namespace apps {

class HttpRoutes {
  public:
    using Handler = std::function<void(const HttpRequest& request, HttpResponder responder)>;
    // Looks at each request first; what it answers is the answer.
    using Guard = std::function<std::optional<HttpResponse>(const HttpRequest& request)>;

    // How long a request waits before anything looks at it. Absent: it is refused (429).
    using Delay =
        std::function<std::optional<std::chrono::milliseconds>(const HttpRequest& request)>;

    // What an error says that has no body.
    using Refusal = std::function<HttpResponse(int status)>;

    // A part of `path` in braces stands for any one part that is not empty.
    void add(std::string method, std::string_view path, Handler handler);
    void guardWith(Guard guard) { guard_ = std::move(guard); }
    void delayBy(Delay delay) { delay_ = std::move(delay); }
    std::optional<std::chrono::milliseconds> delayOf(const HttpRequest& request) const {
        return delay_ ? delay_(request) : std::chrono::milliseconds(0);
    }
    // Every answer gets it, errors included.
    void addHeader(std::string name, std::string value);
    const HttpFields& headers() const { return headers_; }

    // Also what HTTP itself refuses (see HttpLimits). Without: the name of the status.
    void refuseWith(Refusal refusal) { refusal_ = std::move(refusal); }
    void complete(HttpResponse& response) const;

    void serve(HttpRequest request, HttpResponder responder) const;

  private:
    struct Route {
        std::string method;
        std::vector<std::string> parts;
        Handler handler;
    };

    std::vector<Route> routes_;
    Guard guard_;
    Delay delay_;
    HttpFields headers_;
    Refusal refusal_;
};

}  // namespace apps
