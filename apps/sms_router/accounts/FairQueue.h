// What waits, in lanes that take turns: a long lane keeps nobody in another waiting.
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
        std::deque<T>& items = lanes_[lane];
        const bool hasRoom = items.size() < maximum_;
        if (hasRoom) items.push_back(std::move(item));
        if (items.empty()) lanes_.erase(lane);
        return hasRoom;
    }
    // The first of the lane whose turn it is. Not when it is empty.
    T pop() {
        auto lane = lanes_.upper_bound(last_);
        if (lane == lanes_.end()) lane = lanes_.begin();
        last_ = lane->first;
        T item = std::move(lane->second.front());
        lane->second.pop_front();
        if (lane->second.empty()) lanes_.erase(lane);
        return item;
    }

  private:
    const std::size_t maximum_;
    std::map<std::string, std::deque<T>> lanes_;  // none is empty
    std::string last_;                            // whose turn it was
};

}  // namespace router
