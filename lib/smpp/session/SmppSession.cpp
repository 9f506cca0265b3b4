#include <algorithm>
#include <utility>

#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>
#include <smpp/pdu/Repair.h>
#include <smpp/session/ShortAnswer.h>
#include <smpp/session/SmppSession.h>

namespace smpp {

namespace {

constexpr Side other(Side side) {
    return side == Side::smsc ? Side::esme : Side::smsc;
}

// Those that the session sends by itself.
constexpr bool isOurOwn(Command request) {
    return isBind(request) || request == Command::unbind || request == Command::enquireLink;
}

// Four NULs, which scan() takes for a TLV.
bool hasPadding(const Pdu& pdu) {
    const auto untagged = pdu.tlvs().find(Tag{0});
    return untagged && untagged->empty();
}

}  // namespace

SmppSession::SmppSession(std::shared_ptr<const SessionOptions> options, SessionEvents& events,
                         Time now)
    : options_(std::move(options)), events_(events), sequences_(options_->firstSequence) {
    clock_.start(Timer::sessionInit, now, timers().sessionInit);
}

SmppSession::~SmppSession() = default;

bool SmppSession::isBound() const {
    return smpp::isBound(state_) && !isUnbinding();
}

bool SmppSession::maySend(Command request) const {
    return !isOver() && !isUnbinding() && isAllowed(request, side(), state_);
}

// --- in -----------------------------------------------------------------------------------------

void SmppSession::received(const Framed& framed, Time now) {
    if (isOver() || framed.kind == Framed::Kind::needMore) return;
    clock_.stop(Timer::pduRead);
    restWaits_ = false;
    if (framed.kind == Framed::Kind::badLength) return lengthWasBad(framed.bytes);
    if (isBound() && !peerHeld_) clock_.start(Timer::silence, now, timers().enquireLink);

    const Scanned scanned = scan(framed.bytes, options_->reading);
    const bool mends =
        options_->reading == Reading::tolerant && (!scanned.pdu || hasPadding(*scanned.pdu));
    const Missing missing = side() == Side::smsc ? Missing::refused : Missing::mended;
    const std::optional<Repaired> mended = mends ? repaired(framed.bytes, missing) : std::nullopt;
    if (!mended) return read(scanned, framed.bytes, now);
    if (mended->isCut) events_.malformedArrived(scanned.problem, framed.bytes);
    read(scan(mended->pdu, Reading::tolerant), mended->pdu, now);
}

void SmppSession::read(const Scanned& scanned, nio::ByteView bytes, Time now) {
    if (!isResponse(scanned.header.command)) return requestReceived(scanned, bytes, now);
    if (!scanned.pdu) events_.malformedArrived(scanned.problem, bytes);
    answerReceived(scanned, now);
    endWhenDone();
}

void SmppSession::lengthWasBad(nio::ByteView bytes) {
    events_.malformedArrived(Status::invCmdLen, bytes);
    const std::optional<Header> header = Header::read(bytes);
    const std::uint32_t sequence = header ? header->sequence : 0;
    events_.transmit(ShortAnswer::genericNack(Status::invCmdLen, sequence).bytes());
    end(End::badLength);
}

void SmppSession::waitsForRest(std::size_t octets, Time now) {
    if (isOver()) return;
    restWaits_ = octets > 0;
    if (!restWaits_ || bindWaits()) return clock_.stop(Timer::pduRead);
    if (!clock_.runs(Timer::pduRead)) clock_.start(Timer::pduRead, now, timers().pduRead);
}

// --- requests of the peer -----------------------------------------------------------------------

// The state is judged before the body: who may not send a PDU need not hear what is wrong with it.
void SmppSession::requestReceived(const Scanned& scanned, nio::ByteView bytes, Time now) {
    const Command command = scanned.header.command;
    const std::uint32_t sequence = scanned.header.sequence;
    if (isBound() && command != Command::enquireLink) {
        clock_.start(Timer::inactivity, now, timers().inactivity);
    }
    if (!isKnown(command)) {
        return events_.transmit(ShortAnswer::genericNack(Status::invCmdId, sequence).bytes());
    }
    if (hold(command, bytes)) return;
    if (!mayPeerSend(command)) return transmit(command, refusalOf(command), sequence);
    if (!scanned.pdu) return malformedReceived(scanned, bytes);
    accepted(*scanned.pdu);
}

bool SmppSession::hold(Command command, nio::ByteView bytes) {
    if (!bindWaits() || held_ || command == Command::enquireLink) return false;
    held_ = std::make_unique<const nio::Bytes>(nio::copyOf(bytes));
    return true;
}

bool SmppSession::mayPeerSend(Command request) const {
    if (theirUnbind_) return request == Command::enquireLink;
    const bool begins = isBind(request) || request == Command::outbind;
    const bool ends = request == Command::enquireLink || request == Command::unbind;
    if (isLeaving() && !begins && !ends && hasResponse(request)) return false;
    const bool begun = bindWaits() || ours_.sequence != 0;
    return !(begins && begun) && isAllowed(request, other(side()), state_);
}

Status SmppSession::refusalOf(Command request) const {
    const bool again = isBind(request) && side() == Side::smsc && smpp::isBound(state_);
    if (again) return Status::alyBnd;
    const bool later = isLeaving() && !theirUnbind_ && isAllowed(request, other(side()), state_);
    if (!later) return Status::invBndSts;
    return side() == Side::smsc ? Status::sysErr : Status::xTAppn;
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
        case Command::outbind: state_ = State::outbound; return events_.outbindArrived(request);
        case Command::alertNotification: return events_.requestArrived(request);
        default: ++unanswered_; return events_.requestArrived(request);
    }
}

