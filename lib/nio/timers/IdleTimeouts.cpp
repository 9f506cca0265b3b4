#include <nio/timers/IdleTimeouts.h>

#include <algorithm>

namespace nio {

IdleList::IdleList(const DispatcherIdentity& owner, DeadlineQueue& deadlines, Expired& expired,
                   std::chrono::milliseconds timeout)
    : owner_(owner),
      expired_(expired),
      timeout_(timeout),
      tickTime_(std::max<Clock::duration>(Clock::bounded(timeout) / ticksPerTimeout,
                                          std::chrono::milliseconds(1))),
      deadline_(deadlines, [this] {
          onDispatcher.assertCurrent();
          tickNow();
      }) {}

IdleList::~IdleList() {
    while (first_ != nullptr) first_->unlink();
}

void IdleList::assertOwn(const char* call) const {
    owner_.assertCurrent(call);
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

// Activity may have been at the very end of the tick that it notes, so that tick does not count.
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

// A tick early, so that activity in this tick counts; tickNow then compares with the clock.
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

// A dispatcher that was busy skips the ticks that it missed: what its peers sent meanwhile is still
// unread, so they must not count as idle.
void IdleList::tickNow() {
    // First, so that there is a next tick whatever happens in this one.
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
        expired_(*due.owner_);
    }
    deadline_.cancel();
    if (first_ != nullptr) scheduleTick();
}

// A pending tick stays: connections that come and go faster than it must not postpone it.
void IdleList::scheduleTick() {
    if (!deadline_.isSet()) deadline_.wakeAfter(tickTime_);
}

// --- all lists ------------------------------------------------------------------------------

void IdleTimeouts::watch(IdleHook& hook, std::chrono::milliseconds timeout) {
    owner_.assertCurrent("IdleTimeouts::watch");
    hook.unlink();
    if (timeout > std::chrono::milliseconds::zero()) listOf(timeout).link(hook);
}

void IdleTimeouts::resume(IdleHook& hook, std::chrono::milliseconds timeout) {
    owner_.assertCurrent("IdleTimeouts::resume");
    if (timeout > std::chrono::milliseconds::zero()) listOf(timeout).resume(hook);
}

IdleList& IdleTimeouts::listOf(std::chrono::milliseconds timeout) {
    for (const auto& list : lists_) {
        if (list->limit() == timeout) return *list;
    }
    return *lists_.emplace_back(std::make_unique<IdleList>(owner_, deadlines_, expired_, timeout));
}

}  // namespace nio
