// The messages of one connection that are in flight, in the order they were sent, numbered from 0.
// One without an answer for too long becomes overdue: it keeps its place in the order, but is no
// longer waited for.
//
// Memory: a ring that doubles when it is full. An answered message is remembered until its slot is
// reused, to recognise a duplicate answer.
//
// Thread: one at a time; a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nio/sys/Clock.h>

namespace load {

struct SentMessage {
    nio::TimePoint planned;
    nio::TimePoint sent;
    std::uint32_t bytes = 0;
};

class InFlight {
  public:
    // Waiting or overdue: [first(), next()).
    std::uint64_t first() const { return first_; }
    std::uint64_t next() const { return next_; }
    bool empty() const { return first_ == next_; }
    std::size_t capacity() const { return ring_.size(); }
    // Waiting and not overdue.
    std::size_t waiting() const { return next_ - std::max(first_, overdueUntil_); }
    std::size_t overdue() const { return next_ - first_ - waiting(); }

    // Not sent before any other in here.
    void push(const SentMessage& message) {
        if (next_ - first_ == ring_.size()) grow();
        at(next_++) = message;
    }
    // Not if empty().
    const SentMessage& front() const { return ring_[first_ & (ring_.size() - 1)]; }
    bool frontIsOverdue() const { return first_ < overdueUntil_; }
    void popFront() { ++first_; }

    // What was sent before `limit` is overdue.
    void expire(nio::TimePoint limit);

    // How long a message is that waits or has left not long ago; 0: forgotten.
    std::uint32_t bytesOf(std::uint64_t sequence) const {
        return sequence + ring_.size() < next_ ? 0 : ring_[sequence & (ring_.size() - 1)].bytes;
    }

  private:
    SentMessage& at(std::uint64_t sequence) { return ring_[sequence & (ring_.size() - 1)]; }
    void grow();

    std::vector<SentMessage> ring_ = std::vector<SentMessage>(32);  // always a power of two
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t overdueUntil_ = 0;
};

inline void InFlight::expire(nio::TimePoint limit) {
    overdueUntil_ = std::max(overdueUntil_, first_);
    while (overdueUntil_ < next_ && at(overdueUntil_).sent < limit) ++overdueUntil_;
}

// Entries that are not copied have 0 bytes: forgotten.
inline void InFlight::grow() {
    std::vector<SentMessage> larger(2 * ring_.size());
    for (std::uint64_t i = first_; i < next_; ++i) larger[i & (larger.size() - 1)] = at(i);
    ring_ = std::move(larger);
}

}  // namespace load
