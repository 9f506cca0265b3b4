// EsmeLink: from a bind request to a bound connection.
#include <algorithm>

#include <nio/base/Log.h>
#include <nio/sys/Kernel.h>

#include "common/Endpoint.h"
#include "common/Printable.h"
#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/ingress/EsmeLink.h"
#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

bool hasBegunHandshake(int fd) {
    pollfd entry{fd, POLLIN, 0};
    const auto found = nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero());
    return found && found.value() > 0;
}

Status statusOf(BindRefusal why) {
    switch (why) {
        case BindRefusal::account: return Status::invSysId;
        case BindRefusal::password: return Status::invPaswd;
        case BindRefusal::failure: return Status::sysErr;
        default: return Status::bindFail;
    }
}

// Null: there is none.
Account* accountNamed(const std::string& name, const Topology& topology) {
    const auto found = topology.config->accountByName.find(name);
    return found == topology.config->accountByName.end() ? nullptr
                                                         : topology.accounts[found->second];
}

}  // namespace

std::chrono::milliseconds timeLeftToBind(std::chrono::milliseconds established,
                                         bool hasBegunHandshake) {
    // A burst of connections must not evict peers whose binds are about to be read.
    constexpr std::chrono::milliseconds inAll{1000};
    // Each octet of a handshake waits for ours, so it goes on only now.
    constexpr std::chrono::milliseconds forHandshake{100};
    return std::max(inAll - std::min(inAll, established),
                    hasBegunHandshake ? forHandshake : forHandshake.zero());
}

void EsmeLink::offerPlaceLater() {
    // Posted, so that a bind that has arrived by then is read first.
    auto offer = [link = handle()] {
        nio::onDispatcher.assertCurrent();
        EsmeLink* esme = findNow(link);
        if (esme != nullptr && esme->kind_ == Command{}) esme->place_.offer(link);
    };
    delayed_ = std::make_unique<nio::Deadline>(shard_->thread().deadlines(), [this, offer] {
        nio::onDispatcher.assertCurrent();
        (void)postLater(shard_->thread(), offer);
    });
    const int fd = connection()->channel().fd();
    delayed_->wakeAfter(
        timeLeftToBind(nio::kernel::establishedFor(fd), tls_ && hasBegunHandshake(fd)));
}

void EsmeLink::bindRequested(const smpp::Pdu& bind) {
    nio::onDispatcher.assertCurrent();
    systemId_ = bind.text(Field::systemId);
    kind_ = bind.command();
    if (draining_) return refuseBind(BindRefusal::draining);
    // Reading goes on until something comes: so the end of a connection that waits is seen.
    password_ = bind.text(Field::password);
    hadTurn_ = false;
    takeTurn(std::nullopt);
}

void EsmeLink::takeTurn(std::optional<Verdict> verdict) {
    const auto delay = shard_->services().logins.takeTurn(peer_, Moment::now());
    if (!delay) return refuseBind(BindRefusal::throttled);
    if (delay->count() == 0) return turnComes(verdict);
    hadTurn_ = true;
    place_.offer(handle());
    delayed_ = std::make_unique<nio::Deadline>(shard_->thread().deadlines(), [this, verdict] {
        nio::onDispatcher.assertCurrent();
        turnComes(verdict);
    });
    delayed_->wakeAfter(*delay);
}

void EsmeLink::turnComes(std::optional<Verdict> verdict) {
    delayed_.reset();
    place_.keep();
    verdict ? decided(*verdict) : decideBind();
}

void EsmeLink::decideBind() {
    const std::string password = std::exchange(password_, {});
    if (const std::optional<BindRefusal> refusal = judgeBind()) return refuseBind(*refusal);
    auto answer = [link = handle()](Verdict verdict) {
        nio::onDispatcher.assertCurrent();
        if (EsmeLink* esme = findNow(link)) esme->passwordChecked(verdict);
    };
    asks_ = std::make_shared<PasswordHash>(accountConfig().password);
    PasswordDesk::Attempt attempt{*asks_, password, systemId_, apps::sourceOf(peer_), asks_};
    shard_->services().passwords.check(std::move(attempt), shard_->thread(), std::move(answer));
}

