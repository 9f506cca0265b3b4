// A channel's view of its registration: its dispatcher, and the engine that performs its I/O. Hides
// the selector; SelectionKey implements it.
//
// Thread: the dispatcher's own.
#pragma once

#include <nio/base/ThreadRole.h>

namespace nio {

class ChannelIo;
class SelectableChannel;

class ChannelRegistration {
  public:
    // Shared by all registrations with one dispatcher. Must outlive them.
    struct Context {
        const DispatcherIdentity& owner;
        ChannelIo& io;
    };

    explicit ChannelRegistration(const Context& context) : context_(context) {}
    ChannelRegistration(const ChannelRegistration&) = delete;
    ChannelRegistration& operator=(const ChannelRegistration&) = delete;

    const DispatcherIdentity& owner() const { return context_.owner; }
    ChannelIo& io() const { return context_.io; }

    // The channel object was moved to another address.
    virtual void channelMoved(SelectableChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    // The channel is about to close: ends this registration.
    virtual void channelClosing() NIO_REQUIRES(onDispatcher) = 0;
    // The channel has unread input: its read interest is ready without the kernel.
    virtual void channelHoldsInput() NIO_REQUIRES(onDispatcher) {}

  protected:
    virtual ~ChannelRegistration() = default;

    const Context& context() const { return context_; }

  private:
    const Context& context_;
};

}  // namespace nio
