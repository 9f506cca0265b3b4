// Signals as events of one dispatcher, so that what they ask for happens in a turn. Each handler of
// a signal is told of it, however many there are.
//
// The signals are caught, not blocked: processes that the program starts (fork and exec,
// posix_spawn, system, popen) get them as usual. A forked process that goes on without exec has
// what was there before, until it calls block() or open() itself. A blocking system call of the
// program's own may return EINTR.
//
// Thread: block() and open() any; the function is called on the dispatcher.
// Lifetime: the key's. It holds up no drain: while its dispatcher drains it goes on until all
// others have gone, so that a second signal is still heard.
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

    // Keeps the signals from ending the process from now on: those that come before open() are told
    // to it. Where the calling thread has them blocked it unblocks them; at least one thread must.
    static Result<void> block(std::initializer_list<int> numbers);
    // Not yet registered; wants read interest.
    static Result<std::unique_ptr<SignalHandler>> open(std::initializer_list<int> numbers,
                                                       Function onSignal);

    SelectableChannel& channel() override { return channel_; }
    bool countsAsConnection() const override { return false; }
    bool holdsUpDrain() const override { return false; }
    // A signal while it drains is heard, too.
    void handleDrain(const DrainOptions&) override NIO_REQUIRES(onDispatcher) {}
    void handleRead() override NIO_REQUIRES(onDispatcher);
    void handleWrite() override NIO_REQUIRES(onDispatcher) {}
    // It goes on: a program that is deaf to SIGTERM cannot be stopped any more.
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher) {}

  private:
    SignalHandler(UniqueFd fd, Function onSignal)
        : channel_(std::move(fd)), onSignal_(std::move(onSignal)) {}

    SignalChannel channel_;
    Function onSignal_;
};

}  // namespace nio
