#include <algorithm>
#include <optional>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/Layout.h>
#include <smpp/session/RequestWindow.h>

namespace smpp {

namespace {

constexpr std::size_t mostLate = 1024;
constexpr std::size_t commandAt = 4;  // in a header

std::optional<Scanned> scannedIfAny(const std::optional<nio::Bytes>& octets) {
    if (!octets) return std::nullopt;
    return scan(*octets, Reading::tolerant);
}

}  // namespace

Status faultOf(const Scanned& answer, Command request) {
    const Header& header = answer.header;
    if (header.command == Command::genericNack) {
        return header.status == Status::ok ? Status::unknownErr : header.status;
    }
    if (header.command != responseTo(request)) return Status::invCmdId;
    return answer.pdu ? Status::ok : answer.problem;
}

// Some answer with the command of another response that has a message_id: its owner gets the
// request's own. `answer` may have been read up to where it is sound.
std::optional<nio::Bytes> RequestWindow::asItsAnswer(const Scanned& answer, Command request) const {
    const Header& header = answer.header;
    const Command own = responseTo(request);
    if (header.command == own || reading_ == Reading::strict) return std::nullopt;
    const auto hasId = [](Command command) {
        return isResponse(command) && layoutOf(command) == layoutOf(Command::submitSmResp);
    };
    const bool isSound = answer.pdu && header.status == Status::ok;
    if (!isSound || !hasId(header.command) || !hasId(own)) return std::nullopt;
    nio::Bytes octets = nio::copyOf(answer.pdu->bytes());
    put32(octets.data(), static_cast<std::uint32_t>(octets.size()));
    put32(octets.data() + commandAt, static_cast<std::uint32_t>(own));
    return octets;
}

// An answer is never answered, whatever is wrong with it: its sequence number is one of ours, and
// a generic_nack with it would hit a request of the peer that happens to have the same.
bool RequestWindow::answered(const Scanned& answer, SessionEvents& events) {
    const std::optional<PendingRequest> request = pending_.take(answer.header.sequence);
    if (!request) return false;
    const auto octets = asItsAnswer(answer, request->command);
    const auto own = scannedIfAny(octets);
    const Scanned& said = own ? *own : answer;
    if (const Status fault = faultOf(said, request->command); fault != Status::ok) {
        events.requestLost(request->cookie, Lost::nacked, fault);
    } else {
        events.responseArrived(*said.pdu, request->cookie);
    }
    return true;
}

void RequestWindow::strayArrived(const Scanned& answer, SessionEvents& events) {
    ++strays_;
    const std::optional<PendingRequest> late = late_.take(answer.header.sequence);
    if (!late) return;
    const auto octets = asItsAnswer(answer, late->command);
    const auto own = scannedIfAny(octets);
    const Scanned& said = own ? *own : answer;
    if (faultOf(said, late->command) != Status::ok) return;
    events.answeredLate(*said.pdu, late->cookie);
}

Time RequestWindow::nextDue() const {
    const PendingRequest* oldest = pending_.oldest();
    return oldest ? oldest->deadline : SessionClock::never;
}

void RequestWindow::loseLate(Time now, SessionEvents& events) {
    while (!pending_.empty() && pending_.oldest()->deadline <= now) {
        const PendingRequest late = *pending_.takeOldest();
        remember(late);
        events.requestLost(late.cookie, Lost::timedOut, Status::unknownErr);
    }
}

void RequestWindow::loseAll(SessionEvents& events) {
    while (const std::optional<PendingRequest> lost = pending_.takeOldest()) {
        events.requestLost(lost->cookie, Lost::disconnected, Status::unknownErr);
    }
}

void RequestWindow::remember(const PendingRequest& late) {
    if (late_.size() >= std::min(places_, mostLate)) (void)late_.takeOldest();
    (void)late_.take(late.sequence);
    late_.add(late);
}

}  // namespace smpp
