// The channels of the io_uring engine that found no receive buffer. Those without input are served
// first, and only as many as there are buffers, so that a flooding peer cannot take them all.
//
// Thread: the dispatcher's own. Allocates nothing for as many channels as it has reserved.
#pragma once

#include <algorithm>
#include <vector>

#include <nio/selector/InPlaceFilter.h>
#include <nio/selector/uring/UringOperations.h>

namespace nio {

class UringStarved {
  public:
    explicit UringStarved(UringTable& table) : table_(table) {}

    bool isEmpty() const { return waiting_.empty(); }
    void reserve(std::size_t channels) { waiting_.reserve(channels); }
    // Inside serve().
    bool isServing() const { return serving_; }

    // Ignores a channel that waits already.
    void add(UringOperations& operations) {
        if (operations.input.awaitsBuffer) return;
        waiting_.push_back(&operations);
        operations.input.awaitsBuffer = true;
        ++operations.references;
    }

    // `rearm` makes a channel receive, or adds it again.
    template <class Rearm>
    void serve(kernel::UringBuffers& buffers, Rearm&& rearm) {
        if (!isEmpty() && buffers.waiting() == 0) (void)buffers.provideMore();
        const std::size_t served = std::min(waiting_.size(), buffers.waiting());
        if (served == 0) return;
        std::stable_partition(waiting_.begin(), waiting_.end(),
                              [](const UringOperations* each) { return !each->hasInput(); });
        struct Reset {
            bool& on;
            ~Reset() { on = false; }
        } reset{serving_ = true};
        InPlaceFilter waiting(waiting_);
        for (std::size_t i = 0; i < served; ++i) {
            UringOperations& operations = *waiting.next();
            operations.input.awaitsBuffer = false;
            rearm(operations);
            waiting.drop();
            table_.release(operations);
        }
    }

  private:
    UringTable& table_;
    std::vector<UringOperations*> waiting_;
    bool serving_ = false;
};

}  // namespace nio
