// The messages of one connection that are no longer waited for in their turn, but may still be
// answered: later ones have overtaken them, or a wrong answer took their place.
//
// Thread: one at a time; a value.
#pragma once

#include <optional>
#include <vector>

#include "echo_client/payload/InFlight.h"

namespace load {

struct Straggler {
    std::uint64_t sequence;
    SentMessage message;
    bool overtaken;  // or replaced
};

class Stragglers {
  public:
    std::size_t size() const { return all_.size(); }
    // In the order they were sent.
    void add(const Straggler& straggler) { all_.push_back(straggler); }
    // No longer one, since its answer has come; nullopt: it was none.
    std::optional<Straggler> take(std::uint64_t sequence);
    // 0: not in here.
    std::uint32_t bytesOf(std::uint64_t sequence) const;

    // Those that leave are given to `leaves`.
    template <class Leaves>
    void expire(nio::TimePoint limit, Leaves leaves) {
        std::size_t count = 0;
        while (count < all_.size() && all_[count].message.sent < limit) ++count;
        dropOldest(count, leaves);
    }
    template <class Leaves>
    void keepNewest(std::size_t count, Leaves leaves) {
        if (all_.size() > count) dropOldest(all_.size() - count, leaves);
    }

  private:
    template <class Leaves>
    void dropOldest(std::size_t count, Leaves leaves) {
        const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count);
        for (auto each = all_.begin(); each != end; ++each) leaves(*each);
        all_.erase(all_.begin(), end);
    }

    std::vector<Straggler> all_;  // by sequence
};

}  // namespace load
