#include "echo_client/load/LocalWorker.h"

#include <algorithm>

#include <nio/sys/Kernel.h>

#include "echo_client/load/PacketConnection.h"
#include "echo_client/load/RawConnection.h"

namespace load {

using nio::TimePoint;

namespace {

constexpr std::chrono::microseconds retryPauseEach{100};
// A dispatcher that wakes up later than this was delayed.
constexpr std::chrono::milliseconds noticeableDelay{1};

// A dispatcher that makes no turn for longer stood still. What matters is whether answers that wait
// to be read would time out. Delays below the lower bound are the scheduler's, on any machine. Both
// the pulse and expireOld(), four times within a timeout, make a turn more often than this.
nio::Clock::duration longestGapOf(const LoadOptions& options) {
    return std::clamp<nio::Clock::duration>(options.answerTimeout / 2, std::chrono::milliseconds(5),
                                            std::chrono::milliseconds(1000));
}

std::unique_ptr<nio::StreamHandler> handlerFor(nio::SocketChannel channel, LoadSlot& slot,
                                               const LoadPlan& plan) {
    if (plan.options().framing == apps::Framing::raw && !plan.tls()) {
        return std::make_unique<RawConnection>(std::move(channel), slot, plan.stream());
    }
    return PacketConnection::make(std::move(channel), slot, plan);
}

}  // namespace

LocalWorker::LocalWorker(nio::SelectorThread& thread, const LoadPlan& plan,
                         LoadWorkerListener& listener, std::size_t index, Share share)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      index_(index),
      share_(share),
      dialer_(thread, plan, *this, share),
      payload_(plan.options().framing, plan.options().size, plan.options().seed,
               plan.options().dialogue ? &*plan.options().dialogue : nullptr,
               plan.options().isOneWay),
      tally_(plan.options().isOpenLoop(), plan.options().answerTimeout),
      alarm_(thread.deadlines(),
             [this] {
                 nio::onDispatcher.assertCurrent();
                 wakeDue();
             }),
      expiry_(thread.deadlines(),
              [this] {
                  nio::onDispatcher.assertCurrent();
                  expireOld();
              }),
      heart_(thread.deadlines(),
             [this] {
                 nio::onDispatcher.assertCurrent();
                 beat();
             }),
      longestGap_(longestGapOf(plan.options())) {
    const std::size_t count = share.of(plan.options().connections);
    for (std::size_t i = 0; i < count; ++i) {
        slots_.push_back(std::make_unique<LoadSlot>(*this, share.at(i)));
    }
}

LocalWorker::~LocalWorker() = default;

// --- posted orders --------------------------------------------------------------------------

// Refused only by a dispatcher that has stopped, when nobody cares any more.
void LocalWorker::post(void (LocalWorker::*step)()) {
    (void)thread_.invokeLater([this, step] {
        nio::onDispatcher.assertCurrent();
        (this->*step)();
    });
}

void LocalWorker::connect() {
    post(&LocalWorker::connectNow);
}

void LocalWorker::send(const LoadSchedule& schedule) {
    (void)thread_.invokeLater([this, schedule] {
        nio::onDispatcher.assertCurrent();
        sendNow(schedule);
    });
}

void LocalWorker::report() {
    (void)thread_.invokeLater([this] {
        nio::onDispatcher.assertCurrent();
        if (!finished_) reportNow();
    });
}

void LocalWorker::stop() {
    post(&LocalWorker::stopNow);
}

void LocalWorker::giveUp() {
    post(&LocalWorker::giveUpNow);
}

// --- the phases -----------------------------------------------------------------------------

void LocalWorker::connectNow() {
    if (phase_ != Phase::connecting) return;
    if (plan_.options().isOpenLoop()) nio::kernel::makeWaitsPrecise();
    figuresSince_ = nio::Clock::now();
    cpuBefore_ = nio::kernel::threadCpuTime();
    dialer_.startNow();
}

void LocalWorker::sendNow(const LoadSchedule& schedule) {
    if (phase_ != Phase::idle) return;
    phase_ = Phase::sending;
    tally_.measure(schedule.from, schedule.to);
    begin_ = schedule.begin;
    connectedUntil_ = begin_;
    end_ = schedule.to;
    for (const auto& slot : slots_) {
        nio::onDispatcher.assertCurrent();
        slot->begin(schedule.begin);
        if (!slot->isConnected()) redial(slot->number(), Duration::zero());
    }
    awakeAt_ = nio::Clock::now();
    suspended_ = nio::kernel::suspendedTime();
    beat();
    expireOld();
    finishIfEmpty();
}

void LocalWorker::stopNow() {
    if (phase_ >= Phase::stopping) return;
    phase_ = Phase::stopping;
    dialer_.stopNow();
    const TimePoint now = nio::Clock::now();
    end_ = std::min(end_, now);
    tally_.measure(tally_.from(), std::min(tally_.to(), now));
    for (const auto& slot : slots_) {
        nio::onDispatcher.assertCurrent();
        slot->finishWhenAnswered();
    }
    finishIfEmpty();
}

void LocalWorker::giveUpNow() {
    if (phase_ == Phase::closing) return;
    phase_ = Phase::closing;
    for (const auto& slot : slots_) {
        nio::onDispatcher.assertCurrent();
        slot->giveUp();
    }
}

void LocalWorker::finishIfEmpty() {
    if (connected_ > 0 || finished_ || phase_ < Phase::sending) return;
    if (renews() && spent_ < slots_.size()) return;
    finished_ = true;
    alarm_.cancel();
    expiry_.cancel();
    heart_.cancel();
    wakes_.clear();
    for (const auto& slot : slots_) {
        nio::onDispatcher.assertCurrent();
        slot->countUnsent();
    }
    reportNow();
    listener_.workerFinished(index_);
}

// --- connections ----------------------------------------------------------------------------

void LocalWorker::dialed(std::size_t connection, nio::SocketChannel channel,
                         nio::Clock::duration took) {
    ++connected_;
    std::unique_ptr<nio::StreamHandler> handler =
        handlerFor(std::move(channel), slotOf(connection), plan_);
    if (plan_.options().connectOnly) slotOf(connection).dialed(nio::Clock::now() - took);
    const auto registered = thread_.registerChannelNow(std::move(handler), nio::Interest::read);
    if (!registered) {
        --connected_;
        return dialFailed(connection, registered.error());
    }
    if (phase_ == Phase::connecting) ++made_;
    tally_.figures().connect.record(took);
}

void LocalWorker::dialFailed(std::size_t connection, const nio::Error& error) {
    if (slotOf(connection).connectFailed(nio::Clock::now())) {
        tally_.errors().connectFailed(error);
    } else {
        ++tally_.figures().reconnectsFailed;
    }
    redial(connection, retryPause());
}

// Before the load begins a connection that is lost stays so: the begin dials for all of them. From
// then on each is either open or with the dialer.
void LocalWorker::redial(std::size_t connection, Duration pause) {
    if (renews() && !slotOf(connection).isSpent()) dialer_.dialAgainNow(connection, pause);
}

bool LocalWorker::renews() const {
    return phase_ == Phase::sending && plan_.options().renewsConnections();
}

Duration LocalWorker::retryPause() const {
    return std::max<Duration>(shortestRetryPause, retryPauseEach * slots_.size());
}

void LocalWorker::dialingOver() {
    if (phase_ != Phase::connecting) return;
    phase_ = Phase::idle;
    reportNow();
    listener_.workerConnected(index_, made_);
}

// A server that closes what it accepts would otherwise be dialled without a pause.
void LocalWorker::slotClosed(LoadSlot& slot) {
    --connected_;
    connectedUntil_ = std::max(connectedUntil_, nio::Clock::now());
    redial(slot.number(), slot.isLostInVain() ? retryPause() : Duration::zero());
    finishIfEmpty();
}

// A number of messages is no end in time: without a server there would be none. An open loop ends
// at the latest when the answer to its last message would have timed out.
bool LocalWorker::isHopeless(TimePoint now) const {
    const LoadOptions& options = plan_.options();
    if (options.messages == 0 || connected_ > 0 || phase_ != Phase::sending) return false;
    if (!options.rate) {
        return now >= connectedUntil_ + options.connectTimeout + dialer_.pace();
    }
    constexpr double longest = 1e9;
    const double last = options.rate->timeOf(static_cast<double>(options.messages));
    const std::chrono::duration<double> planned(std::min(last, longest));
    return now >= begin_ + std::chrono::duration_cast<Duration>(planned) + options.answerTimeout;
}

// --- time -----------------------------------------------------------------------------------

void LocalWorker::wakeAt(TimePoint when, LoadSlot& slot) {
    wakes_.add(when, slot);
    if (when < alarmAt_ && !inWakeUp_) setAlarm(nio::Clock::now());
}

// An alarm that is overdue may not have come to its turn yet.
bool LocalWorker::wasAway(TimePoint due, TimePoint now) const {
    const bool isLate = alarmAt_ < now && now - alarmAt_ > noticeableDelay;
    return (isLate && due >= alarmAt_) || (due >= awayFrom_ && due < awayTo_);
}

// What becomes due meanwhile waits for the next turn, so that answers are read in between.
void LocalWorker::wakeDue() {
    const TimePoint limit = nio::Clock::now();
    if (limit - alarmAt_ > noticeableDelay) {
        awayFrom_ = alarmAt_;
        awayTo_ = limit;
    }
    alarmAt_ = TimePoint::max();
    inWakeUp_ = true;
    while (const auto due = wakes_.takeDue(limit)) due->slot->wake(due->when, nio::Clock::now());
    inWakeUp_ = false;
    setAlarm(nio::Clock::now());
}

// A sleep ends late: with --busy-poll, the dispatcher polls the clock before a message is due.
void LocalWorker::setAlarm(TimePoint now) {
    const TimePoint next = wakes_.earliest();
    alarmAt_ = next;
    if (next == TimePoint::max()) return alarm_.cancel();
    const Duration spin = plan_.options().isOpenLoop() ? plan_.options().spin : Duration::zero();
    const bool polls = spin.count() > 0 && next - now <= spin;
    alarm_.wakeAt(polls ? now : next - spin);
}

void LocalWorker::beat() {
    const TimePoint now = nio::Clock::now();
    isAwake(now);
    noteSuspension(now);
    heart_.wakeAfter(pulse);
    if (isHopeless(now)) stopNow();
}

void LocalWorker::stoodStill(TimePoint now) {
    tally_.stoodStill(awakeAt_, now);
}

// The clock stood still as well, that of the server's machine did not.
void LocalWorker::noteSuspension(TimePoint now) {
    const Duration suspended = nio::kernel::suspendedTime();
    const Duration last = suspended - std::exchange(suspended_, suspended);
    if (last > longestGap_) tally_.stoodStill(now - last, now);
}

void LocalWorker::expireOld() {
    const TimePoint now = nio::Clock::now();
    isAwake(now);
    // Before the load begins, nothing can expire, and no slot may send.
    for (std::size_t i = 0; i < slots_.size() && now >= begin_; ++i) {
        nio::onDispatcher.assertCurrent();
        slots_[i]->expire(now);
    }
    expiry_.wakeAfter(
        std::max<Duration>(plan_.options().answerTimeout / 4, std::chrono::milliseconds(1)));
}

// --- figures --------------------------------------------------------------------------------

void LocalWorker::reportNow() {
    const TimePoint now = nio::Clock::now();
    const Duration cpu = nio::kernel::threadCpuTime();
    LoadFigures& figures = tally_.figures();
    const auto isDown = [](const auto& slot) { return slot->isDown(); };
    figures.down = static_cast<std::uint64_t>(std::count_if(slots_.begin(), slots_.end(), isDown));
    figures.covered = now - std::exchange(figuresSince_, now);
    figures.busy = std::max(cpu - std::exchange(cpuBefore_, cpu), Duration::zero());
    listener_.workerReported(index_, tally_.handOver());
}

}  // namespace load
