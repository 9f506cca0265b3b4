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

}  // namespace

// --- smsc side ----------------------------------------------------------------------------------

void SmppSession::bindArrived(const Pdu& bind) {
    state_.peerBinds(bind.command(), bind.sequence());
    peerVersion_ = std::min(bind.number(Field::interfaceVersion), options_->interfaceVersion);
    isOddBind_ = options_->reading == Reading::tolerant && !scan(bind.bytes()).pdu;
    if (!isOddBind_) clock_.stop(Timer::sessionInit);
    events_.bindRequested(bind);
}

void SmppSession::acceptBind(Time now) {
    if (!state_.peerWaits()) return;
    const BindState::Handshake bind = state_.finishPeerBind();
    clock_.stop(Timer::sessionInit);
    events_.transmit(bindAnswer(bind.command, bind.sequence, *options_, peerVersion_));
    if (state_.isOver()) return;
    state_.bound(bind.command);
    keepAlive_.start(now);
    const bool restWaits = restWaits_;
    deliverKept(now);
    restWaits_ = restWaits && !keepAlive_.isHeld();
    if (restWaits_ && !state_.isOver()) clock_.start(Timer::pduRead, now);
}

void SmppSession::deliverKept(Time now) {
    if (!kept_) return;
    const std::unique_ptr<const nio::Bytes> kept = std::move(kept_);
    received({Framed::Kind::pdu, *kept}, now);
}

// One that a strict reading would have refused may be tried again, as there.
void SmppSession::refuseBind(Status status, Time now) {
    if (!state_.peerWaits()) return;
    const BindState::Handshake bind = state_.finishPeerBind();
    transmit(bind.command, status == Status::ok ? Status::bindFail : status, bind.sequence);
    isOddBind_ ? deliverKept(now) : end(End::bindRefused);
}

void SmppSession::outbind(std::string_view systemId, std::string_view password, Time now) {
    nio::Bytes pdu =
        PduWriter(Command::outbind, Status::ok, 0).text(systemId).text(password).finish();
    request(pdu, 0, now);
}

// --- esme side ----------------------------------------------------------------------------------

void SmppSession::bind(const BindRequest& request, Time now) {
    if (!maySend(request.kind) || state_.ourSequence() != 0) return;
    clock_.stop(Timer::sessionInit);
    state_.begin(request.kind, nextSequence());
    clock_.start(Timer::handshake, now);
    nio::Bytes pdu = bindPdu(request, options_->interfaceVersion);
    setSequence(pdu, state_.ourSequence());
    events_.transmit(pdu);
}

void SmppSession::bindAnswered(const Scanned& scanned, Command bind, Time now) {
    const Status fault = faultOf(scanned, bind);
    const Status status = fault == Status::ok ? scanned.header.status : fault;
    const Pdu* answer = scanned.pdu ? &*scanned.pdu : nullptr;
    if (status == Status::ok) {
        peerVersion_ = versionOf(*answer, options_->interfaceVersion);
        state_.bound(bind);
        keepAlive_.start(now);
    }
    events_.bindAnswered(status, answer);
    if (status != Status::ok) end(End::bindRefused);
}

// --- both ---------------------------------------------------------------------------------------

void SmppSession::unbind(Time now) {
    if (state_.isOver() || state_.isUnbinding()) return;
    if (!isBound()) return end(End::unbound);
    keepAlive_.stop();
    state_.begin(Command::unbind, 0);
    clock_.start(Timer::handshake, now);
    unbindWaited_ = clock_.answersAreTimed() && (unanswered_ > 0 || !window_.empty());
    clock_.answersAreTimed() ? endWhenDone() : sendUnbind();
}

// Answers the unbind of the peer, or sends ours, once nothing is waited for any more.
void SmppSession::endWhenDone() {
    if (unanswered_ > 0 || state_.isOver()) return;
    const bool isAnswered = window_.empty() || !clock_.answersAreTimed();
    if (isAnswered && state_.theirUnbind()) {
        transmit(Command::unbind, Status::ok, *state_.theirUnbind());
        return end(unbindEnd_);
    }
    const bool isUnsent = state_.isLeaving() && state_.ourSequence() == 0;
    if (isUnsent && window_.empty()) sendUnbind();
}

void SmppSession::sendUnbind() {
    state_.begin(Command::unbind, nextSequence());
    nio::Bytes pdu = PduWriter(Command::unbind, Status::ok, state_.ourSequence()).finish();
    events_.transmit(pdu);
}

// Once more, from when it was sent at the latest.
void SmppSession::unbindIsLate(Time now) {
    if (!std::exchange(unbindWaited_, false)) return end(unbindEnd_);
    clock_.start(Timer::handshake, now);
    if (state_.ourSequence() == 0) sendUnbind();
}

// --- answers ------------------------------------------------------------------------------------

// Also an answer that cannot be read shows that the peer is there.
void SmppSession::answerReceived(const Scanned& scanned, Time now) {
    if (window_.answered(scanned, events_)) return;
    const std::uint32_t sequence = scanned.header.sequence;
    if (sequence == 0 || sequence != state_.ourSequence()) {
        if (!keepAlive_.answered(sequence)) window_.strayArrived(scanned, events_);
        return;
    }
    clock_.stop(Timer::handshake);
    const Command request = state_.finish().command;
    request == Command::unbind ? end(unbindEnd_) : bindAnswered(scanned, request, now);
}

}  // namespace smpp
