#include "sms_router/ingress/EsmeLink.h"

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/model/Post.h"
#include "sms_router/session/PlainPeer.h"

namespace router {

using smpp::Command;
using smpp::Status;

EsmeLink::EsmeLink(const ShardSet& shards, std::shared_ptr<const smpp::SessionOptions> session,
                   nio::SocketAddress peer, bool tls)
    : SmppLink(std::move(session)), shards_(shards), peer_(std::move(peer)), tls_(tls) {}

EsmeLink* EsmeLink::findNow(nio::ChannelHandle handle) {
    return static_cast<EsmeLink*>(SmppLink::findNow(handle));
}

void EsmeLink::opened() {
    shard_ = &shards_.of(connection()->dispatcher());
    shard_->join(handle());
    offerPlaceLater();
    since_ = std::chrono::steady_clock::now();
    if (shard_->isDraining()) drain();
}

void EsmeLink::closed(const std::string&) {
    shard_->leave(handle());
    asks_.reset();
    delayed_.reset();
    if (!atDesk_) return;
    atDesk_ = false;
    if (session().unanswered() > 0) {
        for (Egress* connector : shard_->topology().connectors) {
            tell<&Egress::senderGoneNow>(*connector, handle());
        }
    }
    tell<&AccountDesk::leaveNow>(desk(), handle());
}

AccountDesk& EsmeLink::desk() const {
    return deskOwner_->desk();
}

// --- its requests ---------------------------------------------------------------------------

void EsmeLink::requestArrived(const smpp::Pdu& request) {
    nio::onDispatcher.assertCurrent();
    countRequest(request.command());
    const bool takes = !draining_ && hasAccount_;
    const Status status =
        takes ? requests_->take(request) : requests_->refuse(request, Status::sysErr);
    if (status != Status::ok) refuseNow(request.command(), status, request.sequence());
    updateWindow();
}

void EsmeLink::malformedArrived(Status problem, nio::ByteView octets) {
    ShardFigures& figures = shard_->figures();
    ++figures.malformed;
    const std::string account = isBound() ? systemId_ : std::string();
    const std::string whose = account.empty() ? "an ESME" : "account '" + account + "'";
    figures.malformedOf[account].note(whose, peer_.toString(), !account.empty(), problem, octets);
}

// The session has refused it.
void EsmeLink::unexpectedArrived(nio::ByteView octets) {
    const std::optional<smpp::Header> header = smpp::Header::read(octets);
    if (!header || !isBound()) return;
    countRequest(header->command);
    countAnswer(header->command,
                smpp::isBind(header->command) ? Status::alyBnd : Status::invBndSts);
}

// --- answers to them ------------------------------------------------------------------------

// What is for a connection that is over is dropped; its desk hears of its end.
class EsmeLink::Links final : public Ingress {
  public:
    void answer(const Origin& origin, nio::Bytes response) override {
        auto tell = [origin, response = std::move(response)] {
            nio::onDispatcher.assertCurrent();
            if (EsmeLink* esme = findNow(origin.link)) esme->answerNow(origin, response);
        };
        (void)post(*origin.link.dispatcher(), std::move(tell));
    }
    void deliver(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu) override {
        nio::onDispatcher.assertCurrent();
        if (EsmeLink* esme = findNow(bind)) esme->deliverNow(number, pdu);
    }
    // False also of a link of another dispatcher.
    bool hasOutput(nio::ChannelHandle bind) override {
        nio::onDispatcher.assertCurrent();
        if (!bind.dispatcher()->isCurrent()) return false;
        const EsmeLink* esme = findNow(bind);
        return esme != nullptr && esme->connection()->pendingBytes() > 0;
    }
};

Ingress& EsmeLink::ingress() {
    static Links links;
    return links;
}

void EsmeLink::answerNow(const Origin& origin, nio::ByteView response) {
    if (origin.part == 0) {
        respondNow(response);
    } else if (requests_) {
        const std::optional<nio::Bytes> whole = requests_->partAnswered(origin, response);
        if (whole) respondNow(*whole);
    }
    updateWindow();
    if (draining_) unbindIfDone();
}

void EsmeLink::updateWindow() {
    if (!isOpen() || !hasAccount_) return;
    holdRequestsNow(session().unanswered() >= accountConfig().window, accountConfig().readAhead);
}

void EsmeLink::respondNow(nio::ByteView response) {
    const std::optional<smpp::Header> header = smpp::Header::read(response);
    if (header) countAnswer(smpp::requestOf(header->command), header->status);
    if (session().peerKnowsTlvs()) return session().respond(response);
    session().respond(withoutTlvs(response));
}

void EsmeLink::refuseNow(Command request, Status status, std::uint32_t sequence) {
    countAnswer(request, status);
    session().respond(request, status, sequence);
}

void EsmeLink::countRequest(Command request) {
    if (deskOwner_ == nullptr || !answersSubmit(smpp::responseTo(request))) return;
    deskOwner_->figures().submitted.fetch_add(1, std::memory_order_relaxed);
}

void EsmeLink::countAnswer(Command request, Status status) {
    if (deskOwner_ != nullptr) router::countAnswer(*shard_, *deskOwner_, request, status);
}

// --- deliveries -----------------------------------------------------------------------------

void EsmeLink::deliverNow(std::uint64_t number, const nio::Bytes& pdu) {
    // Its end is under way: the desk hears of it, and takes it back.
    if (draining_) return;
    if (!isBound()) return tell<&AccountDesk::returnedNow>(desk(), handle(), number);
    std::optional<nio::Bytes> own =
        session().peerKnowsTlvs() ? std::optional(pdu) : plainDelivery(pdu);
    // Another bind may get it.
    if (!own) return tellDesk(number, Status::xTAppn);
    if (!requestNow(*own, number)) return tellDesk(number, std::nullopt);
    const std::optional<smpp::Header> header = smpp::Header::read(pdu);
    if (header && !smpp::hasResponse(header->command)) tellDesk(number, Status::ok);
}

void EsmeLink::responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) {
    nio::onDispatcher.assertCurrent();
    tellDesk(cookie, answer.status());
}

