// Who waits for the commit that is being gathered: one task for each dispatcher tells all of its
// answers, in the order of add().
//
// Answers are exempt from the limit of the queue they go to: none is lost while its dispatcher
// lives. One that throws does not keep the others from being told.
//
// Thread: one at a time.
// Lifetime: of the dispatchers longer.
#pragma once

#include <cstddef>
#include <vector>

#include <nio/loop/SelectorThread.h>

#include "sms_router/store/Store.h"

namespace router {

class CommitBatch {
  public:
    void add(nio::SelectorThread& thread, Store::Done done);
    // Posts them, and is empty then. Those of a dispatcher that has stopped are dropped.
    void answer(bool committed);

    // One that needs no commit: in place if the calling thread is in a turn of `thread`, else
    // posted.
    static void answerOne(nio::SelectorThread& thread, Store::Done done, bool committed);

  private:
    struct Waiting {
        nio::SelectorThread* thread;
        std::vector<Store::Done> dones;
    };

    Waiting& waitingOn(nio::SelectorThread& thread);

    std::vector<Waiting> waiting_;  // by dispatcher: a few
    std::size_t last_ = 0;          // neighbours mostly come from the same one
};

}  // namespace router
