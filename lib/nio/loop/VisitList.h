// Registrations that asked to be called once, in the order in which they asked; each stands in it
// at most once.
//
// Thread: the dispatcher's own.
#pragma once

#include <vector>

#include <nio/loop/Registration.h>

namespace nio {

class VisitList {
  public:
    // `queued` is the registration's own mark for this list.
    explicit VisitList(bool Registration::*queued) : queued_(queued) {}

    bool empty() const { return waiting_.empty(); }

    void add(Registration& registration) {
        if (registration.*queued_) return;
        waiting_.push_back(&registration);
        registration.*queued_ = true;
    }

    // It is about to be destroyed.
    void forget(Registration& registration) {
        if (registration.*queued_) std::erase(waiting_, &registration);
    }

    // Calls `visit` with each that is still valid. Who asks meanwhile waits for the next time.
    template <class Visit>
    void visitAll(Visit&& visit) {
        visiting_.swap(waiting_);
        for (Registration* registration : visiting_) {
            registration->*queued_ = false;
            if (registration->isValid()) visit(*registration);
        }
        visiting_.clear();
    }

  private:
    bool Registration::*const queued_;
    std::vector<Registration*> waiting_;
    std::vector<Registration*> visiting_;
};

}  // namespace nio
