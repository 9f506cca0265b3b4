// Resets its connection as soon as there is one.
//
// Over a Unix-domain socket, which knows no RST, it only closes.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

class RstStorm final : public BadConnection {
  public:
    using BadConnection::BadConnection;

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) { leave(); }
    void leave() override NIO_REQUIRES(nio::onDispatcher) {
        met(Fate::meantSo);
        abort();
    }
};

}  // namespace load
