// The graceful shutdown of one dispatcher: when it begins, whom it tells, when it is over, and what
// became of the connections. DrainOptions says what a drain does.
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
    // Closes the listeners only: they accept what waits and go. Returns at once; `closed` runs on
    // the dispatcher when it has happened (one that asks to be revisited for that is waited for,
    // but no longer than the deadline), or at once on this thread when the dispatcher has stopped,
    // or has no memory for the task. Throws bad_alloc, and has done nothing then. Thread: any.
    void closeListenersLater(Task closed, const DrainOptions& options = {});
    // What the drain came to. Thread: any, once the dispatcher has stopped.
    const DrainReport& report() const { return report_; }

    // Begins to drain at that time, unless it does before: then it is as request() at that time.
    // The earliest call counts. Without memory at once.
    void beginAt(TimePoint when, const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    // The drain under way, if there is one.
    const std::optional<DrainOptions>& options() const NIO_REQUIRES(onDispatcher);

    // --- for the library --------------------------------------------------------------------

    // All that it waits for has ended, or its deadline has passed.
    bool isOver() NIO_REQUIRES(onDispatcher) {
        if (request_.isThere()) [[unlikely]]
            begin(request_.take());
        return options_ && hasEnded();
    }
    // When it is over at the latest.
    std::optional<TimePoint> deadline() const NIO_REQUIRES(onDispatcher) {
        return options_ ? std::optional(end_) : std::nullopt;
    }
    // Tells a handler that has come during the drain.
    void tell(Registration& registration) NIO_REQUIRES(onDispatcher);
    void connectionEnded(const SelectorHandler& handler, bool wasAborted)
        NIO_REQUIRES(onDispatcher);
    // Aborts what is left, and runs the tasks that were accepted; nothing comes after that.
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
