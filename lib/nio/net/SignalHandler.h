// Signals as events of a dispatcher, handled in a turn. If several handlers catch a signal, each
// one is told of it.
//
// The signals are caught, not blocked: processes that the program starts (fork and exec,
// posix_spawn, system, popen) get them as usual. A forked process that does not exec has the
// previous signal actions until it calls block() or open() itself. Blocking system calls of the
// program may return EINTR.
//
// Thread: block() and open() any; the function is called on the dispatcher.
// Lifetime: the key's. It does not delay a drain, but stays active until all other channels have
// closed, so that a second signal is still handled.
#pragma once

#include <initializer_list>
#include <memory>

#include <nio/base/UniqueFunction.h>
#include <nio/channel/SelectableChannel.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/sys/Kernel.h>

namespace nio {

class SignalChannel final : public SelectableChannel {
  public:
    explicit SignalChannel(UniqueFd fd) : SelectableChannel(std::move(fd)) {}
    ~SignalChannel() { SignalChannel::close(); }
    void close() override;
    // 0 when none is pending.
    int next() NIO_REQUIRES(onDispatcher) { return kernel::readSignal(fd()); }
};

class SignalHandler final : public ReadWriteSelectorHandler {
  public:
    using Function = UniqueFunction<void(int signal)>;

    // From now on the signals do not end the process: those that arrive before open() are delivered
    // to it. Unblocks them in the calling thread; at least one thread must have them unblocked.
    static Result<void> block(std::initializer_list<int> numbers);
    // Not yet registered; wants read interest.
    static Result<std::unique_ptr<SignalHandler>> open(std::initializer_list<int> numbers,
                                                       Function onSignal);

    SelectableChannel& channel() override { return channel_; }
    bool countsAsConnection() const override { return false; }
    bool holdsUpDrain() const override { return false; }
    // Signals during a drain are handled, too.
    void handleDrain(const DrainOptions&) override NIO_REQUIRES(onDispatcher) {}
    void handleRead() override NIO_REQUIRES(onDispatcher);
    void handleWrite() override NIO_REQUIRES(onDispatcher) {}
    // Stays active: a program that ignores SIGTERM could not be stopped any more.
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher) {}

  private:
    SignalHandler(UniqueFd fd, Function onSignal)
        : channel_(std::move(fd)), onSignal_(std::move(onSignal)) {}

    SignalChannel channel_;
    Function onSignal_;
};

}  // namespace nio
