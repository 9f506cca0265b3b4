// The graceful shutdown of one dispatcher: begins it, tells the handlers, detects its end, and
// reports what became of the connections. Drain.h says what a drain does.
//
// Thread: the dispatcher's own, unless it says otherwise.
#pragma once

#include <optional>

#include <nio/base/ThreadRole.h>
#include <nio/loop/Drain.h>
#include <nio/tasks/TaskQueue.h>
#include <nio/timers/Deadline.h>

namespace nio {

class ExceptionBarrier;
class Registration;
class SelectorHandler;
class SelectorThread;

class Draining {
  public:
    // Both must outlive it.
    Draining(SelectorThread& thread, ExceptionBarrier& barrier)
        : thread_(thread), barrier_(barrier) {}
    Draining(const Draining&) = delete;
    Draining& operator=(const Draining&) = delete;

    // See SelectorThread::requestClose. Thread: any.
    void request(const DrainOptions& options);
    // Closes only the listeners, once they have accepted their backlog. Returns at once. `closed`
    // runs on the dispatcher when all are closed (a listener that asks to be revisited is waited
    // for until the deadline at most), or at once on this thread if the dispatcher has stopped or
    // has no memory for the task. If this throws std::bad_alloc, nothing was done. Thread: any.
    void closeListenersLater(Task closed, const DrainOptions& options = {});
    // The result of the drain. Thread: any, once the dispatcher has stopped.
    const DrainReport& report() const { return report_; }

    // Begins to drain at `when`; if a drain has begun by then, acts as request(). Of several calls
    // the earliest `when` counts. Out of memory: begins at once.
    void beginAt(TimePoint when, const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    // The drain in progress, if any.
    const std::optional<DrainOptions>& options() const NIO_REQUIRES(onDispatcher);

    // --- for the library --------------------------------------------------------------------

    void beginIfRequested() NIO_REQUIRES(onDispatcher) {
        if (request_.isThere()) [[unlikely]]
            begin(request_.take());
    }
    // All that it waits for has ended, or its deadline has passed.
    bool isOver() const NIO_REQUIRES(onDispatcher) { return options_ && hasEnded(); }
    // When the drain ends at the latest.
    std::optional<TimePoint> deadline() const NIO_REQUIRES(onDispatcher) {
        return options_ ? std::optional(end_) : std::nullopt;
    }
    // Tells a handler that was registered during the drain.
    void tell(Registration& registration) NIO_REQUIRES(onDispatcher);
    void connectionEnded(const SelectorHandler& handler, bool wasAborted)
        NIO_REQUIRES(onDispatcher);
    // Aborts the remaining connections and runs the accepted tasks. Later posts are refused.
    void finish() NIO_REQUIRES(onDispatcher);

  private:
    void begin(const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    bool hasEnded() const NIO_REQUIRES(onDispatcher);
    void closeListenersBy(TimePoint end, std::shared_ptr<Task> closed, const DrainOptions& options);
    bool closeListeners(const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    void abortAll() NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    ExceptionBarrier& barrier_;
    CloseRequest request_;
    std::optional<Deadline> beginning_ NIO_GUARDED_BY(onDispatcher);
    TimePoint beginsAt_ NIO_GUARDED_BY(onDispatcher){};
    std::optional<DrainOptions> options_ NIO_GUARDED_BY(onDispatcher);
    TimePoint end_ NIO_GUARDED_BY(onDispatcher){};
    DrainReport report_;
};

}  // namespace nio
