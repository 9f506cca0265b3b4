// The registration of one channel with one selector: what it waits for, and what was found ready.
//
// Thread: the dispatcher's own.
// Lifetime: owned by the dispatcher. Once cancelled it stays in memory until the end of the turn,
// so that an event already selected finds isValid() == false instead of nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <nio/channel/SelectableChannel.h>
#include <nio/selector/Interest.h>

namespace nio {

class Selector;
struct UringOperations;

class SelectionKey : public ChannelRegistration {
  public:
    // Must outlive the keys.
    struct Context : ChannelRegistration::Context {
        Selector& selector;
    };

    SelectionKey(const Context& context, SelectableChannel& channel, Interest interest)
        : ChannelRegistration(context), interest_(interest), channel_(&channel) {}

    bool isValid() const { return !cancelled_; }
    Interest interest() const { return interest_; }
    // The operations that the last select found ready: a subset of the interest at that time, and
    // after takeReady() of the interest then.
    Interest ready() const { return ready_; }
    // The kernel can no longer watch this channel; its connection is unusable.
    bool isBroken() const { return broken_; }
    SelectableChannel& channel() const { return *channel_; }

    void channelMoved(SelectableChannel& channel) override NIO_REQUIRES(onDispatcher) {
        channel_ = &channel;
    }
    void channelClosing() override NIO_REQUIRES(onDispatcher);
    void channelHoldsInput() override NIO_REQUIRES(onDispatcher);

    // The article's step: removes the ready operations from the interest before dispatching them.
    // Operations that another handler of the batch has removed from the interest are not ready.
    void takeReadyOutOfInterest() NIO_REQUIRES(onDispatcher) {
        ++timesReady_;
        ready_ = ready_ & interest_;
        interest_ = interest_ - ready_;
    }

    // Number of dispatches since the last call.
    std::uint32_t takeTimesReady() { return std::exchange(timesReady_, 0); }

    // Takes effect at the next select; free if the kernel already has this interest.
    void setInterest(Interest interest) NIO_REQUIRES(onDispatcher) {
        interest_ = interest;
        reconsider();
    }
    void addInterest(Interest added) NIO_REQUIRES(onDispatcher) { setInterest(interest_ | added); }
    void removeInterest(Interest removed) NIO_REQUIRES(onDispatcher) {
        setInterest(interest_ - removed);
    }

    // Whether the kernel must be told before the next select. True for interest that is not armed,
    // and for write interest no longer wanted, since sockets are nearly always writable. Readiness
    // engines leave unwanted read interest armed until input arrives (which is rare).
    void reconsider() NIO_REQUIRES(onDispatcher) {
        if (interest_ == armed_) return;
        const Interest missing = interest_ - armed_;
        const Interest unwanted = (armed_ - interest_) & prompt_;
        if (any(missing | unwanted)) noteChange();
    }

  protected:
    ~SelectionKey() override = default;

  private:
    friend class Selector;
    friend class EpollSelector;
    friend class KqueueSelector;
    friend class PollSelector;
    friend class SelectSelector;
    friend class UringIo;
    friend class UringSelector;

    static constexpr std::uint32_t notChanged = UINT32_MAX;

    void noteChange() NIO_REQUIRES(onDispatcher);
    Selector& selector() const { return static_cast<const Context&>(context()).selector; }

    Interest interest_;
    Interest armed_ = Interest::none;  // the interest that the kernel has
    Interest ready_ = Interest::none;
    Interest prompt_ = Interest::write;  // disarmed as soon as it is unwanted
    bool watched_ : 1 = false;           // the kernel watches the descriptor
    bool cancelled_ : 1 = false;
    bool broken_ : 1 = false;
    bool holdsInput_ : 1 = false;  // the selector checks its channel for unread input
    std::uint32_t changeIndex_ = notChanged;
    std::uint32_t timesReady_ = 0;
    SelectableChannel* channel_;
    union {
        std::uint32_t pollIndex_;                // PollSelector's and KqueueSelector's
        UringOperations* operations_ = nullptr;  // UringSelector's
    };
};

}  // namespace nio
