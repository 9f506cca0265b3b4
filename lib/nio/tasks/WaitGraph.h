// Which dispatcher waits for which, in the whole process, so that a cycle is refused before it
// becomes a deadlock.
//
// Thread: any.
#pragma once

#include <nio/base/ThreadRole.h>

namespace nio {

class WaitGraph {
  public:
    // While it lives, `from` waits for `to`. Without `from` (a thread that is no dispatcher)
    // nothing can wait for the waiter, and there is no edge.
    class Edge {
      public:
        Edge(const DispatcherIdentity* from, const DispatcherIdentity& to);
        ~Edge();
        Edge(const Edge&) = delete;
        Edge& operator=(const Edge&) = delete;

        // The edge would have closed a cycle and was not added.
        bool refused() const { return refused_; }

      private:
        const DispatcherIdentity* from_;
        bool refused_ = false;
    };
};

}  // namespace nio
