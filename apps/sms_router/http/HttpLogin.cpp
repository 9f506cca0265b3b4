#include "sms_router/http/HttpLogin.h"

#include <algorithm>

#include <nio/base/Log.h>

#include "common/Endpoint.h"
#include "common/Printable.h"
#include "sms_router/config/ApiKey.h"
#include "sms_router/http/FormDoor.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"

namespace router {

namespace {

constexpr std::size_t mostShown = 64;  // octets of a name, in the log

}  // namespace

std::optional<std::chrono::milliseconds> HttpLogin::delayOf(const apps::HttpRequest& request,
                                                            LoginThrottle& logins) {
    const auto path = apps::percentDecoded(request.path);
    const bool isOfDoor = path == kannelDoor.path || path == jasminDoor.path;
    if (!isOfDoor && !apps::credentialsOf(request, "basic")) return std::chrono::milliseconds(0);
    return logins.takeTurn(request.peer, nio::Clock::now());
}

std::optional<HttpLogin::Outcome> HttpLogin::byKey(const apps::HttpRequest& request, Use use) {
    const auto key = apps::credentialsOf(request, "bearer");
    if (!key) return std::nullopt;
    const auto& accounts = shard_.config().accountByKey;
    const auto found = accounts.find(apiKeyDigest(*key));
    if (found == accounts.end()) return refuse("an API key", request.peer);
    return judge(found->second, request.peer, use);
}

void HttpLogin::byPasswordNow(const nio::SocketAddress& peer,
                              std::optional<apps::BasicCredentials> credentials, Use use,
                              Answer answer) {
    if (!credentials) {
        return answer(Problem{401, "an API key (Bearer) or a password (Basic) is required"});
    }
    checkPassword(peer, *std::move(credentials), use, std::move(answer));
}

void HttpLogin::checkPassword(const nio::SocketAddress& peer, apps::BasicCredentials credentials,
                              Use use, Answer answer) {
    const std::string& account = credentials.user;
    const RouterConfig& config = shard_.config();
    const auto found = config.accountByName.find(account);
    const std::string whose = "'" + apps::printable(account.substr(0, mostShown)) + "'";
    if (found == config.accountByName.end()) return answer(refuse(whose, peer));
    const auto hash = std::make_shared<PasswordHash>(config.accounts[found->second].password);
    PasswordDesk::Attempt attempt{*hash, std::move(credentials.password), account,
                                  apps::sourceOf(peer), hash};
    auto checked = [this, hash, account, whose, use, peer,
                    answer = std::move(answer)](PasswordDesk::Verdict verdict) mutable {
        using Verdict = PasswordDesk::Verdict;
        if (verdict == Verdict::busy) return answer(Problem{503, "too many log-ins wait"});
        // The configuration may be another one by now.
        const RouterConfig& now = shard_.config();
        const auto still = now.accountByName.find(account);
        const bool isSame = still != now.accountByName.end() &&
                            now.accounts[still->second].password.text() == hash->text();
        if (verdict == Verdict::wrong || !isSame) return answer(refuse(whose, peer));
        answer(judge(still->second, peer, use));
    };
    shard_.services().passwords.check(std::move(attempt), shard_.thread(), std::move(checked));
}

HttpLogin::Outcome HttpLogin::judge(std::size_t account, const nio::SocketAddress& peer,
                                    Use use) const {
    const AccountConfig& config = shard_.config().accounts[account];
    const auto contains = [&](const AddressRange& range) { return range.contains(peer); };
    const auto& from = config.allowedFrom;
    if (!from.empty() && std::none_of(from.begin(), from.end(), contains)) {
        return Problem{403, "the account may not be used from this address"};
    }
    if (use == Use::send && !config.mayTransmit && !config.mayTransceive) {
        return Problem{403, "the account may not send messages"};
    }
    if (use == Use::receive && !config.mayReceive && !config.mayTransceive) {
        return Problem{403, "the account may not receive messages"};
    }
    return account;
}

HttpLogin::Outcome HttpLogin::refuse(std::string_view account, const nio::SocketAddress& peer) {
    const auto unsaid =
        shard_.services().logins.refused(peer, nio::Clock::now(), LoginThrottle::Why::guess);
    if (unsaid) {
        nio::log(nio::LogLevel::warning, "http: log-in with " + std::string(account) + " from " +
                                             peer.toString() + " refused" + unsaidText(*unsaid));
    }
    return Problem{401, "unknown API key, or wrong system_id or password"};
}

}  // namespace router
