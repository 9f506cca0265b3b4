// Selector on kqueue(2), level-triggered: on BSD, macOS, and where a library provides
// <sys/event.h>. The selector tests were run on it on Linux with libkqueue, a userspace kqueue; no
// system with its own kqueue has built the library yet.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/sys/kqueue/Kqueue.h>

#if NIO_HAS_KQUEUE

#include <nio/channel/ReadinessIo.h>
#include <nio/selector/Selector.h>

namespace nio {

class KqueueSelector final : public Selector {
  public:
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);

    std::string_view name() const override { return "kqueue"; }
    ChannelIo& io() override { return io_; }
    Result<int> descriptor() override NIO_REQUIRES(onDispatcher) { return queue_.get(); }

  private:
    // What one wait has found of a key, which has an event for each direction.
    struct Found {
        SelectionKey* key;
        Interest interest;
        bool broken;
    };

    KqueueSelector(UniqueFd queue, const SelectorOptions& options);

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> renew() override NIO_REQUIRES(onDispatcher);
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    Result<void> watchWakeUp();
    Result<void> arm(SelectionKey& key, Interest wanted) NIO_REQUIRES(onDispatcher);
    void disarm(const SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void merge(const kernel::KqueueEvent& event) NIO_REQUIRES(onDispatcher);

    UniqueFd queue_;
    ReadinessIo io_;
    std::vector<kernel::KqueueEvent> events_;
    std::vector<Found> found_;
};

}  // namespace nio

#endif
