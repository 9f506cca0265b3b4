// Sends half a message; then it neither sends, reads nor closes, whatever the server does, until it
// is reset or the time is over.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

class HalfOpen final : public BadConnection {
  public:
    using BadConnection::BadConnection;

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) {
        pauseReading();
        sendNext(piece);
    }
    // Of a half that is longer than a piece.
    void taken() override NIO_REQUIRES(nio::onDispatcher) { sendNext(piece); }
    void leave() override NIO_REQUIRES(nio::onDispatcher) { abort(); }
};

}  // namespace load
