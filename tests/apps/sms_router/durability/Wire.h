// A connection that never waits, so that one thread can be an SMSC and several applications while
// the router between them is killed.
//
// Thread: one at a time.
#pragma once

#include <functional>

#include <nio/sys/Kernel.h>

#include "apps/sms_router/scenarios/SmppPeer.h"

namespace router::scenarios {

class Wire {
  public:
    explicit Wire(nio::UniqueFd fd) : fd_(std::move(fd)) {}

    // Leaves with the next pumps.
    void send(nio::ByteView octets);
    // Sends what the kernel takes, and tells of what has come. False: the connection is over, and
    // all that came before that has been told.
    bool pump(const std::function<void(const OwnedPdu&)>& arrived);
    // The same with what is not SMPP: `take` gets what has come, and gives how much of it was one
    // unit; 0: it is not whole yet.
    bool pumpUnits(const std::function<std::size_t(nio::ByteView)>& take);
    pollfd interest() const;

  private:
    void pumpOut();
    bool pumpIn();
    void tell(const std::function<std::size_t(nio::ByteView)>& take);

    nio::UniqueFd fd_;
    nio::Bytes unsent_;
    nio::Bytes unread_;
};

}  // namespace router::scenarios
