#include "echo_client/LoadGenerator.h"

#include <algorithm>
#include <csignal>

#include <nio/handlers/SignalHandler.h>

namespace load {

using std::chrono::seconds;

namespace {

// What is under way when the load stops is awaited for so long.
constexpr seconds answerPatience{2};
// Closing takes at most the connections' linger time-out; this is for what cannot happen.
constexpr seconds closePatience{5};

nio::SelectorThreadOptions controlOptions() {
    nio::SelectorThreadOptions options;
    options.name = "control";
    return options;
}

nio::SelectorThreadGroupOptions groupOptions(const LoadOptions& options) {
    nio::SelectorThreadGroupOptions group;
    group.threads = options.dispatchers();
    group.thread.name = "load";
    group.thread.selector.kind = options.selector;
    return group;
}

nio::DrainOptions atOnce() {
    nio::DrainOptions drain;
    drain.deadline = std::chrono::milliseconds::zero();
    return drain;
}

}  // namespace

LoadGenerator::LoadGenerator(const LoadPlan& plan, ProgressLine* progress)
    : plan_(plan),
      progress_(progress),
      control_(controlOptions()),
      group_(groupOptions(plan.options())),
      covered_(group_.size()) {
    LoadWorkerListener& listener = *this;
    for (std::size_t i = 0; i < group_.size(); ++i) {
        workers_.push_back(
            std::make_unique<LoadWorker>(group_[i], plan, listener, i, group_.size()));
    }
}

LoadGenerator::~LoadGenerator() = default;

LoadResult LoadGenerator::run() {
    listenToSignals();
    shownAt_ = nio::Clock::now();
    nio::Timer ticks;
    if (progress_ != nullptr) {
        ticks = timers_.every(seconds(1), control_, [this] {
            nio::onDispatcher.assertCurrent();
            askForProgress();
        });
    }
    group_.start();
    tellWorkers(&LoadWorker::connectNow);
    control_.run();
    ticks.cancel();
    group_.requestClose(atOnce());
    group_.join();
    if (progress_ != nullptr) progress_->clear();

    LoadResult result;
    result.total = std::move(total_);
    result.total.covered = *std::max_element(covered_.begin(), covered_.end());
    result.server = plan_.server().toString();
    result.selector = group_.selectorName();
    result.dispatchers = group_.size();
    result.interrupted = interrupted_;
    return result;
}

void LoadGenerator::listenToSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [this](int) {
        nio::onDispatcher.assertCurrent();
        interrupt();
    });
    (void)control_.registerChannelLater(std::move(signals).orThrow(), nio::Interest::read);
}

// --- from the workers, and to them ----------------------------------------------------------

void LoadGenerator::workerConnected(std::size_t made) {
    tellControl([this, made] {
        nio::onDispatcher.assertCurrent();
        connected(made);
    });
}

void LoadGenerator::workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) {
    tellControl([this, worker, figures = std::move(figures)] {
        nio::onDispatcher.assertCurrent();
        reported(worker, *figures);
    });
}

void LoadGenerator::workerFinished() {
    tellControl([this] {
        nio::onDispatcher.assertCurrent();
        finished();
    });
}

// Either is refused only by a dispatcher that has stopped, when nobody cares any more.
void LoadGenerator::tellControl(nio::Task task) {
    (void)control_.invokeLater(std::move(task));
}

void LoadGenerator::tellWorkers(Order order) {
    for (const auto& worker : workers_) {
        (void)worker->thread().invokeLater([&worker = *worker, order] {
            nio::onDispatcher.assertCurrent();
            (worker.*order)();
        });
    }
}

// --- the phases -----------------------------------------------------------------------------

void LoadGenerator::connected(std::size_t made) {
    connectionsMade_ += made;
    if (++workersConnected_ < workers_.size() || phase_ != Phase::connecting) return;
    connectionsMade_ == 0 ? stop() : warmUp();
}

void LoadGenerator::warmUp() {
    phase_ = Phase::warmingUp;
    loadSince_ = nio::Clock::now();
    tellWorkers(&LoadWorker::sendNow);
    if (plan_.options().warmup.count() == 0) return measure();
    after(plan_.options().warmup, Phase::warmingUp, &LoadGenerator::measure);
}

void LoadGenerator::measure() {
    phase_ = Phase::measuring;
    tellWorkers(&LoadWorker::measureNow);
    after(plan_.options().duration, Phase::measuring, &LoadGenerator::stop);
}

void LoadGenerator::stop() {
    phase_ = Phase::stopping;
    tellWorkers(&LoadWorker::stopNow);
    after(answerPatience, Phase::stopping, &LoadGenerator::giveUp);
}

void LoadGenerator::giveUp() {
    phase_ = Phase::closing;
    tellWorkers(&LoadWorker::giveUpNow);
    after(closePatience, Phase::closing, &LoadGenerator::end);
}

void LoadGenerator::finished() {
    if (++workersFinished_ == workers_.size()) end();
}

void LoadGenerator::end() {
    phase_ = Phase::over;
    control_.requestClose(atOnce());
}

// The first one ends the load, the second one its end.
void LoadGenerator::interrupt() {
    if (std::exchange(interrupted_, true)) return end();
    if (phase_ < Phase::stopping) stop();
}

void LoadGenerator::after(nio::Clock::duration time, Phase phase, void (LoadGenerator::*step)()) {
    timers_.after(time, control_, [this, phase, step] {
        nio::onDispatcher.assertCurrent();
        if (phase_ == phase) (this->*step)();
    });
}

// --- figures --------------------------------------------------------------------------------

void LoadGenerator::reported(std::size_t worker, const LoadFigures& figures) {
    total_.errors.merge(figures.errors);
    total_.connect.merge(figures.connect);
    if (figures.measured) {
        total_.latency.merge(figures.latency);
        covered_[worker] += figures.covered;
    }
    if (progress_ == nullptr) return;
    shown_.merge(figures.latency);
    if (awaitedReports_ > 0 && --awaitedReports_ == 0) showProgress();
}

void LoadGenerator::askForProgress() {
    if (phase_ >= Phase::stopping) return;
    awaitedReports_ = workers_.size();
    tellWorkers(&LoadWorker::reportNow);
}

void LoadGenerator::showProgress() {
    const nio::TimePoint now = nio::Clock::now();
    Progress progress;
    progress.connecting = phase_ == Phase::connecting;
    progress.made = total_.connect.count();
    progress.asked = plan_.options().connections;
    progress.percent = percentDone();
    progress.interval = now - std::max(shownAt_, loadSince_);
    progress.messageBytes = plan_.options().messageBytes;
    progress.latency = std::exchange(shown_, {});
    progress.errors = total_.errors.total();
    progress_->show(progress);
    shownAt_ = now;
}

double LoadGenerator::percentDone() const {
    const nio::Clock::duration all = plan_.options().warmup + plan_.options().duration;
    const auto part = std::chrono::duration<double>(nio::Clock::now() - loadSince_);
    return std::min(100.0, 100 * part / all);
}

}  // namespace load
