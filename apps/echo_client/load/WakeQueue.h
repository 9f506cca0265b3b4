// Which slot is to be woken when: the send plans, think times and lifetimes of one worker.
//
// Thread: one at a time. Lifetime: the slots live longer.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include <nio/sys/Clock.h>

namespace load {

class LoadSlot;

class WakeQueue {
  public:
    void add(nio::TimePoint when, LoadSlot& slot) { queue_.push({when, &slot}); }
    // TimePoint::max() while nobody waits.
    nio::TimePoint earliest() const {
        return queue_.empty() ? nio::TimePoint::max() : queue_.top().when;
    }
    struct Entry {
        nio::TimePoint when;
        LoadSlot* slot;
        bool operator<(const Entry& other) const { return when > other.when; }
    };
    // Absent if nobody is due. A slot that was added several times comes as often.
    std::optional<Entry> takeDue(nio::TimePoint now) {
        if (queue_.empty() || queue_.top().when > now) return std::nullopt;
        const Entry due = queue_.top();
        queue_.pop();
        return due;
    }
    void clear() { queue_ = {}; }

  private:
    std::priority_queue<Entry> queue_;
};

}  // namespace load
