// Selector on select(2), which every system has. It takes descriptors below FD_SETSIZE (1,024) and
// refuses others when they are registered. Each select takes time proportional to the highest one.
//
// Thread: the dispatcher's own.
// Errors: too_many_files_open for a descriptor that select(2) cannot watch.
#pragma once

#include <array>

#include <nio/channel/ReadinessIo.h>
#include <nio/selector/Selector.h>
#include <nio/sys/select/Select.h>

namespace nio {

class SelectSelector final : public Selector {
  public:
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);

    std::string_view name() const override { return "select"; }
    ChannelIo& io() override { return io_; }

  private:
    explicit SelectSelector(const SelectorOptions& options);

    Result<void> watch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    // select(2) keeps no kernel state, and the wake-up keeps its descriptor number.
    Result<void> renew() override NIO_REQUIRES(onDispatcher) { return {}; }
    void unwatch(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> rearm(SelectionKey& key) override NIO_REQUIRES(onDispatcher);
    Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher);

    void collect(const fd_set& input, const fd_set& output, const fd_set& exceptional)
        NIO_REQUIRES(onDispatcher);
    void arm(int fd, Interest interest);

    ReadinessIo io_;
    std::size_t maxSelectedKeys_;
    std::array<SelectionKey*, kernel::selectLimit> keys_{};  // by descriptor
    fd_set input_;                                           // what is armed
    fd_set output_;
    fd_set exceptional_;
    int end_ = 0;   // above the highest descriptor
    int next_ = 0;  // where the last limited round ended, for fairness
};

}  // namespace nio
