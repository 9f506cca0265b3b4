// The turns of a dispatcher in a loop of the program's own, which waits elsewhere. Over and over
// the loop calls dispatcher.turn(0), then prepareToWait(), and waits that long at most, until the
// descriptor is readable. See docs/embedding.md.
//
// Thread: the one that makes the turns, outside of a turn.
// Lifetime: the dispatcher must outlive it.
// Errors: std::logic_error inside a turn, or while another thread makes one.
#pragma once

#include <nio/loop/SelectorThread.h>

namespace nio {

class HostedTurns {
  public:
    explicit HostedTurns(SelectorThread& dispatcher) : dispatcher_(dispatcher) {}

    // Readable when an event has come or a task was posted. It may only be waited for, and is the
    // same one for as long as one thread of this process makes the turns. Errors: notSupported by
    // the selector (poll, select); the kernel's (uring).
    Result<int> descriptor();
    // How long the loop may wait. Absent: no limit; zero: the next turn is due.
    kernel::WaitTime prepareToWait();

  private:
    SelectorThread& dispatcher_;
};

}  // namespace nio
