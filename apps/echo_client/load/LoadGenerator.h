// Directs a load: lets the workers connect, send for the planned time and stop, and gathers what
// they have counted.
//
// It has a dispatcher of its own, which run() makes the turns of; SIGINT and SIGTERM (blocked by
// the caller) end the load early; a second one ends the wait for answers, a third one all waits.
//
// Thread: one at a time: run() once. Lifetime: plan, crew and observers live longer.
#pragma once

#include <memory>
#include <vector>

#include <nio/loop/SelectorThread.h>
#include <nio/timers/Timers.h>

#include "echo_client/figures/LoadResult.h"
#include "echo_client/load/LoadCrew.h"
#include "echo_client/load/LoadObserver.h"
#include "echo_client/load/LoadPlan.h"
#include "echo_client/load/ServerWatch.h"

namespace load {

class LoadGenerator final : private LoadWorkerListener {
  public:
    // What has been sent and not been taken is not waited for in the end. A worker that has not
    // finished within `closePatience`, and a little for each connection, is out of reach: what it
    // has not reported is missing, which is an error.
    LoadGenerator(const LoadPlan& plan, LoadCrew& crew, std::vector<LoadObserver*> observers,
                  nio::Clock::duration closePatience = std::chrono::seconds(5));
    LoadGenerator(const LoadGenerator&) = delete;
    LoadGenerator& operator=(const LoadGenerator&) = delete;
    ~LoadGenerator() override;

    LoadResult run();

  private:
    enum class Phase { connecting, loading, stopping, closing, over };

    // What is known of each worker.
    struct Member {
        bool asked = false;       // to report
        bool toldOfStop = false;  // it has reported since the load was stopped
        bool finished = false;
        nio::TimePoint finishedAt = nio::TimePoint::max();
        double busy = 0;       // in its last report
        std::size_t down = 0;  // likewise
        nio::Clock::duration used{0};
        nio::Clock::duration covered{0};
    };

    // On the workers' threads.
    void workerConnected(std::size_t worker, std::size_t made) override;
    void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) override;
    void workerFinished(std::size_t worker) override;

    // On our own.
    void connected(std::size_t made) NIO_REQUIRES(nio::onDispatcher);
    void reported(std::size_t worker, const LoadFigures& figures) NIO_REQUIRES(nio::onDispatcher);
    void finished(std::size_t worker) NIO_REQUIRES(nio::onDispatcher);
    void connectsTakeTooLong() NIO_REQUIRES(nio::onDispatcher);
    void begin() NIO_REQUIRES(nio::onDispatcher);
    void watchServer() NIO_REQUIRES(nio::onDispatcher);
    void measuringBegins() NIO_REQUIRES(nio::onDispatcher);
    void measuringEnds() NIO_REQUIRES(nio::onDispatcher);
    void stop() NIO_REQUIRES(nio::onDispatcher);
    void giveUp() NIO_REQUIRES(nio::onDispatcher);
    void closingTakesTooLong() NIO_REQUIRES(nio::onDispatcher);
    void end() NIO_REQUIRES(nio::onDispatcher);
    void endAtOnce() NIO_REQUIRES(nio::onDispatcher);
    void interrupt() NIO_REQUIRES(nio::onDispatcher);
    void tick() NIO_REQUIRES(nio::onDispatcher);
    void sampled() NIO_REQUIRES(nio::onDispatcher);
    void keep(const Sample& sample);
    void show(LoadObserver& observer, Sample& collected, const Sample& sample);
    void showRest();
    Sample takeSample();

    bool hasBegun() const { return schedule_.begin != nio::TimePoint(); }
    LoadPhase phaseAt(nio::TimePoint when) const;
    double percentDone(nio::TimePoint now) const;
    nio::Clock::duration sampleTime() const;
    double busyOf(const Member& member) const;
    LoadResult result();
    void tellWorkers(void (LoadWorker::*order)());
    void tellControl(nio::Task task);
    // Calls `step` after `time`, if `phase` is still the current one then.
    void after(nio::Clock::duration time, Phase phase, void (LoadGenerator::*step)());
    void listenToSignals();

    const LoadPlan& plan_;
    LoadCrew& crew_;
    const std::vector<LoadObserver*> observers_;
    const nio::Clock::duration closePatience_;
    std::vector<Sample> collected_;  // for each observer, what it has not yet seen
    nio::SelectorThread control_;
    nio::Timers timers_;

    Phase phase_ = Phase::connecting;
    std::vector<Member> members_;
    std::size_t workersConnected_ = 0;
    std::size_t workersFinished_ = 0;
    std::size_t connectionsMade_ = 0;
    LoadSchedule schedule_;
    nio::TimePoint stoppedAt_ = nio::TimePoint::max();
    LoadFigures total_;
    ServerWatch server_;
    bool interrupted_ = false;

    Sample next_;  // what the workers have reported of it so far
    nio::TimePoint sampledAt_{};
    std::vector<Point> series_;
};

}  // namespace load
