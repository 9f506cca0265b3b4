// One misbehaviour, from its first connect until all connections are over: when options.duration
// is, when all connects of the storm are made, when the server has ended every connection, or by
// SIGINT or SIGTERM. A signal after that resets those who linger.
//
// Thread: run() by one, which becomes the dispatcher that all is decided on.
// Errors: the constructor and run() throw std::system_error. SIGINT and SIGTERM must be blocked
// (SignalHandler::block).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/timers/Timers.h>

#include "echo_client/misbehave/MisbehaviourFigures.h"
#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

// Told once a second, in run(), what there is so far.
using MisbehaviourProgress = std::function<void(const MisbehaviourFigures& total)>;

class Misbehaver final : private MisbehaviourWorkerListener {
  public:
    // `progress` may be empty.
    Misbehaver(const LoadOptions& options, const nio::SocketAddress& server,
               MisbehaviourProgress progress = {});
    ~Misbehaver() override;

    // Once. No descriptor of it is left when it returns. `connected` is called when all connects
    // are made or have failed, or at the end; of a storm, at once.
    MisbehaviourResult run(std::function<void()> connected = {});
    // Thread: any, as long as run() has not thrown.
    void requestStop();
    // By a signal. Thread: any.
    bool isInterrupted() const { return interrupted_; }

  private:
    enum class Phase { running, stopping, closing, over };
    using Order = void (MisbehaviourWorker::*)();

    // On the workers' dispatchers.
    void workerReported(std::unique_ptr<MisbehaviourFigures> figures) override;
    void workerConnected() override;
    void workerFinished() override;

    // On our own.
    void reported(const MisbehaviourFigures& figures) NIO_REQUIRES(nio::onDispatcher);
    void connected() NIO_REQUIRES(nio::onDispatcher);
    void finished() NIO_REQUIRES(nio::onDispatcher);
    void stop() NIO_REQUIRES(nio::onDispatcher);
    void giveUp() NIO_REQUIRES(nio::onDispatcher);
    void end() NIO_REQUIRES(nio::onDispatcher);
    void interrupt() NIO_REQUIRES(nio::onDispatcher);
    void askForProgress() NIO_REQUIRES(nio::onDispatcher);

    void tellWorkers(Order order);
    void tellControl(nio::Task task);
    void tellConnected();
    // Calls `step` after `time`, if `phase` is still the current one then.
    void after(nio::Clock::duration time, Phase phase, void (Misbehaver::*step)());
    void listenToSignals();
    MisbehaviourResult result() const;

    const MisbehaviourPlan plan_;
    const MisbehaviourProgress progress_;
    nio::SelectorThread control_;
    nio::Timers timers_;
    std::vector<std::unique_ptr<MisbehaviourWorker>> workers_;
    nio::SelectorThreadGroup group_;

    Phase phase_ = Phase::running;
    std::function<void()> connected_;
    std::size_t workersConnected_ = 0;
    std::size_t workersFinished_ = 0;
    std::size_t awaitedReports_ = 0;
    MisbehaviourFigures total_;
    std::atomic<bool> interrupted_ = false;
    nio::TimePoint begun_{};
    nio::TimePoint ended_{};
};

}  // namespace load
