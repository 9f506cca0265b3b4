// What can be registered with a SelectorThread: an open descriptor, and at most one registration.
//
// A channel is a value that is moved, not copied; its handler owns it. Moving a registered channel
// moves its registration along.
//
// Thread: before registration any one thread; once registered the dispatcher's own, else
// WrongThreadError.
// Lifetime: close() closes the descriptor at once and ends the registration: its handler hears of
// it inside close() (handleClosed), and no callback runs after that, also none for an event that
// was already selected. The handler is destroyed at the end of the turn. The destructor closes.
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
    bool isRegistered() const { return registration_ != nullptr; }

    // Idempotent.
    virtual void close();

    // What an engine may do beyond waiting for readiness.
    enum class Nature : std::uint8_t { other, stream, listener };
    virtual Nature nature() const { return Nature::other; }

    // For the dispatcher and the engines, not for programs.
    ChannelRegistration* registration() const { return registration_; }
    void attach(ChannelRegistration& registration) { registration_ = &registration; }
    // The registration ends while the channel stays open.
    void detach() { registration_ = nullptr; }
    // Input that was taken from the kernel already waits in the channel.
    virtual bool hasUnread() const { return false; }

  protected:
    explicit SelectableChannel(UniqueFd fd) : fd_(std::move(fd)) {}
    SelectableChannel(SelectableChannel&& other);
    ~SelectableChannel() { SelectableChannel::close(); }

    // Throws WrongThreadError unless the channel is registered with the current dispatcher.
    ChannelRegistration& registrationFor(const char* call) const
        NIO_ASSERT_CAPABILITY(onDispatcher) {
        if (registration_ == nullptr) refuseUnregistered(call);
        registration_->owner().assertCurrent(call);
        return *registration_;
    }

  private:
    [[noreturn, gnu::cold]] static void refuseUnregistered(const char* call);

    ChannelRegistration* registration_ = nullptr;
    UniqueFd fd_;
};

}  // namespace nio
