#include "sms_router/egress/WaitingRequests.h"

#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"

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

void WaitingRequests::pushNow(Submission&& submission) {
    std::optional<Submission> noPlace = queue_.push(std::move(submission), most_);
    if (noPlace) outcomes_.refuseNow(*noPlace, Status::msgQFul, "refused");
}

void WaitingRequests::senderGoneNow(nio::ChannelHandle link) {
    if (queue_.empty()) return;
    std::vector<Submission> orphans = queue_.takeFrom(link);
    for (Submission& orphan : orphans) {
        outcomes_.refuseNow(orphan, home_.config().router.noConnector, "refused");
    }
}

void WaitingRequests::leaveNow(ConnectorState& board) {
    std::vector<Submission> leaving = queue_.takeAll();
    putOn(board);
    for (Submission& submission : leaving) moveOrRefuseNow(submission);
}

void WaitingRequests::moveOrRefuseNow(Submission& submission) {
    const bool mayMove = submission.rerouting.group != 0 && !home_.isDraining();
    const auto other = mayMove ? home_.routing().another(submission.rerouting) : std::nullopt;
    if (!other || !move(submission, *other)) {
        outcomes_.refuseNow(submission, home_.config().router.noConnector, "refused");
    }
}

bool WaitingRequests::move(Submission& submission, std::size_t connector) {
    Egress& other = *home_.topology().connectors[connector];
    if (submission.moves == mostMoves) return false;
    ++submission.moves;
    if (!handOver<&Egress::submitNow>(other, submission)) return false;
    ++moved_;
    return true;
}

std::optional<nio::TimePoint> WaitingRequests::lookForOverdueNow() {
    refuseOverdue();
    const nio::Clock::duration untilOverflow = overflow();
    if (queue_.empty()) return std::nullopt;
    nio::TimePoint next = nio::TimePoint::max();
    if (patience_ > patience_.zero()) next = queue_.oldest() + patience_;
    if (untilOverflow > untilOverflow.zero()) {
        next = std::min(next, Moment::now() + untilOverflow);
    }
    return next < nio::TimePoint::max() ? std::optional(next) : std::nullopt;
}

void WaitingRequests::refuseOverdue() {
    if (patience_ == patience_.zero() || queue_.empty()) return;
    std::vector<Submission> late = queue_.takeOlderThan(Moment::now() - patience_);
    for (Submission& each : late) outcomes_.refuseNow(each, Status::msgQFul, "refused");
}

// Gives how long until the next look; zero: nothing overflows here.
nio::Clock::duration WaitingRequests::overflow() {
    const nio::Clock::duration after = home_.routing().overflowAfter(connector_);
    if (after == after.zero() || queue_.empty()) return after.zero();
    const nio::TimePoint now = Moment::now();
    const nio::Clock::duration waited = now - queue_.oldest();
    if (waited < after) return after - waited;
    std::vector<std::size_t> others;
    const auto overflows = [&](const Submission& each) {
        const nio::Clock::duration its = now - each.handedOver;
        if (its < after || each.moves == mostMoves) return false;
        const auto other = home_.routing().overflow(each.rerouting, connector_, its);
        if (other) others.push_back(*other);
        return other.has_value();
    };
    std::vector<Submission> leaving = queue_.takeSome(mostAtOnce, overflows);
    for (std::size_t i = 0; i < leaving.size(); ++i) {
        if (!move(leaving[i], others[i])) {
            outcomes_.refuseNow(leaving[i], Status::msgQFul, "refused");
        }
    }
    return leaving.size() < mostAtOnce ? untilNextLook : untilTheRest;
}

void WaitingRequests::putOn(ConnectorState& board) {
    board.queued.store(queue_.size(), std::memory_order_relaxed);
    if (queue_.empty()) return;
    const nio::TimePoint now = Moment::now();
    if (now < nextSince_) return;
    nextSince_ = now + exactness;
    board.queuedSince.store(queue_.oldest(), std::memory_order_relaxed);
}

}  // namespace router
