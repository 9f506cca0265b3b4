// SmscConnector: what waits for the window or the rate, and what leaves without being sent.
#include "sms_router/flow/FlagGuard.h"
#include "sms_router/smsc/SmscConnector.h"

namespace router {

using smpp::Status;

namespace {

// So often a message goes from one connector to the next, where binds come and go.
constexpr unsigned mostMoves = 8;
// Of what overflows at once, and how soon the rest follows: others on that dispatcher go on.
constexpr std::size_t mostAtOnce = 100;
constexpr std::chrono::milliseconds untilTheRest{10};
// How long nothing overflows where no other connector had room.
constexpr std::chrono::milliseconds untilNextLook{100};
// How exact ConnectorState::queuedSince is.
constexpr std::chrono::milliseconds exactness{10};

}  // namespace

void SmscConnector::senderGoneNow(nio::ChannelHandle link) {
    if (queue_.empty()) return;
    std::vector<Submission> orphans = queue_.takeFrom(link);
    for (Submission& orphan : orphans) refuse(orphan, home_.config().noConnector, "refused");
    countOutstanding();
}

// Sending may end the link in place, and that comes back here.
void SmscConnector::pump() {
    if (pumping_) return;
    pumpAll();
    countOutstanding();
    waitForRate();
}

void SmscConnector::pumpAll() {
    const FlagGuard pumping(pumping_);
    const nio::TimePoint now = nio::Clock::now();
    while (!queue_.empty()) {
        const bool isRefused = couldNotBeStored(queue_.front());
        SmscLink* link = isRefused ? nullptr : takeTurn(queue_.front(), now);
        if (!isRefused && link == nullptr) break;
        Submission next = queue_.pop();
        isRefused ? refuse(next, Status::sysErr, "refused") : sendOn(*link, std::move(next), now);
    }
}

void SmscConnector::waitForRate() {
    if (queue_.empty() || !on_ || binds_.withRoomNow(config().window) == nullptr) return;
    // It is the rate that does not allow it.
    wake_.wakeAt(throttle_.next());
}

void SmscConnector::leaveQueue() {
    std::vector<Submission> leaving = queue_.takeAll();
    updateBoard();
    for (Submission& submission : leaving) moveOrRefuse(submission);
}

void SmscConnector::moveOrRefuse(Submission& submission) {
    const bool mayMove = submission.rerouting.group != 0 && !draining_;
    const auto other = mayMove ? home_.routing().another(submission.rerouting) : std::nullopt;
    if (!other || !move(submission, *other)) {
        refuse(submission, home_.config().noConnector, "refused");
    }
}

bool SmscConnector::move(Submission& submission, std::size_t connector) {
    Egress& other = *home_.topology().connectors[connector];
    if (submission.moves == mostMoves) return false;
    ++submission.moves;
    if (!handOver(other, submission)) return false;
    ++moved_;
    return true;
}

void SmscConnector::lookForOverdue() {
    overdue_.cancel();
    refuseOverdue();
    const nio::Clock::duration untilOverflow = overflow();
    if (queue_.empty()) return;
    const nio::Clock::duration patience = config().queueTime;
    nio::TimePoint next = nio::TimePoint::max();
    if (patience > patience.zero()) next = queue_.oldest() + patience;
    if (untilOverflow > untilOverflow.zero()) {
        next = std::min(next, nio::Clock::now() + untilOverflow);
    }
    if (next < nio::TimePoint::max()) overdue_.wakeAt(next);
}

void SmscConnector::refuseOverdue() {
    const nio::Clock::duration patience = config().queueTime;
    if (patience == patience.zero() || queue_.empty()) return;
    std::vector<Submission> late = queue_.takeOlderThan(nio::Clock::now() - patience);
    for (Submission& each : late) refuse(each, Status::msgQFul, "refused");
    countOutstanding();
}

// Gives how long until the next look; zero: nothing overflows here.
nio::Clock::duration SmscConnector::overflow() {
    const nio::Clock::duration after = home_.routing().overflowAfter(identity_.index);
    if (after == after.zero() || queue_.empty()) return after.zero();
    const nio::TimePoint now = nio::Clock::now();
    const nio::Clock::duration waited = now - queue_.oldest();
    if (waited < after) return after - waited;
    std::vector<std::size_t> others;
    const auto overflows = [&](const Submission& each) {
        const nio::Clock::duration its = now - each.handedOver;
        if (its < after || each.moves == mostMoves) return false;
        const auto other = home_.routing().overflow(each.rerouting, identity_.index, its);
        if (other) others.push_back(*other);
        return other.has_value();
    };
    std::vector<Submission> leaving = queue_.takeSome(mostAtOnce, overflows);
    countOutstanding();
    for (std::size_t i = 0; i < leaving.size(); ++i) {
        if (!move(leaving[i], others[i])) refuse(leaving[i], Status::msgQFul, "refused");
    }
    return leaving.size() < mostAtOnce ? untilNextLook : untilTheRest;
}

void SmscConnector::countOutstanding() {
    board_.outstanding.store(unansweredNow(), std::memory_order_relaxed);
    board_.queued.store(queue_.size(), std::memory_order_relaxed);
    if (queue_.empty()) return;
    const nio::TimePoint now = nio::Clock::now();
    if (now < nextSince_) return;
    nextSince_ = now + exactness;
    board_.queuedSince.store(queue_.oldest(), std::memory_order_relaxed);
}

}  // namespace router
