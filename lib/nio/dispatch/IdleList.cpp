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

// Ticks of two dispatchers come at different moments: the one that may have just begun does not
// count, or it would be told too early.
void IdleHook::suspend() {
    if (list_ == nullptr) return static_cast<void>(tick_ = 0);
    const std::uint32_t passed = list_->tick() - tick_;
    unlink();
    tick_ = passed > 0 ? passed - 1 : 0;
}

void IdleList::resume(IdleHook& hook) {
    const std::uint32_t passed = hook.list_ == nullptr ? hook.tick_ : 0;
    hook.unlink();
    hook.list_ = this;
    if (first_ == nullptr) scheduleTick();
    hook.tick_ = tick_ - passed;
    IdleHook* before = last_;
    while (before != nullptr && tick_ - before->tick_ < passed) before = before->previous_;
    insertAfter(before, hook);
}

void IdleList::append(IdleHook& hook) {
    hook.tick_ = tick_;
    insertAfter(last_, hook);
}

void IdleList::insertAfter(IdleHook* before, IdleHook& hook) {
    hook.previous_ = before;
    hook.next_ = before == nullptr ? first_ : before->next_;
    (before == nullptr ? first_ : before->next_) = &hook;
    (hook.next_ == nullptr ? last_ : hook.next_->previous_) = &hook;
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
