#include <nio/dispatch/IdleList.h>

#include <algorithm>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

IdleList::IdleList(SelectorThread& thread, std::chrono::milliseconds timeout)
    : thread_(thread),
      timeout_(timeout),
      tickTime_(std::max<Clock::duration>(Clock::bounded(timeout) / ticksPerTimeout,
                                          std::chrono::milliseconds(1))),
      deadline_(thread.deadlines(), [this] {
          onDispatcher.assertCurrent();
          tickNow();
      }) {}

IdleList::~IdleList() {
    while (first_ != nullptr) first_->unlink();
}

void IdleList::link(IdleHook& hook) {
    hook.unlink();
    hook.list_ = this;
    if (first_ == nullptr) scheduleTick();
    append(hook);
}

void IdleList::append(IdleHook& hook) {
    hook.tick_ = tick_;
    hook.previous_ = last_;
    hook.next_ = nullptr;
    (last_ == nullptr ? first_ : last_->next_) = &hook;
    last_ = &hook;
}

void IdleList::remove(IdleHook& hook) {
    (hook.previous_ == nullptr ? first_ : hook.previous_->next_) = hook.next_;
    (hook.next_ == nullptr ? last_ : hook.next_->previous_) = hook.previous_;
}

// A dispatcher that was held up does not make up for the ticks that it missed: what arrived
// meanwhile is still unread, and nobody is silent while nobody listens.
void IdleList::tickNow() {
    ++tick_;
    while (first_ != nullptr && isDue(*first_)) {
        IdleHook& due = *first_;
        due.unlink();
        thread_.deliverIdle(*due.owner_);
    }
    if (first_ != nullptr) scheduleTick();
}

void IdleList::scheduleTick() {
    deadline_.wakeAfter(tickTime_);
}

}  // namespace nio
