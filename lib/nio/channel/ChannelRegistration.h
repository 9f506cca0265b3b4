// What a registered channel knows of its registration, without knowing selectors: whose it is, and
// the engine that does its I/O. The selection key implements it.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/base/ThreadRole.h>

namespace nio {

class ChannelIo;
class SelectableChannel;

class ChannelRegistration {
  public:
    ChannelRegistration(const DispatcherIdentity& owner, ChannelIo& io) : owner_(owner), io_(io) {}
    ChannelRegistration(const ChannelRegistration&) = delete;
    ChannelRegistration& operator=(const ChannelRegistration&) = delete;

    const DispatcherIdentity& owner() const { return owner_; }
    ChannelIo& io() const { return io_; }

    // The channel lives at another address from now on.
    virtual void channelMoved(SelectableChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    // The channel is about to be closed: this registration ends.
    virtual void channelClosing() NIO_REQUIRES(onDispatcher) = 0;
    // The channel has input of its own to hand out: its read interest need not wait for the kernel.
    virtual void channelHoldsInput() NIO_REQUIRES(onDispatcher) {}

  protected:
    virtual ~ChannelRegistration() = default;

  private:
    const DispatcherIdentity& owner_;
    ChannelIo& io_;
};

}  // namespace nio
