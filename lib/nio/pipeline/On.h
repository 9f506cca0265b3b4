// Runs what stands behind it in a pipeline on another dispatcher: stages or applications that
// block, say, on a group of their own.
//
//     nio::SelectorThreadGroup lookups({.threads = 8, .thread = ...forBlocking("lookup")});
//     lookups.start();
//     nio::Server server("127.0.0.1:7007", nio::lines(), nio::on(lookups), LookUp{database});
//
// The dispatcher is chosen when the connection opens, by the group's dealing rule, and stays: all
// that stands behind is called and destroyed there, one callback at a time, in order. What stands
// before goes on with other connections meanwhile, and may migrate.
//
// Items cross as copies, those inbound moved if they own what they are; all that is sent by one
// callback crosses at once. Both ways are bounded. Inbound: StreamOptions::crossingHighMark.
// Outbound what has not reached the kernel counts for the application's water marks and limit, as
// usual: each item as the memory that it takes. Both count for the memory budget.
//
// Behind nio::on the application has all that it has elsewhere, on its own dispatcher: send(),
// handle(), pauseReading(), setBusy(), closeAfterFlush(), shutdownWrite(), failAfterFlush(),
// abort(), pendingBytes(), flushed(), aboveMark() and so on. peerAddress() is that of the socket;
// channel() is not. setAutoPause() is for its own half. replaceWith() is refused.
//
// The peer's end of stream, the close and errors come after all items that arrived before, in both
// directions; but input that the application has paused is dropped at the close. An exception ends
// the connection. A dispatcher that drains drains the connections of which it has a half; one that
// stops aborts them. New connections fail with stopped then.
//
// Thread: any.
// Lifetime: the dispatchers must outlive what serves the pipeline (a Server, say), and may stop
// before.
#pragma once

#include <nio/group/SelectorThreadGroup.h>

namespace nio {

class On {
  public:
    explicit On(SelectorThreadGroup& group) : group_(&group) {}
    explicit On(SelectorThread& thread) : thread_(&thread) {}

    // For the next connection.
    SelectorThread& next() const { return group_ == nullptr ? *thread_ : group_->next(); }

  private:
    SelectorThreadGroup* group_ = nullptr;
    SelectorThread* thread_ = nullptr;
};

inline On on(SelectorThreadGroup& dispatchers) {
    return On(dispatchers);
}
inline On on(SelectorThread& dispatcher) {
    return On(dispatcher);
}

}  // namespace nio
