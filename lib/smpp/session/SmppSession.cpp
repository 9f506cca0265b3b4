#include <algorithm>
#include <utility>

#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>
#include <smpp/pdu/Repair.h>
#include <smpp/session/ShortAnswer.h>
#include <smpp/session/SmppSession.h>

namespace smpp {

namespace {

// Those that the session sends by itself.
constexpr bool isOurOwn(Command request) {
    return isBind(request) || request == Command::unbind || request == Command::enquireLink;
}

// Whether nothing is left that could be mended. NULs that no length counts are read as a TLV of tag
// 0, or as its start.
bool isWhole(const Scanned& scanned, nio::ByteView octets) {
    return scanned.pdu && scanned.pdu->bytes().size() == octets.size() &&
           !scanned.pdu->tlvs().find(Tag{0});
}

}  // namespace

SmppSession::SmppSession(std::shared_ptr<const SessionOptions> options, SessionEvents& events,
                         Time now)
    : options_(std::move(options)),
      events_(events),
      clock_(options_->timers),
      keepAlive_(clock_),
      window_(options_->window, options_->firstSequence, options_->reading),
      state_(options_->side) {
    clock_.start(Timer::sessionInit, now);
}

// --- in -----------------------------------------------------------------------------------------

void SmppSession::received(const Framed& framed, Time now) {
    if (state_.isOver() || framed.kind == Framed::Kind::needMore) return;
    clock_.stop(Timer::pduRead);
    restWaits_ = false;
    if (framed.kind == Framed::Kind::badLength) return lengthWasBad(framed.bytes);
    if (isBound()) keepAlive_.heard(now);

    const Scanned scanned = scan(framed.bytes, options_->reading);
    const bool mends = options_->reading == Reading::tolerant && !isWhole(scanned, framed.bytes);
    const Missing missing = side() == Side::smsc ? Missing::refused : Missing::mended;
    const std::optional<Repaired> mended = mends ? repaired(framed.bytes, missing) : std::nullopt;
    if (!mended || (scanned.pdu && mended->isCut)) return read(scanned, framed.bytes, now);
    if (mended->isCut) events_.malformedArrived(scanned.problem, framed.bytes);
    read(scan(mended->pdu, Reading::tolerant), mended->pdu, now);
}

void SmppSession::read(const Scanned& scanned, nio::ByteView bytes, Time now) {
    if (!isResponse(scanned.header.command)) return requestReceived(scanned, bytes, now);
    const Status problem = isKnown(scanned.header.command) ? scanned.problem : Status::invCmdId;
    if (problem != Status::ok) events_.malformedArrived(problem, bytes);
    answerReceived(scanned, now);
    if (state_.isUnbinding()) endWhenDone();
}

void SmppSession::lengthWasBad(nio::ByteView bytes) {
    events_.malformedArrived(Status::invCmdLen, bytes);
    const std::optional<Header> header = Header::read(bytes);
    const std::uint32_t sequence = header ? header->sequence : 0;
    events_.transmit(ShortAnswer::genericNack(Status::invCmdLen, sequence).bytes());
    end(End::badLength);
}

void SmppSession::waitsForRest(std::size_t octets, Time now) {
    if (state_.isOver()) return;
    restWaits_ = octets > 0;
    if (!restWaits_ || state_.peerWaits()) return clock_.stop(Timer::pduRead);
    if (!clock_.runs(Timer::pduRead)) clock_.start(Timer::pduRead, now);
}

// --- requests of the peer -----------------------------------------------------------------------

// The state is judged before the body: who may not send a PDU need not hear what is wrong with it.
void SmppSession::requestReceived(const Scanned& scanned, nio::ByteView bytes, Time now) {
    const Command command = scanned.header.command;
    const std::uint32_t sequence = scanned.header.sequence;
    if (isBound() && command != Command::enquireLink) keepAlive_.used(now);
    if (!isKnown(command)) {
        events_.malformedArrived(Status::invCmdId, bytes);
        return events_.transmit(ShortAnswer::genericNack(Status::invCmdId, sequence).bytes());
    }
    if (state_.peerWaits() && !kept_ && command != Command::enquireLink) {
        kept_ = std::make_unique<const nio::Bytes>(nio::copyOf(bytes));
        return;
    }
    const Status refusal = state_.refusalOf(command);
    const bool isTaken = refusal == Status::ok || (options_->reading == Reading::tolerant &&
                                                   state_.isLostIfRefused(command));
    if (!isTaken) return transmit(command, refusal, sequence);
    if (!scanned.pdu) return malformedReceived(scanned, bytes);
    accepted(*scanned.pdu);
}

void SmppSession::malformedReceived(const Scanned& scanned, nio::ByteView bytes) {
    events_.malformedArrived(scanned.problem, bytes);
    const Header& header = scanned.header;
    // Nothing answers an outbind: an ESME that does not accept one disconnects (4.1.7).
    if (header.command == Command::outbind) return end(End::protocolBroken);
    transmit(header.command, scanned.problem, header.sequence);
}

void SmppSession::accepted(const Pdu& request) {
    switch (request.command()) {
        case Command::enquireLink:
            return transmit(Command::enquireLink, Status::ok, request.sequence());
        case Command::unbind: return unbindArrived(request);
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver: return bindArrived(request);
        case Command::outbind: state_.outbindSent(); return events_.outbindArrived(request);
        case Command::alertNotification: return events_.requestArrived(request);
        default: ++unanswered_; return events_.requestArrived(request);
    }
}

void SmppSession::unbindArrived(const Pdu& unbind) {
    state_.peerUnbinds(unbind.sequence());
    keepAlive_.stop();
    events_.unbindArrived();
    endWhenDone();
}

void SmppSession::respond(nio::ByteView response) {
    if (state_.isOver()) return;
    if (unanswered_ > 0) --unanswered_;
    events_.transmit(response);
    if (state_.isUnbinding()) endWhenDone();
}

void SmppSession::respond(Command request, Status status, std::uint32_t sequence) {
    respond(ShortAnswer(request, status, sequence).bytes());
}

void SmppSession::transmit(Command request, Status status, std::uint32_t sequence) {
    events_.transmit(ShortAnswer(request, status, sequence).bytes());
}

// --- requests of ours ---------------------------------------------------------------------------

std::uint32_t SmppSession::request(std::span<nio::Byte> pdu, Cookie cookie, Time now) {
    const std::optional<Header> header = Header::read(pdu);
    if (!header || isOurOwn(header->command) || !maySend(header->command)) return 0;
    const bool waits = hasResponse(header->command);
    if (waits && window_.isFull()) return 0;

    const std::uint32_t sequence = nextSequence();
    setSequence(pdu, sequence);
    if (isBound()) keepAlive_.used(now);
    if (header->command == Command::outbind) state_.outbindSent();
    // Before it leaves: whoever cannot send may end the session there.
    if (waits) window_.add({sequence, header->command, cookie, clock_.answerDue(now)});
    events_.transmit(pdu);
    return sequence;
}

std::uint32_t SmppSession::nextSequence() {
    return window_.nextSequence(state_.ourSequence(), keepAlive_.enquiry());
}

// --- time ---------------------------------------------------------------------------------------

Time SmppSession::nextTick() const {
    return keepAlive_.isHeld() ? clock_.next() : std::min(window_.nextDue(), clock_.next());
}

void SmppSession::tick(Time now) {
    if (!keepAlive_.isHeld()) {
        window_.loseLate(now, events_);
        if (state_.isUnbinding()) endWhenDone();
    }
    while (const std::optional<Timer> due = clock_.dueAt(now)) expired(*due, now);
}

void SmppSession::holdPeer(bool held, Time now) {
    if (state_.isOver() || held == keepAlive_.isHeld()) return;
    if (held) {
        waitsForRest(0, now);
    } else {
        window_.postpone(clock_.answerDue(now));
    }
    keepAlive_.hold(held, isBound(), now);
}

void SmppSession::expired(Timer timer, Time now) {
    clock_.stop(timer);
    switch (timer) {
        case Timer::pduRead: return end(End::pduReadTimer);
        case Timer::sessionInit: return end(End::sessionInitTimer);
        case Timer::handshake:
            return state_.isLeaving() ? unbindIsLate(now) : end(End::sessionInitTimer);
        case Timer::enquiry: return end(End::enquireTimer);
        case Timer::inactivity:
            if (!keepAlive_.isIdle(unanswered_ > 0 || !window_.empty(), now)) return;
            unbindEnd_ = End::inactivityTimer;
            return unbind(now);
        case Timer::silence: return enquire(now);
        case Timer::count: return;
    }
}

void SmppSession::enquire(Time now) {
    if (keepAlive_.enquiry() != 0) return clock_.start(Timer::silence, now);
    const std::uint32_t sequence = nextSequence();
    nio::Bytes pdu = PduWriter(Command::enquireLink, Status::ok, sequence).finish();
    keepAlive_.enquired(sequence, now);
    events_.transmit(pdu);
}

// --- the end ------------------------------------------------------------------------------------

void SmppSession::disconnected() {
    gone_ = true;
    giveUp(State::closed);
}

void SmppSession::end(End how) {
    if (state_.isOver()) return;
    const bool unbound = how == End::unbound || how == End::inactivityTimer;
    giveUp(unbound ? State::unbound : State::closed);
    if (!gone_) events_.ended(how);
}

// The state comes first: events that call back find a session that takes nothing any more.
void SmppSession::giveUp(State state) {
    state_.end(state);
    clock_.stopAll();
    kept_.reset();
    window_.loseAll(events_);
}

}  // namespace smpp
