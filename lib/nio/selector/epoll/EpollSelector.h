// Selector on Linux epoll, level-triggered: input left in a socket by a limited read is reported
// again by the next select, so no limit can lose an event.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/channel/ReadinessIo.h>
#include <nio/selector/Selector.h>

namespace nio {

class EpollSelector final : public Selector {
  public:
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);

    std::string_view name() const override { return "epoll"; }
    ChannelIo& io() override { return io_; }
    Result<int> descriptor() override NIO_REQUIRES(onDispatcher) { return epoll_.get(); }

  private:
    EpollSelector(UniqueFd epoll, const SelectorOptions& options)
        : epoll_(std::move(epoll)),
          io_(options.receiveBufferBytes),
          events_(options.maxSelectedKeys) {}

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> renew() override NIO_REQUIRES(onDispatcher);
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    bool detach(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    Result<void> watchWakeUp();
    void found(const epoll_event& event) NIO_REQUIRES(onDispatcher);
    void forget(SelectionKey& key) NIO_REQUIRES(onDispatcher);

    UniqueFd epoll_;
    ReadinessIo io_;
    std::vector<epoll_event> events_;
};

}  // namespace nio