std::optional<BindRefusal> EsmeLink::judgeBind() {
    const RouterConfig& config = shard_->config();
    const auto found = config.accountByName.find(systemId_);
    if (found == config.accountByName.end()) return BindRefusal::account;
    account_ = found->second;
    const AccountConfig& account = accountConfig();
    const auto contains = [&](const AddressRange& range) { return range.contains(peer_); };
    const auto& from = account.allowedFrom;
    if (!from.empty() && std::none_of(from.begin(), from.end(), contains)) {
        return BindRefusal::address;
    }
    const bool may = kind_ == Command::bindTransmitter ? account.mayTransmit
                     : kind_ == Command::bindReceiver  ? account.mayReceive
                                                       : account.mayTransceive;
    return may ? std::nullopt : std::optional(BindRefusal::kind);
}

void EsmeLink::passwordChecked(Verdict verdict) {
    // Its source may have guessed meanwhile.
    hadTurn_ || verdict == Verdict::busy ? decided(verdict) : takeTurn(verdict);
}

void EsmeLink::decided(Verdict verdict) {
    const auto checkedBy = std::exchange(asks_, {});
    if (verdict == Verdict::busy) return refuseBind(BindRefusal::busy);
    if (verdict == Verdict::wrong) return refuseBind(BindRefusal::password);
    // The configuration may be another one by now.
    if (const std::optional<BindRefusal> refusal = judgeBind()) return refuseBind(*refusal);
    if (accountConfig().password.text() != checkedBy->text()) {
        return refuseBind(BindRefusal::password);
    }
    deskOwner_ = &account();
    AccountDesk& asked = desk();
    const bool receives = kind_ != Command::bindTransmitter;
    const AccountDesk::Entrant entrant{handle(), receives ? &ingress() : nullptr};
    auto admit = [&asked, entrant] {
        nio::onDispatcher.assertCurrent();
        const bool admitted = asked.admitNow(entrant);
        auto answer = [&asked, link = entrant.link, admitted] {
            nio::onDispatcher.assertCurrent();
            admission(asked, link, admitted);
        };
        (void)post(*entrant.link.dispatcher(), std::move(answer));
    };
    if (!post(asked.dispatcher(), std::move(admit))) refuseBind(BindRefusal::failure);
}

void EsmeLink::admission(AccountDesk& desk, nio::ChannelHandle link, bool admitted) {
    if (EsmeLink* esme = findNow(link)) return esme->admittedNow(admitted);
    if (admitted) tell<&AccountDesk::leaveNow>(desk, link);
}

void EsmeLink::admittedNow(bool admitted) {
    if (!admitted) return refuseBind(BindRefusal::limit);
    atDesk_ = true;
    // The configuration may be another one by now.
    const auto found = shard_->config().accountByName.find(systemId_);
    if (found == shard_->config().accountByName.end()) return refuseBind(BindRefusal::account);
    account_ = found->second;
    hasAccount_ = true;
    Origin from;
    from.link = handle();
    from.ingress = &ingress();
    requests_.emplace(*shard_, from, *deskOwner_, account_, session().peerKnowsTlvs());
    session().acceptBind(smppNow());
    if (!isOpen()) return;
    rearm();
    connection()->setEvictFirst(false);
    connection()->resumeReading();
    if (draining_) return unbindIfDone();
    tell<&AccountDesk::boundNow>(desk(), handle());
}

void EsmeLink::refuseBind(BindRefusal why) {
    ++shard_->figures().refusedBinds[why];
    Account* const asked = accountNamed(systemId_, shard_->topology());
    if (asked != nullptr) router::countAnswer(*shard_, *asked, kind_, statusOf(why));
    logRefusal(why);
    session().refuseBind(statusOf(why), smppNow());
    rearm();
    if (!isOpen()) return;
    place_.offer(handle());
    connection()->resumeReading();
}

void EsmeLink::logRefusal(BindRefusal why) {
    if (why == BindRefusal::draining) return;
    using Why = LoginThrottle::Why;
    logRefused("bind of '" + apps::printable(systemId_) + "' from " + peer_.toString() +
                   " refused: " + std::string(textOf(why)),
               isGuess(why) ? Why::guess : Why::other);
}

void EsmeLink::logRefused(const std::string& what, LoginThrottle::Why why) {
    const auto unsaid = shard_->services().logins.refused(peer_, Moment::now(), why);
    if (unsaid) nio::log(nio::LogLevel::warning, what + unsaidText(*unsaid));
}

// Before the bind a filter fails in the handshake: without a certificate that is asked for, say.
void EsmeLink::failed(const nio::Error& error) {
    if (session().state() != smpp::State::open || !error.is(nio::Errc::encodingFailed)) return;
    logRefused("connection from " + peer_.toString() + " refused: " + error.context(),
               LoginThrottle::Why::other);
}

}  // namespace router