void EsmeLink::requestLost(smpp::Cookie cookie, smpp::Lost how, Status status) {
    nio::onDispatcher.assertCurrent();
    if (how == smpp::Lost::nacked) return tellDesk(cookie, status);
    // With the connection goes all that it had: leaveNow() sees to it.
    if (how == smpp::Lost::timedOut) tellDesk(cookie, std::nullopt);
}

void EsmeLink::answeredLate(const smpp::Pdu& answer, smpp::Cookie cookie) {
    nio::onDispatcher.assertCurrent();
    tell<&AccountDesk::answeredLateNow>(desk(), handle(), cookie, answer.status());
}

void EsmeLink::unbindArrived() {
    nio::onDispatcher.assertCurrent();
    if (atDesk_) tell<&AccountDesk::unbindsNow>(desk(), handle());
}

void EsmeLink::tellDesk(std::uint64_t number, std::optional<Status> status) {
    tell<&AccountDesk::answeredNow>(desk(), handle(), number, status);
    if (draining_) unbindIfDone();
}

// --- the configuration ----------------------------------------------------------------------

// One that ends because of it leaves the list.
void EsmeLink::useNow(Shard& shard, SharedTopology topology) {
    shard.use(std::move(topology));
    const std::vector<nio::ChannelHandle> links = shard.links();
    for (const nio::ChannelHandle link : links) {
        if (EsmeLink* esme = findNow(link)) esme->topologyChanged();
    }
}

void EsmeLink::drainNow(Shard& shard) {
    shard.drain();
    const std::vector<nio::ChannelHandle> links = shard.links();
    for (const nio::ChannelHandle link : links) {
        if (EsmeLink* esme = findNow(link)) esme->drain();
    }
}

void EsmeLink::topologyChanged() {
    if (!isOpen() || !hasAccount_) return;
    const auto& byName = shard_->config().accountByName;
    const auto found = byName.find(systemId_);
    if (found == byName.end()) {
        hasAccount_ = false;
        holdRequestsNow(false, 0);
        return unbindNow();
    }
    account_ = found->second;
    requests_->useAccount(account_);
    updateWindow();
}

void EsmeLink::drain() {
    draining_ = true;
    unbindIfDone();
}

void EsmeLink::unbindIfDone() {
    if (!isOpen()) return;
    const bool busy = isBound() && (session().unanswered() > 0 || session().outstanding() > 0);
    if (!busy) unbindNow();
}

BindRow EsmeLink::describeNow() const {
    BindRow row;
    row.number = handle().slot() * shards_.size() + shards_.indexOf(*shard_);
    row.kind = kind_ == Command::bindTransmitter ? "transmitter"
               : kind_ == Command::bindReceiver  ? "receiver"
                                                 : "transceiver";
    row.state = smpp::nameOf(session().state());
    row.peer = peer_.toString();
    row.dispatcher = shard_->thread().name();
    row.age =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since_);
    row.outstandingIn = session().unanswered();
    row.outstandingOut = session().outstanding();
    row.window = hasAccount_ ? accountConfig().window : 0;
    row.tls = tls_;
    return row;
}

std::string EsmeLink::accountName() const {
    return hasAccount_ ? systemId_ : std::string();
}

}  // namespace router
