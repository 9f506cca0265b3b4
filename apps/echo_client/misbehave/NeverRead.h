// Sends messages as fast as the server takes them, and never reads an answer. Of its own it keeps
// one piece: the next follows when the kernel has taken it.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

class NeverRead final : public BadConnection {
  public:
    using BadConnection::BadConnection;

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) {
        pauseReading();
        sendNext(piece);
    }
    void taken() override NIO_REQUIRES(nio::onDispatcher) { sendNext(piece); }
    // The server may be unable to read a FIN.
    void leave() override NIO_REQUIRES(nio::onDispatcher) { abort(); }
};

}  // namespace load
