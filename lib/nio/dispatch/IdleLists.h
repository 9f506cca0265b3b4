// The idle lists of one dispatcher, one for each length of time-out in use.
//
// Thread: the dispatcher's own.
#pragma once

#include <memory>
#include <vector>

#include <nio/dispatch/IdleList.h>

namespace nio {

class IdleLists {
  public:
    // The list of this length, made when it is not there.
    IdleList& of(SelectorThread& thread, std::chrono::milliseconds timeout) {
        for (const auto& list : lists_) {
            if (list->timeout() == timeout) return *list;
        }
        return *lists_.emplace_back(std::make_unique<IdleList>(thread, timeout));
    }
    void clear() { lists_.clear(); }

  private:
    std::vector<std::unique_ptr<IdleList>> lists_;
};

}  // namespace nio