void SmppSession::unbindArrived(const Pdu& unbind) {
    theirUnbind_ = unbind.sequence();
    stopAsking();
    events_.unbindArrived();
    answerUnbindWhenDone();
}

void SmppSession::respond(nio::ByteView response) {
    if (isOver()) return;
    if (unanswered_ > 0) --unanswered_;
    events_.transmit(response);
    endWhenDone();
}

void SmppSession::respond(Command request, Status status, std::uint32_t sequence) {
    respond(ShortAnswer(request, status, sequence).bytes());
}

void SmppSession::transmit(Command request, Status status, std::uint32_t sequence) {
    events_.transmit(ShortAnswer(request, status, sequence).bytes());
}

// --- requests of ours ---------------------------------------------------------------------------

std::size_t SmppSession::outstanding() const {
    return pending_.size();
}

std::uint32_t SmppSession::request(std::span<nio::Byte> pdu, Cookie cookie, Time now) {
    const std::optional<Header> header = Header::read(pdu);
    if (!header || isOurOwn(header->command) || !maySend(header->command)) return 0;
    const bool waits = hasResponse(header->command);
    if (waits && outstanding() >= options_->window) return 0;

    const std::uint32_t sequence = nextSequence();
    setSequence(pdu, sequence);
    if (isBound()) clock_.start(Timer::inactivity, now, timers().inactivity);
    if (header->command == Command::outbind) state_ = State::outbound;
    // Before it leaves: whoever cannot send may end the session there.
    if (waits) {
        const Time deadline = SessionClock::after(now, timers().response);
        pending_.add({sequence, header->command, cookie, deadline});
    }
    events_.transmit(pdu);
    return sequence;
}

std::uint32_t SmppSession::nextSequence() {
    return sequences_.next([this](std::uint32_t number) {
        return number == ours_.sequence || number == enquiry_ || pending_.contains(number);
    });
}

// --- time ---------------------------------------------------------------------------------------

Time SmppSession::nextTick() const {
    const PendingRequest* oldest = peerHeld_ ? nullptr : pending_.oldest();
    return oldest ? std::min(oldest->deadline, clock_.next()) : clock_.next();
}

void SmppSession::tick(Time now) {
    loseLate(now);
    while (const std::optional<Timer> due = clock_.dueAt(now)) expired(*due, now);
}

void SmppSession::holdPeer(bool held, Time now) {
    if (isOver() || held == peerHeld_) return;
    peerHeld_ = held;
    if (held) {
        waitsForRest(0, now);
        clock_.stop(Timer::silence);
        clock_.stop(Timer::enquiry);
        return;
    }
    pending_.postponeAll(SessionClock::after(now, timers().response));
    if (!isBound()) return;
    if (enquiry_ != 0) clock_.start(Timer::enquiry, now, timers().response);
    clock_.start(Timer::silence, now, timers().enquireLink);
}

void SmppSession::loseLate(Time now) {
    if (peerHeld_) return;
    while (!pending_.empty() && pending_.oldest()->deadline <= now) {
        const PendingRequest late = *pending_.takeOldest();
        remember(late);
        events_.requestLost(late.cookie, Lost::timedOut, Status::unknownErr);
    }
    endWhenDone();
}

void SmppSession::expired(Timer timer, Time now) {
    clock_.stop(timer);
    switch (timer) {
        case Timer::pduRead: return end(End::pduReadTimer);
        case Timer::sessionInit: return end(End::sessionInitTimer);
        case Timer::handshake: return isLeaving() ? unbindIsLate(now) : end(End::sessionInitTimer);
        case Timer::enquiry: return end(End::enquireTimer);
        case Timer::inactivity: return unbindIfIdle(now);
        case Timer::silence: return enquire(now);
        case Timer::count: return;
    }
}

// Who waits for an answer is not idle, nor is a peer that is not listened to; and not at once when
// that is over.
void SmppSession::unbindIfIdle(Time now) {
    const bool isBusy = peerHeld_ || unanswered_ > 0 || !pending_.empty();
    if (std::exchange(wasBusy_, isBusy) || isBusy) {
        return clock_.start(Timer::inactivity, now, timers().inactivity);
    }
    unbindEnd_ = End::inactivityTimer;
    unbind(now);
}

void SmppSession::enquire(Time now) {
    if (enquiry_ != 0) return clock_.start(Timer::silence, now, timers().enquireLink);
    const std::uint32_t sequence = nextSequence();
    nio::Bytes pdu = PduWriter(Command::enquireLink, Status::ok, sequence).finish();
    enquiry_ = sequence;
    clock_.start(Timer::enquiry, now, timers().response);
    events_.transmit(pdu);
}

// --- the end ------------------------------------------------------------------------------------

void SmppSession::disconnected() {
    gone_ = true;
    giveUp(State::closed);
}

void SmppSession::end(End how) {
    if (isOver()) return;
    const bool unbound = how == End::unbound || how == End::inactivityTimer;
    giveUp(unbound ? State::unbound : State::closed);
    if (!gone_) events_.ended(how);
}

// The state comes first: events that call back find a session that takes nothing any more.
void SmppSession::giveUp(State state) {
    state_ = state;
    clock_.stopAll();
    held_.reset();
    theirs_ = {};
    while (const std::optional<PendingRequest> lost = pending_.takeOldest()) {
        events_.requestLost(lost->cookie, Lost::disconnected, Status::unknownErr);
    }
}

}  // namespace smpp
