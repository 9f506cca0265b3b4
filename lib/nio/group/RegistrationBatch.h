// Connections on their way to one dispatcher, posted together: one task, and one wake-up at most,
// for all of them. They are registered in the order in which they were added, for reading.
//
// Each counts among its dispatcher's connections from add() on.
//
// Thread: one at a time.
// Lifetime: must not outlive the dispatcher. Destroying it closes what was not posted.
// Errors: a connection that cannot be registered is reported to `onError`, on the dispatcher; the
// others are registered regardless.
#pragma once

#include <memory>
#include <vector>

#include <nio/base/Error.h>
#include <nio/loop/SelectorHandlers.h>

namespace nio {

class RegistrationBatch {
  public:
    // A plain function: the whole batch fits into a task.
    using OnError = void (*)(const Error&);

    RegistrationBatch(SelectorThread& thread, OnError onError)
        : thread_(&thread), onError_(onError) {}
    RegistrationBatch(RegistrationBatch&& other) noexcept = default;
    RegistrationBatch& operator=(RegistrationBatch&&) = delete;
    ~RegistrationBatch();

    SelectorThread& thread() const { return *thread_; }
    std::size_t size() const { return handlers_.size(); }

    void add(std::unique_ptr<ReadWriteSelectorHandler> handler);
    // Empties it. False: the dispatcher has stopped, its queue is full, or there is no memory for
    // the task; the connections have been closed.
    [[nodiscard]] bool post();

  private:
    void registerAll() NIO_REQUIRES(onDispatcher);
    void registerOne(std::unique_ptr<ReadWriteSelectorHandler> handler) NIO_REQUIRES(onDispatcher);

    SelectorThread* thread_;
    OnError onError_;
    std::vector<std::unique_ptr<ReadWriteSelectorHandler>> handlers_;
};

}  // namespace nio
