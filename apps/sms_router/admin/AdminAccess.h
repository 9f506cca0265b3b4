// Who may use the admin interface.
//
// With a token: who shows it, as "Authorization: Bearer TOKEN", or the cookie that POST / gives in
// exchange for it (the page's form). The cookie is random, and lasts as long as this object:
// neither gives the other away. A token in a URL opens nothing: URLs end up in histories and logs.
//
// Without one: who is on this machine. A page of the web may try to speak for somebody who is, with
// a name of its own that resolves to the loopback (DNS rebinding): requests for hosts that are not
// called like the loopback are refused.
//
// What changes something is refused when the Origin header names another host.
//
// /healthz is for everybody: it says nothing but whether the router works.
//
// Thread: any; does not change.
#pragma once

#include <optional>
#include <string>

#include "common/http/HttpResponse.h"

namespace router {

class AdminAccess {
  public:
    explicit AdminAccess(std::string token);

    // It shows what may be the token. A cookie is not a guess: a digest cannot be guessed.
    bool isAttempt(const apps::HttpRequest& request) const;
    // What to answer instead of serving the request: 401, 403, or the cookie with a redirect.
    std::optional<apps::HttpResponse> check(const apps::HttpRequest& request) const;

  private:
    bool showsToken(const apps::HttpRequest& request) const;
    apps::HttpResponse logIn(const apps::HttpRequest& request) const;
    apps::HttpResponse giveCookie() const;

    const std::string token_;
    const std::string cookieName_;
    const std::string cookie_;
};

// "localhost", "a.localhost", "127.0.0.9:80", "[::1]:80".
bool isLoopbackHost(std::string_view host);

}  // namespace router
