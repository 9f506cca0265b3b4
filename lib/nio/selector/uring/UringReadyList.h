// The keys of the io_uring engine that may be ready, in the order of service: a served key goes to
// the back.
//
// Thread: the dispatcher's own. Allocates nothing for as many keys as it has reserved.
#pragma once

#include <utility>
#include <vector>

#include <nio/selector/InPlaceFilter.h>
#include <nio/selector/uring/UringOperations.h>

namespace nio {

class UringReadyList {
  public:
    explicit UringReadyList(UringTable& table) : table_(table) {}

    bool isEmpty() const { return ready_.empty(); }
    std::size_t size() const { return ready_.size(); }
    void reserve(std::size_t keys) {
        ready_.reserve(keys);
        served_.reserve(keys);
    }

    // Ignores a key that is listed already.
    void add(UringOperations& operations) {
        if (operations.listed) return;
        operations.listed = true;
        ++operations.references;
        ready_.push_back(&operations);
    }

    // Drops those that are not ready.
    template <class IsReady>
    void sweep(IsReady&& isReady) {
        InPlaceFilter ready(ready_);
        while (ready.hasNext()) isReady(*ready.next()) ? ready.keep() : drop(ready);
    }

    // Serves the first `most` that are ready, and drops those that are not.
    template <class IsReady, class Serve>
    void serve(std::size_t most, IsReady&& isReady, Serve&& serve) {
        struct BehindTheOthers {
            UringReadyList& list;
            ~BehindTheOthers() {
                list.ready_.insert(list.ready_.end(), list.served_.begin(), list.served_.end());
                list.served_.clear();
            }
        } behind{*this};
        InPlaceFilter ready(ready_);
        while (ready.hasNext()) {
            UringOperations* operations = ready.next();
            if (!isReady(*operations)) {
                drop(ready);
            } else if (most == 0) {
                ready.keep();
            } else {
                --most;
                serve(*operations);
                served_.push_back(operations);
                ready.drop();
            }
        }
    }

  private:
    void drop(InPlaceFilter<UringOperations*>& ready) {
        UringOperations& operations = *ready.next();
        ready.drop();
        operations.listed = operations.broken = false;
        operations.readable = operations.writable = operations.exceptional = false;
        table_.release(operations);
    }

    UringTable& table_;
    std::vector<UringOperations*> ready_;
    std::vector<UringOperations*> served_;
};

}  // namespace nio
