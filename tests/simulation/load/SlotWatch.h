// Looks from outside at the slots of a load, which it knows by the addresses that their connections
// come from: no slot has two connections or dials at a time, and none is left without one while a
// load renews its connections.
//
// Thread: the one of the run.
#pragma once

#include "echo_client/load/LoadObserver.h"
#include "simulation/load/LoadScenario.h"
#include "simulation/threads/Scheduler.h"

namespace simulation {

class SlotWatch final : public load::LoadObserver {
  public:
    SlotWatch(const LoadScenario& scenario, const Listener& listener, Scheduler& scheduler)
        : scenario_(scenario), listener_(listener), scheduler_(scheduler) {}

    // Before each step.
    void look();

    nio::Clock::duration cadence() const override { return {}; }
    void observed(const load::Sample& sample) override;
    // How long the machine was suspended. Zero: it was not, or the load may have ended before the
    // generator looked at the clocks again.
    nio::Clock::duration suspension() const;

  private:
    bool mayBeAlone() const;
    void checkAlone(std::size_t slot);
    void fail(const std::string& what) { scheduler_.machine().journal().fail(what); }

    const LoadScenario& scenario_;
    const Listener& listener_;
    Scheduler& scheduler_;
    std::size_t seen_ = 0;  // of the listener's connections
    std::optional<nio::TimePoint> measuredSince_;
    nio::TimePoint measuredUntil_{};
};

}  // namespace simulation
