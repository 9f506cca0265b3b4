// Whose a request is: of the account with that API key ("Authorization: Bearer KEY"), or with that
// system_id and password (Basic). Passwords are slowed down as those of binds are, keys are not:
// they cannot be guessed.
//
// Thread: the dispatcher's own.
// Lifetime: the router's.
// Source: docs/http-api.md.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <variant>

#include "common/http/HttpRequest.h"
#include "sms_router/http/Problem.h"
#include "sms_router/routing/Shard.h"

namespace router {

class HttpLogin {
  public:
    // Of the account in the shard's configuration.
    using Outcome = std::variant<std::size_t, Problem>;
    using Answer = nio::UniqueFunction<void(const Outcome&)>;

    explicit HttpLogin(Shard& shard) : shard_(shard) {}

    // How long the request waits before it is looked at. Absent: it is refused. Thread: any.
    static std::optional<std::chrono::milliseconds> delayOf(const apps::HttpRequest& request,
                                                            LoginThrottle& logins);
    // Absent: it shows no key.
    std::optional<Outcome> byKey(const apps::HttpRequest& request);
    // `answer` runs once: now, or in a later turn.
    void byPasswordNow(const apps::HttpRequest& request, Answer answer)
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void checkPassword(const apps::HttpRequest& request, std::string account, std::string password,
                       Answer answer) NIO_REQUIRES(nio::onDispatcher);
    Outcome judge(std::size_t account, const nio::SocketAddress& peer);
    Outcome refuse(std::string_view account, const nio::SocketAddress& peer);

    Shard& shard_;
};

}  // namespace router
