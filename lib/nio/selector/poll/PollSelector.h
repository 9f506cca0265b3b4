// Selector on poll(2), for systems without epoll, and to prove that nothing depends on epoll. Each
// select takes time proportional to the number of channels.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/channel/ReadinessIo.h>
#include <nio/selector/Selector.h>

namespace nio {

class PollSelector final : public Selector {
  public:
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);

    std::string_view name() const override { return "poll"; }
    ChannelIo& io() override { return io_; }

  private:
    explicit PollSelector(const SelectorOptions& options);

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    // poll(2) keeps no kernel state, and the wake-up keeps its descriptor number.
    Result<void> renew() override NIO_REQUIRES(onDispatcher) { return {}; }
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    void collect(std::size_t ready) NIO_REQUIRES(onDispatcher);
    bool found(std::size_t index) NIO_REQUIRES(onDispatcher);

    ReadinessIo io_;
    std::size_t maxSelectedKeys_;
    std::vector<pollfd> entries_;      // the first is the wake-up
    std::vector<SelectionKey*> keys_;  // beside entries_
    std::size_t next_ = 1;             // where the last limited round ended, for fairness
};

}  // namespace nio
