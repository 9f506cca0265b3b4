// A descriptor that polls readable when the ring has completions, or the wake-up was signalled: an
// epoll of the wake-up and of an event that the ring signals. Of that event alone the kernel (6.18)
// does not tell again what the wake-up, another event, has completed; the ring's own descriptor
// tells of no completion that is made when its thread enters the ring.
//
// Thread: the dispatcher's own.
#pragma once

#include <array>

#include <nio/sys/Kernel.h>
#include <nio/sys/uring/Uring.h>

namespace nio {

class UringDescriptor {
  public:
    // The same one until close().
    Result<int> open(kernel::Uring& ring, int wakeUp) {
        if (either_) return either_.get();
        Result<UniqueFd> event = kernel::createEvent();
        if (!event) return event.error();
        Result<UniqueFd> either = kernel::createEpoll();
        if (!either) return either.error();
        const int fd = either.value().get();
        constexpr auto add = kernel::EpollChange::add;
        Result<void> done = kernel::changeEpoll(fd, add, event.value().get(), EPOLLIN, nullptr);
        if (done) done = kernel::changeEpoll(fd, add, wakeUp, EPOLLIN | EPOLLET, nullptr);
        if (done) done = ring.signalTo(event.value().get());
        if (!done) return done.error();
        event_ = std::move(event).value();
        either_ = std::move(either).value();
        return fd;
    }
    // Call it before the completions are taken: later ones make it readable again.
    void clear() {
        if (!either_) return;
        std::array<epoll_event, 2> events{};
        (void)kernel::waitEpoll(either_.get(), events, std::chrono::nanoseconds::zero()).ok();
        kernel::clearEvent(event_.get());
    }
    // The ring has ended.
    void close() { either_.reset(); }

  private:
    UniqueFd event_, either_;
};

}  // namespace nio
