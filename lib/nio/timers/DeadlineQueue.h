// The deadlines of one dispatcher, ordered by time. The earliest limits how long its select waits.
//
// Thread: the dispatcher's own.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <nio/base/Published.h>
#include <nio/base/ThreadRole.h>
#include <nio/base/UniqueFunction.h>
#include <nio/sys/Clock.h>

namespace nio {

class Deadline;

class DeadlineQueue {
  public:
    // `owner` must outlive it.
    explicit DeadlineQueue(const DispatcherIdentity& owner) : owner_(owner) {}
    DeadlineQueue(const DeadlineQueue&) = delete;
    DeadlineQueue& operator=(const DeadlineQueue&) = delete;
    ~DeadlineQueue() { clear(); }

    std::size_t size() const { return heap_.size(); }
    // size() a moment ago. Thread: any.
    std::size_t published() const { return size_.read(); }
    std::optional<TimePoint> earliest() const;
    // Removes and returns the earliest deadline that is due at `now`; null if there is none. A
    // deadline that is then set to a past time becomes due after `now`, so one that keeps setting
    // itself cannot starve the others.
    Deadline* takeDue(TimePoint now);
    // Cancels all.
    void clear();

  private:
    friend class Deadline;
    friend class ReservedDeadline;

    struct Entry {
        TimePoint when;
        Deadline* deadline;
    };

    // Makes room for one more entry beside the reserved ones. Throws std::bad_alloc.
    void makeRoom();
    // Reserves an entry, so that setting a deadline later needs no memory. Throws std::bad_alloc.
    void reserve();
    void insert(TimePoint when, Deadline& deadline);
    void remove(Deadline& deadline);
    TimePoint timeOf(std::size_t index) const { return heap_[index].when; }
    void place(std::size_t index, Entry entry);
    void siftUp(std::size_t index, Entry entry);
    void siftDown(std::size_t index, Entry entry);

    const DispatcherIdentity& owner_;
    std::vector<Entry> heap_;
    std::size_t reserved_ = 0;  // entries that stay free for ReservedDeadlines
    Published<std::size_t> size_;
    TimePoint looked_ = TimePoint::min();  // the last takeDue(); new entries come after it
};

}  // namespace nio
