// Sends a message that never ends, one byte now and then.
//
// Thread: the dispatcher's own, except construction. Source: RSnake's slowloris, 2009, for any
// protocol.
#pragma once

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

class Slowloris final : public BadConnection {
  public:
    Slowloris(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number)
        : BadConnection(std::move(channel), worker, number),
          next_(worker.thread().deadlines(), [this] {
              nio::onDispatcher.assertCurrent();
              sendOne();
          }) {}

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) {
        sendNext(1);
        next_.wakeAfter(plan().firstPauseOf(number()));
    }
    void leave() override NIO_REQUIRES(nio::onDispatcher) {
        next_.cancel();
        closeAfterFlush();
    }

    // Two that wait would leave together.
    void sendOne() NIO_REQUIRES(nio::onDispatcher) {
        if (pendingBytes() == 0) sendNext(1);
        next_.wakeAfter(plan().options().every);
    }

    nio::Deadline next_;
};

}  // namespace load
