// Goes once through a list and keeps a part of it, in order. Where it is left early, by an
// exception too, what was not looked at stays.
//
// Thread: that of the list.
#pragma once

#include <cstddef>
#include <vector>

#include <nio/base/Cpp20.h>

namespace nio {

template <class T>
class Sieve {
  public:
    explicit Sieve(std::vector<T>& list) : list_(list) {}
    Sieve(const Sieve&) = delete;
    Sieve& operator=(const Sieve&) = delete;
    ~Sieve() {
        const auto begin = list_.begin();
        list_.erase(begin + static_cast<std::ptrdiff_t>(kept_),
                    begin + static_cast<std::ptrdiff_t>(next_));
    }

    bool hasNext() const { return next_ < list_.size(); }
    const T& next() const { return list_[next_]; }
    // That one; the one after it is the next.
    void keep() { list_[kept_++] = list_[next_++]; }
    void drop() { ++next_; }

  private:
    std::vector<T>& list_;
    std::size_t kept_ = 0;
    std::size_t next_ = 0;
};

}  // namespace nio
