// The deadlines of one dispatcher, in the order of their time. The earliest is its select time-out.
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
    // The dispatcher's, which must outlive it.
    explicit DeadlineQueue(const DispatcherIdentity& owner) : owner_(owner) {}
    DeadlineQueue(const DeadlineQueue&) = delete;
    DeadlineQueue& operator=(const DeadlineQueue&) = delete;
    ~DeadlineQueue() { clear(); }

    std::size_t size() const { return heap_.size(); }
    // The same, of a moment ago. Thread: any.
    std::size_t published() const { return size_.read(); }
    std::optional<TimePoint> earliest() const;
    // The earliest that is due, taken out of the queue; null if there is none. What is set to a
    // time that is over from now on comes after all that was due at `now`, and not before the clock
    // has moved on: a deadline that sets itself again keeps nobody waiting.
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

    // For one more than those that are set, and those that are reserved. Throws std::bad_alloc.
    void makeRoom();
    // So that there is room for it whenever it is to be set. Throws std::bad_alloc.
    void reserve();
    void insert(TimePoint when, Deadline& deadline);
    void remove(Deadline& deadline);
    TimePoint timeOf(std::size_t index) const { return heap_[index].when; }
    void place(std::size_t index, Entry entry);
    void siftUp(std::size_t index, Entry entry);
    void siftDown(std::size_t index, Entry entry);

    const DispatcherIdentity& owner_;
    std::vector<Entry> heap_;
    std::size_t reserved_ = 0;  // has room for so many more, whatever others set
    Published<std::size_t> size_;
    TimePoint looked_ =
        TimePoint::min();  // what was due then is out of the queue, or earlier in it
};

}  // namespace nio
