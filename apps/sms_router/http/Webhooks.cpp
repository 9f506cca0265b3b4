#include "sms_router/http/Webhooks.h"

#include <nio/base/Log.h>

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/http/WebhookEvent.h"

namespace router {

namespace {

// No channel has it: the binds of webhooks are told from each other by their slots only.
constexpr std::uint32_t generation = 0xFFFFFFFF;

apps::HttpClientOptions clientOptions() {
    apps::HttpClientOptions options;
    // What bounds them is the window of each account: none waits for another's.
    options.maxConnections = 100'000;
    options.maxConnectionsPerHost = options.maxConnections;
    options.allowPrivate = true;  // the URLs are the operator's
    options.maxBodyBytes = 1024;  // the status says all
    return options;
}

std::int64_t now() {
    using std::chrono::system_clock;
    return system_clock::to_time_t(system_clock::now());
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
    if (!client_) client_.emplace(shard_.thread(), resolver_, clientOptions());
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
    const auto event = scanned.pdu ? webhookEvent(*scanned.pdu, number) : std::nullopt;
    if (!event) return hook.account->desk().answeredNow(bind, number, smpp::Status::ok);
    apps::HttpCall call{.method = "POST", .url = hook.config.url.text(), .body = *event};
    call.headers = {
        {"Content-Type", "application/json"},
        {"User-Agent", "sms-router"},
        {"Sms-Router-Signature", webhookSignature(hook.config.secret, now(), call.body)}};
    call.timeLimit = hook.config.timeout;
    (void)client_->callNow(std::move(call), [this, bind, number](const auto& answer) {
        nio::onDispatcher.assertCurrent();
        answered(bind, number, answer);
    });
}

void Webhooks::answered(nio::ChannelHandle bind, std::uint64_t number,
                        const nio::Result<apps::HttpAnswer>& answer) {
    const auto found = hooks_.find(bind.slot());
    if (found == hooks_.end()) return;
    Hook& hook = found->second;
    AccountDesk& desk = hook.account->desk();
    if (!answer) {
        note(hook, answer.error().context());
        return desk.answeredNow(bind, number, std::nullopt);
    }
    const int status = answer.value().status;
    const bool isTaken = status / 100 == 2;
    note(hook, isTaken ? "" : "answered with status " + std::to_string(status));
    desk.answeredNow(bind, number, isTaken ? smpp::Status::ok : smpp::Status::xTAppn);
}

// One line when it begins to fail, and one when it is well again. The URL may hold a secret.
void Webhooks::note(Hook& hook, const std::string& failure) {
    const std::string whose = "account '" + hook.account->systemId() + "': its webhook at " +
                              hook.config.url.hostAndPort();
    if (failure.empty() && std::exchange(hook.failures, 0) > 0) {
        nio::log(nio::LogLevel::info, whose + " answers again");
    }
    if (!failure.empty() && ++hook.failures == 1) {
        nio::log(nio::LogLevel::warning,
                 whose + " fails: " + failure + "; further failures are not logged");
    }
}

}  // namespace router
