// Runs the steps behind it in a pipeline on another dispatcher: for those that block, say, on a
// group of their own.
//
//     nio::SelectorThreadGroup lookups({.threads = 8, .thread = ...forBlocking("lookup")});
//     lookups.start();
//     nio::Server server("127.0.0.1:7007", nio::lines(), nio::on(lookups), LookUp{database});
//
// The group's dealing rule chooses the dispatcher when the connection opens, for its whole life.
// The steps behind are called and destroyed there, one callback at a time, in order. Meanwhile the
// dispatcher of the steps before serves other connections; that half may migrate.
//
// Items cross as copies; inbound ones that own their data are moved. What one callback sends
// crosses together. Both directions are bounded: inbound by StreamOptions::crossingHighMark,
// outbound by the application's water marks and limit, which count each item as the memory that it
// takes until the kernel has accepted it. Both count for the memory budget.
//
// Behind nio::on the application has all usual functions, on its own dispatcher: send(), handle(),
// pauseReading(), setBusy(), closeAfterFlush(), shutdownWrite(), failAfterFlush(), abort(),
// pendingBytes(), flushed(), aboveMark() and so on. peerAddress() is that of the socket; channel()
// is not. setAutoPause() is for its own half. replaceWith() is refused.
//
// The peer's end of stream, the close and errors come after all items that arrived before, in both
// directions; but input that the application has paused is dropped at the close. An exception ends
// the connection. If either dispatcher drains, so does the connection; if either stops, it is
// aborted. New connections fail with stopped then.
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

    // The dispatcher for the next connection.
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
