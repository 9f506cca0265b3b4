// What waits in one lane, in its order.
//
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

namespace router {

template <class T>
class Lane {
  public:
    std::size_t size() const { return items_.size(); }
    void push(T&& item) { items_.push_back(std::move(item)); }
    // Neither when it is empty.
    T pop() {
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }
    T popOfLongest() {
        T item = std::move(items_.back());
        items_.pop_back();
        return item;
    }

  private:
    std::deque<T> items_;
};

}  // namespace router
