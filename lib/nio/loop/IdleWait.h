// How a dispatcher selects: it looks when it has work, else it sleeps until something comes, and
// with a busy edge (see BusyEdge.h) it looks again and again for a while before it sleeps. While it
// does so it counts as awake: a post costs no system call and is seen within a microsecond or so.
// Between looks it offers its CPU to whoever else waits for it.
//
// Thread: the dispatcher's own; mostSpin() and spun() any.
// Errors: the selector's.
#pragma once

#include <atomic>
#include <cstdint>

#include <nio/loop/BusyEdge.h>
#include <nio/selector/Selector.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class IdleWait {
  public:
    using Selected = Result<std::span<SelectionKey* const>>;

    // Both must outlive it. `spin`: see SelectorThreadOptions::spin.
    IdleWait(Selector& selector, TaskQueue& queue, std::chrono::nanoseconds spin)
        : selector_(selector), queue_(queue), edge_(spin) {}

    // Selector::select, but the tasks that wait count as events. It is over when `wait` is.
    [[gnu::hot]] Selected select(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);

    std::chrono::nanoseconds mostSpin() const { return edge_.most(); }
    // How long it has looked again and again, in all: time in which there was nothing to do. What
    // it spun while others wanted the CPU is not counted, since it may have been theirs.
    std::chrono::nanoseconds spun() const {
        return std::chrono::nanoseconds(spun_.load(std::memory_order_relaxed));
    }

  private:
    Selected look() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] Selected sleep(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    Selected crossEdge(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    Selected spinUntil(TimePoint end) NIO_REQUIRES(onDispatcher);
    void countSpun(std::chrono::nanoseconds time);
    void edgeEnded(std::chrono::nanoseconds idle);
    bool isOver(const Selected& selected) const;
    bool queueStaysEmpty() const;

    Selector& selector_;
    TaskQueue& queue_;
    BusyEdge edge_;
    bool crowded_ = false;  // found at this edge
    std::atomic<std::int64_t> spun_{0};
};

}  // namespace nio
