// A load from its first connect to its last FIN: the workers and the phases that they go through.
//
// connecting -> warming up -> measuring -> stopping (what is under way is awaited) -> closing. What
// leaves nothing to do ends it early: no connection was made, or none is left; interrupt().
//
// Thread: constructed and run() by one thread, which becomes the dispatcher that all phases are
// decided on; the workers' reports come to it as tasks.
// Errors: the constructor and run() throw std::system_error. SIGINT and SIGTERM must be blocked
// (SignalHandler::block).
#pragma once

#include <nio/dispatch/SelectorThreadGroup.h>
#include <nio/dispatch/Timers.h>

#include "echo_client/LoadReport.h"
#include "echo_client/LoadWorker.h"
#include "echo_client/ProgressLine.h"

namespace load {

class LoadGenerator final : private LoadWorkerListener {
  public:
    // `progress` may be null. Both live longer.
    LoadGenerator(const LoadPlan& plan, ProgressLine* progress);
    ~LoadGenerator() override;

    // Once. Returns when all connections are closed.
    LoadResult run();

  private:
    enum class Phase { connecting, warmingUp, measuring, stopping, closing, over };
    using Order = void (LoadWorker::*)();

    // On the workers' dispatchers.
    void workerConnected(std::size_t made) override;
    void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) override;
    void workerFinished() override;

    // On our own.
    void connected(std::size_t made) NIO_REQUIRES(nio::onDispatcher);
    void reported(std::size_t worker, const LoadFigures& figures) NIO_REQUIRES(nio::onDispatcher);
    void finished() NIO_REQUIRES(nio::onDispatcher);
    void warmUp() NIO_REQUIRES(nio::onDispatcher);
    void measure() NIO_REQUIRES(nio::onDispatcher);
    void stop() NIO_REQUIRES(nio::onDispatcher);
    void giveUp() NIO_REQUIRES(nio::onDispatcher);
    void end() NIO_REQUIRES(nio::onDispatcher);
    void interrupt() NIO_REQUIRES(nio::onDispatcher);
    void askForProgress() NIO_REQUIRES(nio::onDispatcher);
    void showProgress() NIO_REQUIRES(nio::onDispatcher);
    double percentDone() const;

    void tellWorkers(Order order);
    void tellControl(nio::Task task);
    // Calls `step` after `time`, if `phase` is still the current one then.
    void after(nio::Clock::duration time, Phase phase, void (LoadGenerator::*step)());
    void listenToSignals();

    const LoadPlan& plan_;
    ProgressLine* const progress_;
    nio::SelectorThread control_;
    nio::Timers timers_;
    std::vector<std::unique_ptr<LoadWorker>> workers_;
    nio::SelectorThreadGroup group_;

    Phase phase_ = Phase::connecting;
    std::size_t workersConnected_ = 0;
    std::size_t workersFinished_ = 0;
    std::size_t connectionsMade_ = 0;
    LoadFigures total_;
    std::vector<nio::Clock::duration> covered_;  // by each worker
    bool interrupted_ = false;

    LatencyHistogram shown_;  // the echoes of the next line of progress
    nio::TimePoint shownAt_{};
    nio::TimePoint loadSince_{};
    std::size_t awaitedReports_ = 0;
};

}  // namespace load
