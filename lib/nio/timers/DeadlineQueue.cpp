#include <nio/timers/DeadlineQueue.h>

#include <algorithm>

#include <nio/timers/Deadline.h>

namespace nio {

void DeadlineQueue::clear() {
    for (const Entry& entry : heap_) entry.deadline->index_ = Deadline::notQueued;
    heap_.clear();
    size_.set(0);
}

std::optional<TimePoint> DeadlineQueue::earliest() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().when;
}

Deadline* DeadlineQueue::takeDue(TimePoint now) {
    looked_ = std::max(looked_, now);
    if (heap_.empty() || heap_.front().when > now) return nullptr;
    Deadline* due = heap_.front().deadline;
    remove(*due);
    return due;
}

void DeadlineQueue::makeRoom() {
    const std::size_t room = heap_.capacity() - heap_.size();
    if (room <= reserved_) heap_.reserve(2 * heap_.capacity() + 1);
}

void DeadlineQueue::reserve() {
    makeRoom();
    ++reserved_;
}

void DeadlineQueue::insert(TimePoint when, Deadline& deadline) {
    heap_.emplace_back();
    size_.set(heap_.size());
    const TimePoint soonest = looked_ == TimePoint::min() ? looked_ : looked_ + Clock::duration(1);
    siftUp(heap_.size() - 1, {std::max(when, soonest), &deadline});
}

void DeadlineQueue::remove(Deadline& deadline) {
    const std::size_t index = deadline.index_;
    deadline.index_ = Deadline::notQueued;
    const Entry last = heap_.back();
    heap_.pop_back();
    size_.set(heap_.size());
    if (index == heap_.size()) return;
    const bool earlier = index > 0 && last.when < heap_[(index - 1) / 2].when;
    earlier ? siftUp(index, last) : siftDown(index, last);
}

void DeadlineQueue::place(std::size_t index, Entry entry) {
    heap_[index] = entry;
    entry.deadline->index_ = index;
}

void DeadlineQueue::siftUp(std::size_t index, Entry entry) {
    while (index > 0 && entry.when < heap_[(index - 1) / 2].when) {
        place(index, heap_[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    place(index, entry);
}

void DeadlineQueue::siftDown(std::size_t index, Entry entry) {
    for (std::size_t child = 2 * index + 1; child < heap_.size(); child = 2 * index + 1) {
        if (child + 1 < heap_.size() && heap_[child + 1].when < heap_[child].when) ++child;
        if (!(heap_[child].when < entry.when)) break;
        place(index, heap_[child]);
        index = child;
    }
    place(index, entry);
}

void Deadline::wakeAt(TimePoint when) {
    queue_->owner_.assertCurrent("Deadline::wakeAt");
    isSet() ? stop() : queue_->makeRoom();
    queue_->insert(when, *this);
}

void Deadline::cancel() {
    queue_->owner_.assertCurrent("Deadline::cancel");
    stop();
}

// The callback is moved out for the time of the call, so that it may destroy this object.
void Deadline::expire() {
    bool destroyed = false;
    destroyedInside_ = &destroyed;
    UniqueFunction<void()> running = std::move(expired_);
    struct PutBack {
        Deadline& deadline;
        UniqueFunction<void()>& running;
        bool& destroyed;
        ~PutBack() {
            if (destroyed) return;
            deadline.expired_ = std::move(running);
            deadline.destroyedInside_ = nullptr;
        }
    } putBack{*this, running, destroyed};
    running();
}

std::optional<TimePoint> Deadline::leave() {
    queue_->owner_.assertCurrent("Deadline::leave");
    if (!isSet()) return std::nullopt;
    const TimePoint when = queue_->timeOf(index_);
    stop();
    return when;
}

void Deadline::arrive(DeadlineQueue& queue, std::optional<TimePoint> when) {
    queue.owner_.assertCurrent("Deadline::arrive");
    stop();
    queue_ = &queue;
    if (when) wakeAt(*when);
}

void Deadline::stop() {
    if (index_ != notQueued) queue_->remove(*this);
}

}  // namespace nio
