// The system as the explorer's program has it: one event, and a clock that goes on a little with
// each look. A scene begins with a fresh one.
//
// Thread: one.
#pragma once

#include "model/Instrument.h"

#include <nio/selector/Selector.h>

namespace model {

struct Kernel {
    bool isSignalled = false;
    std::size_t signals = 0;
    std::size_t sleeps = 0;
    std::chrono::nanoseconds now{0};
};

Kernel& theKernel();

// No channels: it sleeps until the event is signalled, as an eventfd that is watched for edges.
class SleepingSelector final : public nio::Selector {
  public:
    std::string_view name() const override { return "model"; }
    nio::ChannelIo& io() override { std::abort(); }

  private:
    nio::Result<void> watch(nio::SelectionKey&) override { return {}; }
    void unwatch(nio::SelectionKey&) override {}
    nio::Result<void> rearm(nio::SelectionKey&) override { return {}; }

    nio::Result<void> wait(nio::kernel::WaitTime time) override {
        Kernel& kernel = theKernel();
        Explorer::step("look at the event");
        const bool sleeps = !time || time->count() > 0;
        if (sleeps) ++kernel.sleeps;
        if (sleeps && !kernel.isSignalled) {
            Explorer::waitUntil("sleep in select", [&kernel] { return kernel.isSignalled; });
        }
        kernel.isSignalled = false;
        return {};
    }
};

}  // namespace model
