// What waits, in lanes that take turns: a long lane keeps nobody in another waiting. A new one
// waits for a turn of all others.
//
// Thread: one at a time.
// Limit: pushing refuses what goes beyond `maximum` in one lane.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace router {

template <class T>
class FairQueue {
  public:
    explicit FairQueue(std::size_t maximum) : maximum_(maximum) {}

    bool empty() const { return lanes_.empty(); }
    // False: the lane is full, and `item` untouched.
    bool push(const std::string& lane, T&& item) {
        if (maximum_ == 0) return false;
        const auto [place, isNew] = lanes_.try_emplace(lane);
        if (place->second.size() >= maximum_) return false;
        if (isNew) turns_.push_back(lane);
        place->second.push_back(std::move(item));
        return true;
    }
    // The first of the lane whose turn it is. Not when it is empty.
    T pop() {
        const auto lane = lanes_.find(turns_.front());
        T item = std::move(lane->second.front());
        lane->second.pop_front();
        if (lane->second.empty()) {
            lanes_.erase(lane);
        } else {
            turns_.push_back(lane->first);
        }
        turns_.pop_front();
        return item;
    }

  private:
    const std::size_t maximum_;
    std::map<std::string, std::deque<T>> lanes_;  // none is empty
    std::deque<std::string> turns_;               // each of them once
};

}  // namespace router
