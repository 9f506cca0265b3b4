#include "sms_router/http/Webhooks.h"

#include <algorithm>

#include <nio/base/Log.h>

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/http/SentMessage.h"
#include "sms_router/http/WebhookCall.h"

namespace router {

namespace {

// No channel has it: the binds of webhooks are told from each other by their slots only.
constexpr std::uint32_t generation = 0xFFFFFFFF;
// Of a message in parts it comes with the answer to the last of them.
constexpr std::int64_t recordComesWithin = 120;  // s

apps::HttpClientOptions clientOptions(bool allowsPrivate) {
    apps::HttpClientOptions options;
    // What bounds them is the window of each account: none waits for another's.
    options.maxConnections = 100'000;
    options.maxConnectionsPerHost = options.maxConnections;
    options.allowPrivate = allowsPrivate;
    options.maxBodyBytes = 1024;  // little but the status counts
    return options;
}

// "HOST:PORT"
std::string hostOf(const Callback& callback) {
    const auto url = HttpUrl::parse(callback.url);
    return url ? url.value().hostAndPort() : callback.url;
}

std::optional<smpp::Receipt> receiptIn(const smpp::Pdu& pdu) {
    auto receipt = smpp::receiptOf(pdu);
    return receipt && receipt->isMarked ? std::move(receipt) : std::nullopt;
}

}  // namespace

nio::ChannelHandle Webhooks::bindOf(std::uint32_t hook) const {
    return {shard_.thread(), hook, generation};
}

void Webhooks::useNow() {
    std::map<Account*, const WebhookConfig*> wanted;
    const RouterConfig& config = shard_.config();
    for (std::size_t i = 0; i < config.accounts.size(); ++i) {
        Account* const account = shard_.topology().accounts[i];
        const bool isHere = &account->desk().dispatcher() == &shard_.thread();
        const WebhookConfig& webhook = config.accounts[i].http.webhook;
        if (isHere && webhook.isOn()) wanted.emplace(account, &webhook);
    }
    for (auto hook = hooks_.begin(); hook != hooks_.end();) {
        const auto still = wanted.find(hook->second.account);
        if (still != wanted.end()) {
            hook->second.config = *still->second;
            wanted.erase(still);
            ++hook;
        } else {
            hook->second.account->desk().leaveNow(bindOf(hook->first));
            hook = hooks_.erase(hook);
        }
    }
    for (const auto& [account, webhook] : wanted) add(*account, *webhook);
}

void Webhooks::add(Account& account, const WebhookConfig& config) {
    const nio::ChannelHandle bind = bindOf(++last_);
    AccountDesk& desk = account.desk();
    if (!desk.admitNow({bind, &ingress_})) {
        return nio::log(nio::LogLevel::warning,
                        "account '" + account.systemId() + "': no place for its webhook: restart");
    }
    hooks_.emplace(bind.slot(), Hook{&account, config});
    desk.boundNow(bind);
}

void Webhooks::endNow() {
    for (auto& [slot, hook] : hooks_) hook.account->desk().unbindsNow(bindOf(slot));
}

void Webhooks::deliverNow(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu) {
    const auto found = hooks_.find(bind.slot());
    if (found == hooks_.end()) return;  // the desk has it again
    Hook& hook = found->second;
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    if (!scanned.pdu) return hook.account->desk().answeredNow(bind, number, smpp::Status::ok);
    Notice notice{*scanned.pdu, receiptIn(*scanned.pdu), number};
    const Told told{bind, number};
    const auto id = notice.receipt ? messageIdOf(notice.receipt->id()) : std::nullopt;
    if (!id || !hook.config.perMessage) {
        return tellAs(hook, std::move(notice), told, callbackOf(hook.config));
    }
    auto then = [this, bind, number, pdu, &desk = hook.account->desk()](
                    bool isRead, const std::optional<SentRecord>& sent) {
        nio::onDispatcher.assertCurrent();
        if (!isRead) return desk.answeredNow(bind, number, smpp::Status::xTAppn);
        sentFound(bind, number, pdu, sent);
    };
    shard_.services().store.findSent(*id, shard_.thread(), std::move(then));
}

void Webhooks::sentFound(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu,
                         const std::optional<SentRecord>& sent) {
    const auto found = hooks_.find(bind.slot());
    if (found == hooks_.end()) return;
    Hook& hook = found->second;
    // It may have outrun the record of its message.
    const bool isUnknown = sent && sent->account.empty();
    if (isUnknown && wallSeconds() - sent->time < recordComesWithin) {
        return hook.account->desk().answeredNow(bind, number, smpp::Status::xTAppn);
    }
    const bool isIts = sent && sent->account == hook.account->systemId();
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    const auto callback =
        isIts ? Callback::fromJson(sentMessageFrom(*sent).callback) : std::nullopt;
    tellAs(hook, Notice{*scanned.pdu, receiptIn(*scanned.pdu), number},
           Told{.bind = bind, .number = number, .host = callback ? hostOf(*callback) : ""},
           callback ? *callback : callbackOf(hook.config));
}

void Webhooks::tellAs(Hook& hook, Notice notice, Told told, const Callback& callback) {
    notice.account = hook.account->systemId();
    notice.time = wallSeconds();
    if (notice.receipt) notice.connector = connectorOf(notice.receipt->id());
    auto call = webhookCall(notice, callback, hook.config);
    if (!call) {
        return hook.account->desk().answeredNow(told.bind, told.number, smpp::Status::ok);
    }
    told.format = callback.format;
    const bool isOfMessage = !told.host.empty();
    if (isOfMessage && !hook.failing.allows(told.host, nio::Clock::now())) {
        return hook.account->desk().answeredNow(told.bind, told.number, smpp::Status::xTAppn);
    }
    const bool allowsPrivate = !isOfMessage || hook.config.privateAddresses;
    auto done = [this, told](const auto& answer) {
        nio::onDispatcher.assertCurrent();
        answered(told, answer);
    };
    ++hook.posts;
    (void)clientFor(allowsPrivate).callNow(*std::move(call), std::move(done));
}

// Apart, since a connection that one may use is not the other's.
apps::HttpClient& Webhooks::clientFor(bool allowsPrivate) {
    auto& client = allowsPrivate ? client_ : guarded_;
    if (!client) client.emplace(shard_.thread(), resolver_, clientOptions(allowsPrivate));
    return *client;
}

std::string Webhooks::connectorOf(std::string_view id) const {
    const Topology& topology = shard_.topology();
    const auto number = messageIdOf(id);
    const auto found =
        topology.connectorByNumber.find(number ? connectorNumberOf(*number) : std::uint32_t{0});
    if (found == topology.connectorByNumber.end()) return {};
    const auto& all = topology.connectors;
    const auto index = static_cast<std::size_t>(
        std::distance(all.begin(), std::find(all.begin(), all.end(), found->second)));
    return index < all.size() ? topology.config->connectors[index].name : std::string();
}

void Webhooks::answered(const Told& told, const nio::Result<apps::HttpAnswer>& answer) {
    const auto found = hooks_.find(told.bind.slot());
    if (found == hooks_.end()) return;
    Hook& hook = found->second;
    --hook.posts;
    AccountDesk& desk = hook.account->desk();
    std::string failure;
    if (!answer) {
        failure = answer.error().context();
    } else if (!isTaken(answer.value(), told.format)) {
        const int status = answer.value().status;
        failure = "answered with status " + std::to_string(status);
        if (status / 100 == 2) failure += ", without ACK/Jasmin";
    }
    // What applications name is theirs to look after, and could fill the log.
    const bool isOfMessage = !told.host.empty();
    if (!isOfMessage) note(hook, failure);
    if (isOfMessage) hook.failing.ended(told.host, bool(answer), nio::Clock::now());
    // One that does not answer is no reason to keep others from the account's.
    if (!answer && !isOfMessage) {
        return desk.answeredNow(told.bind, told.number, std::nullopt);
    }
    desk.answeredNow(told.bind, told.number,
                     failure.empty() ? smpp::Status::ok : smpp::Status::xTAppn);
}

// One line when it begins to fail, and one when it is well again. The URL may hold a secret.
void Webhooks::note(Hook& hook, const std::string& failure) {
    const std::string whose = "account '" + hook.account->systemId() + "': its webhook at " +
                              hook.config.url.hostAndPort();
    if (failure.empty() && std::exchange(hook.failures, 0) > 0) {
        nio::log(nio::LogLevel::info, whose + " answers again");
    }
    if (!failure.empty()) hook.lastError = failure;
    if (!failure.empty() && ++hook.failures == 1) {
        hook.failsSince = nio::Clock::now();
        nio::log(nio::LogLevel::warning,
                 whose + " fails: " + failure + "; further failures are not logged");
    }
}

Webhooks::Rows Webhooks::rowsNow() const {
    Rows rows;
    for (const auto& [slot, hook] : hooks_) {
        WebhookRow row{hook.config.url.hostAndPort(), hook.failures, hook.posts, hook.lastError};
        if (hook.failures > 0) {
            row.failsFor = std::chrono::duration_cast<std::chrono::seconds>(nio::Clock::now() -
                                                                            hook.failsSince);
        }
        rows.emplace_back(hook.account->systemId(), std::move(row));
    }
    return rows;
}

}  // namespace router
