// The rest of SmppSession: what begins and ends a session, and the answers to requests of ours.
#include <algorithm>
#include <utility>

#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>
#include <smpp/session/ShortAnswer.h>
#include <smpp/session/SmppSession.h>

namespace smpp {

namespace {

constexpr std::uint8_t firstWithTlvs = 0x34;
constexpr std::size_t mostLate = 1024;

constexpr State boundBy(Command bind) {
    switch (bind) {
        case Command::bindReceiver: return State::boundRx;
        case Command::bindTransmitter: return State::boundTx;
        default: return State::boundTrx;
    }
}

nio::Bytes bindPdu(const SmppSession::BindRequest& request, std::uint8_t version) {
    return PduWriter(request.kind, Status::ok, 0)
        .text(request.systemId)
        .text(request.password)
        .text(request.systemType)
        .number(version)
        .number(request.addressTon)
        .number(request.addressNpi)
        .text(request.addressRange)
        .finish();
}

nio::Bytes bindAnswer(Command bind, std::uint32_t sequence, const SessionOptions& options,
                      std::uint8_t peerVersion) {
    PduWriter answer(responseTo(bind), Status::ok, sequence);
    answer.text(options.systemId);
    if (peerVersion >= firstWithTlvs) {
        answer.tlv(Tag::scInterfaceVersion, options.interfaceVersion, 1);
    }
    return answer.finish();
}

// By the specification an SMSC that does not say its version knows 3.3 or less. Many of 3.4 do not
// say it, though, and without TLVs receipts and long messages would break on them: it is taken to
// be what we asked for. One that really is of 3.3 is bound to with that version. Some write the
// version in more octets, of either order.
std::uint8_t versionOf(const Pdu& bindAnswer, std::uint8_t ours) {
    const std::optional<nio::ByteView> said = bindAnswer.tlv(Tag::scInterfaceVersion);
    if (!said) return ours;
    const auto isZero = [](nio::Byte octet) { return octet == nio::Byte{0}; };
    const auto last = std::find_if_not(said->rbegin(), said->rend(), isZero);
    return last == said->rend() ? ours : std::min(ours, std::to_integer<std::uint8_t>(*last));
}

// Why this is not the answer to the request; ok if it is.
Status faultOf(const Scanned& answer, Command request) {
    const Header& header = answer.header;
    if (header.command == Command::genericNack) {
        return header.status == Status::ok ? Status::unknownErr : header.status;
    }
    if (header.command != responseTo(request)) return Status::invCmdId;
    return answer.pdu ? Status::ok : answer.problem;
}

}  // namespace

// --- smsc side ----------------------------------------------------------------------------------

void SmppSession::bindArrived(const Pdu& bind) {
    theirs_ = {bind.command(), bind.sequence()};
    peerVersion_ = std::min(bind.number(Field::interfaceVersion), options_->interfaceVersion);
    isOddBind_ = options_->reading == Reading::tolerant && !scan(bind.bytes()).pdu;
    if (!isOddBind_) clock_.stop(Timer::sessionInit);
    events_.bindRequested(bind);
}

void SmppSession::acceptBind(Time now) {
    if (!bindWaits()) return;
    const Handshake bind = std::exchange(theirs_, {});
    clock_.stop(Timer::sessionInit);
    events_.transmit(bindAnswer(bind.command, bind.sequence, *options_, peerVersion_));
    if (isOver()) return;
    nowBound(bind.command, now);
    const bool restWaits = restWaits_;
    deliverHeld(now);
    restWaits_ = restWaits && !peerHeld_;
    if (restWaits_ && !isOver()) clock_.start(Timer::pduRead, now, timers().pduRead);
}

void SmppSession::deliverHeld(Time now) {
    if (!held_) return;
    const std::unique_ptr<const nio::Bytes> held = std::move(held_);
    received({Framed::Kind::pdu, *held}, now);
}

// One that a strict reading would have refused may be tried again, as there.
void SmppSession::refuseBind(Status status, Time now) {
    if (!bindWaits()) return;
    const Handshake bind = std::exchange(theirs_, {});
    transmit(bind.command, status == Status::ok ? Status::bindFail : status, bind.sequence);
    isOddBind_ ? deliverHeld(now) : end(End::bindRefused);
}

void SmppSession::outbind(std::string_view systemId, std::string_view password, Time now) {
    nio::Bytes pdu =
        PduWriter(Command::outbind, Status::ok, 0).text(systemId).text(password).finish();
    request(pdu, 0, now);
}

// --- esme side ----------------------------------------------------------------------------------

void SmppSession::bind(const BindRequest& request, Time now) {
    if (!maySend(request.kind) || ours_.sequence != 0) return;
    clock_.stop(Timer::sessionInit);
    startHandshake(bindPdu(request, options_->interfaceVersion), request.kind, now);
}

void SmppSession::bindAnswered(const Scanned& scanned, Command bind, Time now) {
    const Status fault = faultOf(scanned, bind);
    const Status status = fault == Status::ok ? scanned.header.status : fault;
    const Pdu* answer = scanned.pdu ? &*scanned.pdu : nullptr;
    if (status == Status::ok) {
        peerVersion_ = versionOf(*answer, options_->interfaceVersion);
        nowBound(bind, now);
    }
    events_.bindAnswered(status, answer);
    if (status != Status::ok) end(End::bindRefused);
}

// --- both ---------------------------------------------------------------------------------------

void SmppSession::nowBound(Command bind, Time now) {
    state_ = boundBy(bind);
    clock_.start(Timer::silence, now, timers().enquireLink);
    clock_.start(Timer::inactivity, now, timers().inactivity);
}

// Who leaves shows by that that it is there, and may send nothing more for it.
void SmppSession::stopAsking() {
    for (Timer timer : {Timer::enquiry, Timer::inactivity, Timer::silence}) clock_.stop(timer);
}

void SmppSession::unbind(Time now) {
    if (isOver() || isUnbinding()) return;
    if (!smpp::isBound(state_)) return end(End::unbound);
    stopAsking();
    ours_ = {Command::unbind, 0};
    clock_.start(Timer::handshake, now, timers().response);
    unbindWaited_ = answersAreTimed() && (unanswered_ > 0 || !pending_.empty());
    answersAreTimed() ? unbindWhenDone() : sendUnbind();
}

void SmppSession::unbindWhenDone() {
    const bool waits = isLeaving() && ours_.sequence == 0 && !isOver();
    if (waits && unanswered_ == 0 && pending_.empty()) sendUnbind();
}

void SmppSession::answerUnbindWhenDone() {
    const bool isDone = unanswered_ == 0 && (pending_.empty() || !answersAreTimed());
    if (!theirUnbind_ || !isDone || isOver()) return;
    transmit(Command::unbind, Status::ok, *theirUnbind_);
    end(unbindEnd_);
}

void SmppSession::endWhenDone() {
    answerUnbindWhenDone();
    unbindWhenDone();
}

void SmppSession::sendUnbind() {
    ours_.sequence = nextSequence();
    nio::Bytes pdu = PduWriter(Command::unbind, Status::ok, ours_.sequence).finish();
    events_.transmit(pdu);
}

// Once more, from when it was sent at the latest.
void SmppSession::unbindIsLate(Time now) {
    if (!std::exchange(unbindWaited_, false)) return end(unbindEnd_);
    clock_.start(Timer::handshake, now, timers().response);
    if (ours_.sequence == 0) sendUnbind();
}

void SmppSession::startHandshake(nio::Bytes pdu, Command command, Time now) {
    ours_ = {command, nextSequence()};
    setSequence(pdu, ours_.sequence);
    clock_.start(Timer::handshake, now, timers().response);
    events_.transmit(pdu);
}

// --- answers ------------------------------------------------------------------------------------

void SmppSession::answerReceived(const Scanned& scanned, Time now) {
    const std::uint32_t sequence = scanned.header.sequence;
    if (const std::optional<PendingRequest> request = pending_.take(sequence)) {
        return requestAnswered(scanned, *request);
    }
    if (sequence != 0 && sequence == ours_.sequence) return handshakeAnswered(scanned, now);
    if (sequence != 0 && sequence == enquiry_) {
        // Also an answer that we cannot read shows that somebody is there.
        enquiry_ = 0;
        return clock_.stop(Timer::enquiry);
    }
    strayReceived(scanned);
}

void SmppSession::remember(const PendingRequest& late) {
    if (late_.size() >= std::min(options_->window, mostLate)) (void)late_.takeOldest();
    (void)late_.take(late.sequence);
    late_.add(late);
}

void SmppSession::strayReceived(const Scanned& scanned) {
    ++strays_;
    const std::optional<PendingRequest> late = late_.take(scanned.header.sequence);
    if (!late || faultOf(scanned, late->command) != Status::ok) return;
    events_.answeredLate(*scanned.pdu, late->cookie);
}

// An answer is never answered, whatever is wrong with it: its sequence number is one of ours, and
// a generic_nack with it would hit a request of the peer that happens to have the same.
void SmppSession::requestAnswered(const Scanned& scanned, const PendingRequest& request) {
    const Status fault = faultOf(scanned, request.command);
    if (fault != Status::ok) return events_.requestLost(request.cookie, Lost::nacked, fault);
    events_.responseArrived(*scanned.pdu, request.cookie);
}

void SmppSession::handshakeAnswered(const Scanned& scanned, Time now) {
    const Command request = std::exchange(ours_, {}).command;
    clock_.stop(Timer::handshake);
    if (request == Command::unbind) return end(unbindEnd_);
    bindAnswered(scanned, request, now);
}

}  // namespace smpp
