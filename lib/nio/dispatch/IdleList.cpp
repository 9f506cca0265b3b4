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

void IdleList::assertOwn(const char* call) const {
    thread_.identity().assertCurrent(call);
}

void IdleList::link(IdleHook& hook) {
    scheduleTick();
    hook.unlink();
    hook.list_ = this;
    append(hook);
}

void IdleHook::suspend() {
    if (list_ == nullptr) return static_cast<void>(activeAt_ = {});
    list_->assertOwn("IdleHook::suspend");
    activeAt_ = list_->lastActivity(*this);
    unlink();
}

// Within the tick that it notes it may have been active at the end; that is as much as a whole one.
TimePoint IdleList::lastActivity(const IdleHook& hook) const {
    if (hook.activeAt_ != TimePoint{}) return hook.activeAt_;
    const TimePoint now = Clock::now();
    const std::uint32_t passed = tick_ - hook.tick_;
    if (passed == 0) return now;
    return now - std::min<Clock::duration>(now - tickedAt_, tickTime_) - (passed - 1) * tickTime_;
}

void IdleList::resume(IdleHook& hook) {
    const TimePoint now = Clock::now();
    const TimePoint activeAt = hook.list_ == nullptr ? hook.activeAt_ : TimePoint{};
    scheduleTick();
    hook.unlink();
    hook.list_ = this;
    hook.activeAt_ = activeAt == TimePoint{} ? now : activeAt;
    insertByTime(hook, now);
}

// A tick early, so that activity in this one is noticed; who is due then is looked at by the clock.
void IdleList::insertByTime(IdleHook& hook, TimePoint now) {
    const auto ticks = (now - hook.activeAt_) / tickTime_;
    const auto passed =
        static_cast<std::uint32_t>(std::clamp<decltype(ticks)>(ticks, 0, ticksPerTimeout - 1)) + 1;
    hook.tick_ = tick_ - passed;
    IdleHook* before = last_;
    while (before != nullptr && tick_ - before->tick_ < passed) before = before->previous_;
    insertAfter(before, hook);
}

void IdleList::append(IdleHook& hook) {
    hook.tick_ = tick_;
    hook.activeAt_ = {};
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
    // First: whatever happens in this one, there is a next one.
    scheduleTick();
    ++tick_;
    tickedAt_ = Clock::now();
    while (first_ != nullptr && isDue(*first_)) {
        IdleHook& due = *first_;
        if (due.activeAt_ != TimePoint{} && tickedAt_ - due.activeAt_ < Clock::bounded(timeout_)) {
            remove(due);
            insertByTime(due, tickedAt_);
            continue;
        }
        due.unlink();
        thread_.deliverIdle(*due.owner_);
    }
    deadline_.cancel();
    if (first_ != nullptr) scheduleTick();
}

// One that is under way stays: connections that come and go faster than it do not put it off.
void IdleList::scheduleTick() {
    if (!deadline_.isSet()) deadline_.wakeAfter(tickTime_);
}

}  // namespace nio
