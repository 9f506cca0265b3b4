// Notices that the peer of a connection has gone while the connection is not read. Looks ten times
// a second, also where it is started and stopped for each request.
//
// Thread: the dispatcher's own.
// Lifetime: `deadlines` and the descriptor must be open while it is started; stop() it before the
// descriptor is closed.
#pragma once

#include <nio/timers/Deadline.h>

namespace router {

class EndWatch {
  public:
    // `ended` may stop it, and does not destroy it.
    EndWatch(nio::DeadlineQueue& deadlines, int fd, nio::UniqueFunction<void()> ended);

    void start() NIO_REQUIRES(nio::onDispatcher);
    void stop() { isOn_ = false; }

  private:
    void look() NIO_REQUIRES(nio::onDispatcher);
    bool hasPeerEnded() const;

    const int fd_;
    nio::UniqueFunction<void()> ended_;
    bool isOn_ = false;
    nio::Deadline next_;
};

}  // namespace router
