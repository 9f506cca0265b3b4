// Finds out about the server's FIN or RST on connections that do not read: it asks the kernel about
// all of them, now and then. A FIN is seen behind unread bytes too.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: the connections that it is shown are those of the moment.
#pragma once

#include <vector>

#include <nio/loop/SelectorThread.h>

#include "echo_client/misbehave/BadConnection.h"

namespace load {

class EndWatch {
  public:
    static constexpr std::chrono::milliseconds period{100};

    // `connections` is read each time.
    EndWatch(nio::SelectorThread& thread, const std::vector<BadConnection*>& connections);

    void start() NIO_REQUIRES(nio::onDispatcher) { next_.wakeAfter(period); }
    void stop() NIO_REQUIRES(nio::onDispatcher) { next_.cancel(); }
    void look() NIO_REQUIRES(nio::onDispatcher);

  private:
    const std::vector<BadConnection*>& connections_;
    nio::Deadline next_;
};

}  // namespace load
