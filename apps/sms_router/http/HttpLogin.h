// Whose a request is: of the account with that API key ("Authorization: Bearer KEY"), or with that
// system_id and password (Basic, or the parameters of a FormDoor). Passwords are slowed down as
// those of binds are, keys are not: they cannot be guessed.
//
// Thread: the dispatcher's own.
// Lifetime: the router's.
// Source: docs/http-api.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "common/http/Authorization.h"
#include "sms_router/http/Problem.h"
#include "sms_router/routing/Shard.h"

namespace router {

class HttpLogin {
  public:
    // Of the account in the shard's configuration.
    using Outcome = std::variant<std::size_t, Problem>;
    using Answer = nio::UniqueFunction<void(const Outcome&)>;
    // What the account wants to do.
    enum class Use : std::uint8_t { send, receive };

    explicit HttpLogin(Shard& shard) : shard_(shard) {}

    // How long the request waits before it is looked at. Absent: it is refused. Thread: any.
    static std::optional<std::chrono::milliseconds> delayOf(const apps::HttpRequest& request,
                                                            LoginThrottle& logins);
    // Absent: it shows no key.
    std::optional<Outcome> byKey(const apps::HttpRequest& request, Use use);
    // `peer`: that of the request. `answer` runs once: now, or in a later turn.
    void byPasswordNow(const nio::SocketAddress& peer,
                       std::optional<apps::BasicCredentials> credentials, Use use, Answer answer)
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void checkPassword(const nio::SocketAddress& peer, apps::BasicCredentials credentials, Use use,
                       Answer answer) NIO_REQUIRES(nio::onDispatcher);
    Outcome judge(std::size_t account, const nio::SocketAddress& peer, Use use) const;
    Outcome refuse(std::string_view account, const nio::SocketAddress& peer);

    Shard& shard_;
};

}  // namespace router
