// Base of the channels that can be registered with a SelectorThread: an open descriptor with at
// most one registration.
//
// A channel is a move-only value, owned by its handler. Moving a registered channel object moves
// its registration, too.
//
// Thread: before registration any one thread at a time; once registered the dispatcher's own, else
// WrongThreadError.
// Lifetime: close() closes the descriptor at once and ends the registration: it calls
// handleClosed() of the handler before it returns, and no callback runs after that, not even for an
// event already selected. The handler is destroyed at the end of the turn. The destructor closes.
#pragma once

#include <cstdint>

#include <nio/channel/ChannelRegistration.h>
#include <nio/sys/UniqueFd.h>

namespace nio {

class SelectableChannel {
  public:
    SelectableChannel(const SelectableChannel&) = delete;
    SelectableChannel& operator=(const SelectableChannel&) = delete;

    bool isOpen() const { return static_cast<bool>(fd_); }
    int fd() const { return fd_.get(); }
    // Open, and known to the kernel: see SocketChannel::withoutSocket().
    bool hasDescriptor() const { return isOpen() && fd() != UniqueFd::unreal; }
    bool isRegistered() const { return registration_ != nullptr; }

    // Idempotent.
    virtual void close();

    // The kind of channel, which decides what a completion engine may do with it.
    enum class Nature : std::uint8_t { other, stream, listener };
    virtual Nature nature() const { return Nature::other; }

    // For the dispatcher and the engines, not for programs.
    ChannelRegistration* registration() const { return registration_; }
    void attach(ChannelRegistration& registration) { registration_ = &registration; }
    // Ends the registration; the channel stays open.
    void detach() { registration_ = nullptr; }
    // The channel holds unread input already received from the kernel.
    virtual bool hasUnread() const { return false; }

  protected:
    explicit SelectableChannel(UniqueFd fd) : fd_(std::move(fd)) {}
    SelectableChannel(SelectableChannel&& other);
    ~SelectableChannel() { SelectableChannel::close(); }

    // Throws WrongThreadError unless the channel is registered with the current dispatcher.
    ChannelRegistration& registrationFor(const char* call) const
        NIO_ASSERT_CAPABILITY(onDispatcher) {
        if (registration_ == nullptr || !registration_->owner().isCurrent()) refuse(call);
        return *registration_;
    }

  private:
    [[noreturn, gnu::cold]] void refuse(const char* call) const;

    ChannelRegistration* registration_ = nullptr;
    UniqueFd fd_;
};

}  // namespace nio
