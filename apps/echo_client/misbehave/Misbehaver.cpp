#include "echo_client/misbehave/Misbehaver.h"

#include <csignal>

#include <nio/net/SignalHandler.h>

#include "common/Printable.h"

namespace load {

using std::chrono::seconds;

namespace {

// For what cannot happen: a dispatcher that does not come to it.
constexpr seconds closePatience{5};

nio::SelectorThreadOptions controlOptions() {
    nio::SelectorThreadOptions options;
    options.name = "control";
    return options;
}

nio::SelectorThreadGroupOptions groupOptions(const LoadOptions& options) {
    nio::SelectorThreadGroupOptions group;
    group.threads = options.dispatchers();
    group.thread.name = "misbehave";
    group.thread.selector.kind = options.selector;
    return group;
}

}  // namespace

Misbehaver::Misbehaver(const LoadOptions& options, const nio::SocketAddress& server,
                       MisbehaviourProgress progress)
    : plan_(options, server),
      progress_(std::move(progress)),
      control_(controlOptions()),
      group_(groupOptions(options)) {
    MisbehaviourWorkerListener& listener = *this;
    for (std::size_t i = 0; i < group_.size(); ++i) {
        workers_.push_back(
            std::make_unique<MisbehaviourWorker>(group_[i], plan_, listener, i, group_.size()));
    }
}

Misbehaver::~Misbehaver() = default;

MisbehaviourResult Misbehaver::run(std::function<void()> connected) {
    connected_ = std::move(connected);
    listenToSignals();
    nio::Timer ticks;
    if (progress_) {
        ticks = timers_.every(seconds(1), control_, [this] {
            nio::onDispatcher.assertCurrent();
            askForProgress();
        });
    }
    begun_ = nio::Clock::now();
    group_.start();
    if (plan_.kind() == Misbehaviour::rstStorm) tellConnected();
    tellWorkers(&MisbehaviourWorker::startNow);
    after(plan_.options().duration, Phase::running, &Misbehaver::stop);
    control_.run();
    ticks.cancel();
    group_.requestClose(nio::DrainOptions::atOnce());
    group_.join();
    workers_.clear();
    return result();
}

void Misbehaver::requestStop() {
    tellControl([this] {
        nio::onDispatcher.assertCurrent();
        if (phase_ == Phase::running) stop();
    });
}

MisbehaviourResult Misbehaver::result() const {
    MisbehaviourResult result;
    result.total = total_;
    result.took = ended_ - begun_;
    result.interrupted = interrupted_;
    result.dispatchers = group_.size();
    result.server = apps::printable(plan_.server().toString());
    result.selector = group_.selectorName();
    return result;
}

void Misbehaver::listenToSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [this](int) {
        nio::onDispatcher.assertCurrent();
        interrupt();
    });
    (void)control_.registerChannelLater(std::move(signals).orThrow(), nio::Interest::read);
}

// --- from the workers, and to them ----------------------------------------------------------

void Misbehaver::workerReported(std::unique_ptr<MisbehaviourFigures> figures) {
    tellControl([this, figures = std::move(figures)] {
        nio::onDispatcher.assertCurrent();
        reported(*figures);
    });
}

void Misbehaver::workerConnected() {
    tellControl([this] {
        nio::onDispatcher.assertCurrent();
        connected();
    });
}

void Misbehaver::workerFinished() {
    tellControl([this] {
        nio::onDispatcher.assertCurrent();
        finished();
    });
}

// Either is refused only by a dispatcher that has stopped, when nobody cares any more.
void Misbehaver::tellControl(nio::Task task) {
    (void)control_.invokeLater(std::move(task));
}

void Misbehaver::tellWorkers(Order order) {
    for (const auto& worker : workers_) {
        (void)worker->thread().invokeLater([&worker = *worker, order] {
            nio::onDispatcher.assertCurrent();
            (worker.*order)();
        });
    }
}

// --- the phases -----------------------------------------------------------------------------

void Misbehaver::stop() {
    phase_ = Phase::stopping;
    tellWorkers(&MisbehaviourWorker::stopNow);
    // Who waits for an answer, or for the server's FIN, must have found out before.
    after(plan_.options().answerTimeout + 2 * plan_.stream()->lingerTimeout, Phase::stopping,
          &Misbehaver::giveUp);
}

void Misbehaver::giveUp() {
    phase_ = Phase::closing;
    tellWorkers(&MisbehaviourWorker::giveUpNow);
    after(closePatience, Phase::closing, &Misbehaver::end);
}

void Misbehaver::connected() {
    if (++workersConnected_ == workers_.size()) tellConnected();
}

void Misbehaver::tellConnected() {
    if (const auto tell = std::exchange(connected_, {})) tell();
}

void Misbehaver::finished() {
    if (++workersFinished_ == workers_.size()) end();
}

void Misbehaver::end() {
    if (phase_ == Phase::over) return;
    phase_ = Phase::over;
    tellConnected();
    ended_ = nio::Clock::now();
    control_.requestClose(nio::DrainOptions::atOnce());
}

void Misbehaver::interrupt() {
    if (phase_ == Phase::stopping) return giveUp();
    if (phase_ != Phase::running) return;
    interrupted_ = true;
    stop();
}

void Misbehaver::after(nio::Clock::duration time, Phase phase, void (Misbehaver::*step)()) {
    timers_.after(time, control_, [this, phase, step] {
        nio::onDispatcher.assertCurrent();
        if (phase_ == phase) (this->*step)();
    });
}

// --- figures --------------------------------------------------------------------------------

void Misbehaver::reported(const MisbehaviourFigures& figures) {
    total_.merge(figures);
    if (awaitedReports_ > 0 && --awaitedReports_ == 0) progress_(total_);
}

void Misbehaver::askForProgress() {
    if (phase_ != Phase::running || awaitedReports_ > 0) return;
    awaitedReports_ = workers_.size();
    tellWorkers(&MisbehaviourWorker::reportNow);
}

}  // namespace load
