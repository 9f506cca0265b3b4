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
    // What all registrations with one dispatcher have in common. Must outlive them.
    struct Context {
        const DispatcherIdentity& owner;
        ChannelIo& io;
    };

    explicit ChannelRegistration(const Context& context) : context_(context) {}
    ChannelRegistration(const ChannelRegistration&) = delete;
    ChannelRegistration& operator=(const ChannelRegistration&) = delete;

    const DispatcherIdentity& owner() const { return context_.owner; }
    ChannelIo& io() const { return context_.io; }

    // The channel lives at another address from now on.
    virtual void channelMoved(SelectableChannel& channel) NIO_REQUIRES(onDispatcher) = 0;
    // The channel is about to be closed: this registration ends.
    virtual void channelClosing() NIO_REQUIRES(onDispatcher) = 0;
    // The channel has input of its own to hand out: its read interest need not wait for the kernel.
    virtual void channelHoldsInput() NIO_REQUIRES(onDispatcher) {}

  protected:
    virtual ~ChannelRegistration() = default;

    const Context& context() const { return context_; }

  private:
    const Context& context_;
};

}  // namespace nio
