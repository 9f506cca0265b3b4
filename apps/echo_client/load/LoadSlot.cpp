#include "echo_client/load/LoadSlot.h"

#include <algorithm>
#include <limits>

#include "echo_client/load/LocalWorker.h"

namespace load {

using nio::TimePoint;

namespace {

// Other numbers than those that sizes and bytes are drawn from.
constexpr std::uint64_t arrivalsSeed = 0xa5a5'0000'5a5a'0001;
constexpr std::uint64_t closingSeed = 0x0f0f'1111'f0f0'0002;

std::uint64_t shareOf(const LoadOptions& options, std::size_t number) {
    if (options.messages == 0) return std::numeric_limits<std::uint64_t>::max();
    return options.messages / options.connections +
           (number < options.messages % options.connections ? 1 : 0);
}

}  // namespace

LoadSlot::LoadSlot(LocalWorker& worker, std::size_t number)
    : worker_(worker),
      number_(number),
      random_(plan().options().seed ^ closingSeed, number),
      left_(shareOf(plan().options(), number)) {}

LoadSlot::~LoadSlot() = default;

const LoadPlan& LoadSlot::plan() const {
    return worker_.plan();
}

// --- what the worker asks for ---------------------------------------------------------------

void LoadSlot::begin(TimePoint begin) {
    const LoadOptions& options = plan().options();
    if (options.rate) {
        sendPlan_.emplace(*options.rate, options.arrivals, number_, options.connections, begin,
                          Random(options.seed ^ arrivalsSeed, number_));
    }
    if (!options.connectOnly) bornAt_ = begin;
    wokenAt_ = begin;
    worker_.wakeAt(begin, *this);
    wakeAtEndOfLife();
}

void LoadSlot::wake(TimePoint asked, TimePoint now) {
    if (asked != wokenAt_ && asked != endOfLife()) return;
    if (asked == wokenAt_) wokenAt_ = TimePoint::max();
    settle(now);
}

TimePoint LoadSlot::endOfLife() const {
    const Duration life = plan().options().lifetime.time;
    return life.count() > 0 ? bornAt_ + life : TimePoint::max();
}

// Once for each connection: nobody takes a wake-up back.
void LoadSlot::wakeAtEndOfLife() {
    if (state_ == State::open && endOfLife() < worker_.end()) worker_.wakeAt(endOfLife(), *this);
}

void LoadSlot::expire(TimePoint now) {
    if (exchange_ == nullptr) return;
    const std::size_t before = exchange_->outstanding();
    exchange_->expire(worker_.tally().overdueBefore(now));
    if (state_ == State::open && lacksItsStart(now)) return giveUpStart();
    madeRoom(before, now);
    settle(now);
}

// No handshake (connect-only) or no first answer within the timeout: it never will send. It counts
// as one of --messages, else a dead server would be no end.
bool LoadSlot::lacksItsStart(TimePoint now) {
    if (exchange_->isGreeting()) return exchange_->outstanding() == 0;
    return plan().options().connectOnly && messages_ == 0 &&
           bornAt_ < worker_.tally().overdueBefore(now);
}

void LoadSlot::giveUpStart() {
    if (!exchange_->isGreeting()) ++worker_.tally().errors().timedOut;
    if (left_ > 0 && --left_ == 0) worker_.slotSpent();
    finish(CloseWay::reset);
}

void LoadSlot::finishWhenAnswered() {
    settle(nio::Clock::now());
}

// With FIN, a server that is slow to take what waits would be waited for, and with it the worker's
// last report.
void LoadSlot::giveUp() {
    if (connection_ == nullptr) return;
    nio::StreamHandler& stream = connection_->stream();
    const bool waits = exchange_->outstanding() > 0 || stream.pendingBytes() > 0 ||
                       stream.channel().undeliveredBytes() > 0;
    if (waits) return finish(CloseWay::reset);
    if (state_ != State::finished) finish(CloseWay::clean);
}

void LoadSlot::countUnsent() {
    const bool hasBegun = worker_.begin() != TimePoint();
    if (isDown() && hasBegun) recordOutage(std::min(nio::Clock::now(), worker_.end()), 1, 0);
    if (!sendPlan_) return;
    Tally& tally = worker_.tally();
    const std::uint64_t planned =
        sendPlan_->plannedWithin(tally.from(), std::min(tally.to(), worker_.end()));
    tally.unsent(std::min(planned, left_));
}

// --- sending --------------------------------------------------------------------------------

TimePoint LoadSlot::nextDue(TimePoint now) const {
    if (sendPlan_) return sendPlan_->next();
    const bool someoneIsFree =
        exchange_->outstanding() + thinking_.size() < plan().options().pipeline;
    return someoneIsFree ? now : thinking_.front();
}

bool LoadSlot::hasMoreToSend(TimePoint now) const {
    if (isSpent() || !worker_.isLoading() || now < worker_.begin()) return false;
    return sendPlan_ ? sendPlan_->next() < worker_.end() : now < worker_.end();
}

bool LoadSlot::maySend(TimePoint now) const {
    return state_ == State::open && hasMoreToSend(now) && !isLifeOver(now) &&
           exchange_->outstanding() < plan().options().pipeline && !exchange_->isGreeting() &&
           !isClogged();
}

// The server does not read: what is sent in vain would only pile up here.
bool LoadSlot::isClogged() const {
    return connection_->stream().pendingBytes() > plan().unsentLimit();
}

void LoadSlot::sendWhatIsDue(TimePoint now) {
    if (!isClogged() && lastWindow_ == TimePoint::max()) lastWindow_ = now;
    while (maySend(now)) {
        const TimePoint due = nextDue(now);
        if (due > now) return;
        send(due, now);
    }
    if (isClogged()) lastWindow_ = TimePoint::max();
}

void LoadSlot::send(TimePoint due, TimePoint now) {
    if (sendPlan_) {
        countLateness(due, now);
        sendPlan_->advance();
    } else if (!thinking_.empty() && thinking_.front() <= now) {
        thinking_.pop_front();
    }
    connection_->send(exchange_->ask(due, now));
    worker_.tally().sent();
    ++messages_;
    if (--left_ == 0) worker_.slotSpent();
}

// What fell due before this connection was opened waited for it, whatever else there was.
void LoadSlot::countLateness(TimePoint due, TimePoint now) {
    Tally& tally = worker_.tally();
    if (due < bornAt_) {
        tally.offline(due);
        if (due >= downSince_) recordOutage(bornAt_, 0, 1);
    } else if (lastWindow_ > due && !worker_.wasAway(due, now)) {
        tally.held(due);
    } else {
        tally.late(due, now - due);
    }
}

void LoadSlot::askToBeWoken(TimePoint now) {
    if (!maySend(now)) return;
    const TimePoint when = nextDue(now);
    if (when >= wokenAt_ || when >= worker_.end()) return;
    wokenAt_ = when;
    worker_.wakeAt(when, *this);
}

// --- the life of a connection ---------------------------------------------------------------

void LoadSlot::opened(LoadConnection& connection) {
    const TimePoint now = nio::Clock::now();
    if (isDown() && worker_.isLoading()) recordOutage(now, 1, 0);
    connection_ = &connection;
    state_ = State::open;
    exchange_ = worker_.payload().newExchange(number_, incarnation_++, worker_.tally());
    thinking_.clear();
    messages_ = 0;
    if (!plan().options().connectOnly) bornAt_ = now;
    lastWindow_ = now;
    closeWay_ = CloseWay::clean;
    brokenOff_ = false;
    counted_ = false;
    if (const nio::ByteView greeting = exchange_->greet(now); !greeting.empty()) {
        connection.send(greeting);
    }
    if (worker_.isLoading()) wakeAtEndOfLife();
    if (plan().options().connectOnly && !plan().tls()) return established(now);
    if (now >= worker_.begin()) settle(now);
}

void LoadSlot::secured(Duration took, bool isResumed) {
    if (state_ == State::finished) return;
    LoadFigures& figures = worker_.tally().figures();
    figures.handshake.record(took);
    figures.resumed += isResumed;
    if (plan().options().connectOnly) established(nio::Clock::now());
}

// The connection is the message. Those that are made before the load begins end when it does.
void LoadSlot::established(TimePoint now) {
    ++messages_;
    if (!worker_.isLoading() || now < worker_.begin()) return;
    worker_.tally().sent();
    worker_.tally().answered(bornAt_, bornAt_, now, 0);
    if (--left_ == 0) worker_.slotSpent();
    settle(now);
}

bool LoadSlot::isLifeOver(TimePoint now) const {
    const Lifetime& lifetime = plan().options().lifetime;
    return (lifetime.messages > 0 && messages_ >= lifetime.messages) ||
           (worker_.isLoading() && now >= endOfLife());
}

void LoadSlot::endIfLifeIsOver(TimePoint now) {
    if (state_ != State::open || !isLifeOver(now)) return;
    state_ = State::ending;
    closeWay_ = plan().options().closing.draw(random_);
    if (closeWay_ == CloseWay::half) connection_->stream().shutdownWrite();
}

void LoadSlot::settle(TimePoint now) {
    if (connection_ == nullptr || state_ == State::finished) return;
    sendWhatIsDue(now);
    endIfLifeIsOver(now);
    if (exchange_->outstanding() == 0) {
        if (state_ == State::ending) return finish(closeWay_);
        const bool isOver = isSpent() || (worker_.isStopping() && !hasMoreToSend(now));
        if (isOver) return finish(CloseWay::clean);
    }
    askToBeWoken(now);
}

void LoadSlot::finish(CloseWay way) {
    state_ = State::finished;
    closeWay_ = way;
    nio::StreamHandler& stream = connection_->stream();
    way == CloseWay::reset ? stream.abort() : stream.closeAfterFlush();
}

// --- what the connection tells --------------------------------------------------------------

void LoadSlot::bytesArrived(nio::ByteView bytes) {
    if (state_ == State::finished) return;
    const TimePoint now = nio::Clock::now();
    worker_.isAwake(now);
    if (plan().options().connectOnly) return;
    if (exchange_->isGreeting()) return greetingArrived(bytes, now);
    const std::size_t before = exchange_->outstanding();
    answered(exchange_->answer(bytes, now), before, now);
}

// What fell due before waited for the connection; a greeting has no users who think behind it.
void LoadSlot::greetingArrived(nio::ByteView bytes, TimePoint now) {
    const bool isIntelligible = exchange_->answer(bytes, now);
    if (!exchange_->isGreeting()) {
        bornAt_ = now;
        lastWindow_ = now;
        if (worker_.isLoading()) wakeAtEndOfLife();
    }
    answered(isIntelligible, exchange_->outstanding(), now);
}

void LoadSlot::packetArrived(nio::ByteView packet) {
    if (state_ == State::finished) return;
    const TimePoint now = nio::Clock::now();
    worker_.isAwake(now);
    const std::size_t before = exchange_->outstanding();
    answered(exchange_->answerPacket(packet, now), before, now);
}

void LoadSlot::answered(bool intelligible, std::size_t before, TimePoint now) {
    if (!intelligible) {
        counted_ = true;
        brokenOff_ = true;
        return connection_->stream().abort();
    }
    if (exchange_->outstanding() < before) lostInVain_ = 0;
    madeRoom(before, now);
    settle(now);
}

void LoadSlot::madeRoom(std::size_t before, TimePoint now) {
    const LoadOptions& options = plan().options();
    if (exchange_->outstanding() == before) return;
    if (before >= options.pipeline) lastWindow_ = now;
    if (options.think.count() == 0) return;
    for (std::size_t i = exchange_->outstanding(); i < before; ++i) {
        thinking_.push_back(now + options.think);
    }
}

void LoadSlot::flushed() {
    const bool wasClogged = lastWindow_ == TimePoint::max();
    if (!wasClogged && !plan().options().isOneWay) return;
    const TimePoint now = nio::Clock::now();
    worker_.isAwake(now);
    const std::size_t before = exchange_->outstanding();
    exchange_->taken(now);
    if (exchange_->outstanding() < before) lostInVain_ = 0;
    madeRoom(before, now);
    settle(now);
}

void LoadSlot::serverFinished() {
    if (state_ != State::finished && !counted_) {
        counted_ = true;
        ++worker_.tally().errors().closedEarly;
    }
    if (state_ == State::open) state_ = State::ending;
    connection_->stream().closeAfterFlush();
}

void LoadSlot::closed(const std::optional<nio::Error>& reason) {
    const bool asWeWished = state_ == State::finished;
    const bool resetByUs = asWeWished && closeWay_ == CloseWay::reset;
    if (reason && !counted_ && !resetByUs) worker_.tally().errors().ended(*reason);
    const TimePoint now = nio::Clock::now();
    const bool isLost = !asWeWished && !brokenOff_ && worker_.renews();
    downSince_ = isLost ? now : TimePoint::max();
    if (!asWeWished) ++lostInVain_;
    lostInFlight_ = exchange_->outstanding();
    exchange_->end(!asWeWished);
    exchange_.reset();
    connection_ = nullptr;
    state_ = State::disconnected;
    worker_.slotClosed(*this);
}

// --- outages --------------------------------------------------------------------------------

bool LoadSlot::isDown() const {
    return connection_ == nullptr && downSince_ != TimePoint::max();
}

bool LoadSlot::connectFailed(TimePoint now) {
    if (isDown()) return false;
    if (!plan().options().renewsConnections()) return true;
    downSince_ = now;
    lostInFlight_ = 0;
    return true;
}

// One that the first attempt to reconnect ends is only a lost connection.
void LoadSlot::recordOutage(TimePoint to, std::uint64_t connections, std::uint64_t late) {
    if (to - downSince_ < LocalWorker::shortestRetryPause) return;
    const auto sinceBegin = [this](TimePoint when) {
        return std::max(when - worker_.begin(), Duration::zero());
    };
    const std::uint64_t lost = connections * lostInFlight_;
    worker_.tally().figures().outages.add(
        {sinceBegin(downSince_), sinceBegin(std::max(to, downSince_)), connections, lost, late});
}

}  // namespace load
