// One pass over a list that keeps some elements, in order, and removes the others. If the pass ends
// early, also by an exception, the elements not yet visited stay.
//
// Thread: that of the list.
#pragma once

#include <cstddef>
#include <vector>

#include <nio/base/Cpp20.h>

namespace nio {

template <class T>
class InPlaceFilter {
  public:
    explicit InPlaceFilter(std::vector<T>& list) : list_(list) {}
    InPlaceFilter(const InPlaceFilter&) = delete;
    InPlaceFilter& operator=(const InPlaceFilter&) = delete;
    ~InPlaceFilter() {
        const auto begin = list_.begin();
        list_.erase(begin + static_cast<std::ptrdiff_t>(kept_),
                    begin + static_cast<std::ptrdiff_t>(next_));
    }

    bool hasNext() const { return next_ < list_.size(); }
    const T& next() const { return list_[next_]; }
    // Keeps the current element and advances.
    void keep() { list_[kept_++] = list_[next_++]; }
    void drop() { ++next_; }

  private:
    std::vector<T>& list_;
    std::size_t kept_ = 0;
    std::size_t next_ = 0;
};

}  // namespace nio
