// EsmeLink: from a bind request to a bound connection.
#include <algorithm>

#include "sms_router/esme/AccountDesk.h"
#include "sms_router/esme/EsmeLink.h"
#include "sms_router/flow/Post.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

void EsmeLink::bindRequested(const smpp::Pdu& bind) {
    nio::onDispatcher.assertCurrent();
    const Status status = draining_ ? Status::bindFail : judgeBind(bind);
    if (status != Status::ok) return refuseBind(status);
    // Reading goes on until something comes: so the end of a connection that waits is seen.
    auto answer = [link = handle()](PasswordDesk::Verdict verdict) {
        nio::onDispatcher.assertCurrent();
        if (EsmeLink* esme = findNow(link)) esme->passwordChecked(verdict);
    };
    asks_ = std::make_shared<char>();
    PasswordDesk::Attempt attempt{accountConfig().password, std::string(bind.text(Field::password)),
                                  systemId_, AddressRange::around(peer_).toString(), asks_};
    shard_->services().passwords.check(std::move(attempt), shard_->thread(), std::move(answer));
}

Status EsmeLink::judgeBind(const smpp::Pdu& bind) {
    const RouterConfig& config = shard_->config();
    const auto found = config.accountByName.find(bind.text(Field::systemId));
    if (found == config.accountByName.end()) return Status::invSysId;
    systemId_ = found->first;
    account_ = found->second;
    kind_ = bind.command();
    const AccountConfig& account = accountConfig();
    const auto contains = [&](const AddressRange& range) { return range.contains(peer_); };
    const auto& from = account.allowedFrom;
    if (!from.empty() && std::none_of(from.begin(), from.end(), contains)) return Status::bindFail;
    const bool may = kind_ == Command::bindTransmitter ? account.mayTransmit
                     : kind_ == Command::bindReceiver  ? account.mayReceive
                                                       : account.mayTransceive;
    return may ? Status::ok : Status::bindFail;
}

void EsmeLink::passwordChecked(PasswordDesk::Verdict verdict) {
    asks_.reset();
    if (verdict == PasswordDesk::Verdict::busy) return refuseBind(Status::bindFail);
    if (verdict == PasswordDesk::Verdict::wrong) return refuseBind(Status::invPaswd);
    // The configuration may be another one by now.
    const auto found = shard_->config().accountByName.find(systemId_);
    if (found == shard_->config().accountByName.end()) return refuseBind(Status::invSysId);
    account_ = found->second;
    deskOwner_ = &account();
    AccountDesk& asked = desk();
    const AccountDesk::Entrant entrant{handle(), kind_ != Command::bindTransmitter};
    auto admit = [&asked, entrant] {
        nio::onDispatcher.assertCurrent();
        const bool admitted = asked.admitNow(entrant);
        auto answer = [&asked, link = entrant.link, admitted] {
            nio::onDispatcher.assertCurrent();
            admission(asked, link, admitted);
        };
        (void)post(*entrant.link.dispatcher(), std::move(answer));
    };
    if (!post(asked.dispatcher(), std::move(admit))) refuseBind(Status::sysErr);
}

void EsmeLink::admission(AccountDesk& desk, nio::ChannelHandle link, bool admitted) {
    if (EsmeLink* esme = findNow(link)) return esme->admittedNow(admitted);
    if (admitted) tell<&AccountDesk::leaveNow>(desk, link);
}

void EsmeLink::admittedNow(bool admitted) {
    if (!admitted) return refuseBind(Status::bindFail);
    atDesk_ = true;
    // The configuration may be another one by now.
    const auto found = shard_->config().accountByName.find(systemId_);
    if (found == shard_->config().accountByName.end()) return refuseBind(Status::invSysId);
    account_ = found->second;
    hasAccount_ = true;
    session().acceptBind(smppNow());
    if (!isOpen()) return;
    rearm();
    channel()->resumeReading();
    if (draining_) return unbindIfDone();
    tell<&AccountDesk::boundNow>(desk(), handle());
}

void EsmeLink::refuseBind(Status status) {
    ++shard_->figures().refusedBinds;
    session().refuseBind(status, smppNow());
    rearm();
    if (isOpen()) channel()->resumeReading();
}

}  // namespace router
