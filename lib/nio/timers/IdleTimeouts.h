// Idle timeouts of one dispatcher's connections, without a timer for each: one list per length of
// timeout, in the order of last activity, and one tick per list.
//
// Activity costs one comparison, and once per tick a move to the end of the list. An idle
// connection is told (SelectorHandler::handleIdle) within an eighth of the timeout after it has
// expired (or 17 ms, if that is longer); later when the dispatcher was busy, never earlier.
//
// Thread: the dispatcher's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <nio/base/ThreadRole.h>
#include <nio/timers/Deadline.h>

namespace nio {

class IdleList;
class SelectorHandler;

// A handler's place in a list. Destroying it takes it out.
class IdleHook {
  public:
    explicit IdleHook(SelectorHandler& owner) : owner_(&owner) {}
    IdleHook(const IdleHook&) = delete;
    IdleHook& operator=(const IdleHook&) = delete;
    ~IdleHook() { unlink(); }

    // Notes activity. Does nothing if the hook is in no list.
    void touch() NIO_REQUIRES(onDispatcher);
    void unlink();
    bool isLinked() const { return list_ != nullptr; }
    // Before a migration: leaves the list and keeps the idle time for IdleTimeouts::resume.
    void suspend();

  private:
    friend class IdleList;

    SelectorHandler* owner_;
    IdleList* list_ = nullptr;
    IdleHook* previous_ = nullptr;
    IdleHook* next_ = nullptr;
    std::uint32_t tick_ = 0;  // that of its last activity
    TimePoint activeAt_{};    // from suspend() to the next activity: latest possible activity
};

// The idle timeouts of one length.
class IdleList {
  public:
    using Expired = UniqueFunction<void(SelectorHandler&)>;

    // All must outlive it.
    IdleList(const DispatcherIdentity& owner, DeadlineQueue& deadlines, Expired& expired,
             std::chrono::milliseconds timeout);
    IdleList(const IdleList&) = delete;
    IdleList& operator=(const IdleList&) = delete;
    ~IdleList();

    std::chrono::milliseconds limit() const { return timeout_; }
    void link(IdleHook& hook) NIO_REQUIRES(onDispatcher);
    // Continues with the idle time that suspend() kept: never expires early, and up to two ticks
    // late, however often the connection migrates.
    void resume(IdleHook& hook) NIO_REQUIRES(onDispatcher);
    std::uint32_t tick() const { return tick_; }

  private:
    friend class IdleHook;

    // More ticks are more exact and cost more wake-ups of an otherwise idle dispatcher.
    static constexpr std::uint32_t ticksPerTimeout = 16;

    void assertOwn(const char* call) const NIO_ASSERT_CAPABILITY(onDispatcher);
    void append(IdleHook& hook);
    void insertAfter(IdleHook* before, IdleHook& hook);
    void remove(IdleHook& hook);
    void tickNow() NIO_REQUIRES(onDispatcher);
    void scheduleTick() NIO_REQUIRES(onDispatcher);
    bool isDue(const IdleHook& hook) const { return tick_ - hook.tick_ > ticksPerTimeout; }
    void insertByTime(IdleHook& hook, TimePoint now);
    // The latest time at which the hook can have been active last.
    TimePoint lastActivity(const IdleHook& hook) const;

    const DispatcherIdentity& owner_;
    Expired& expired_;
    const std::chrono::milliseconds timeout_;
    const Clock::duration tickTime_;
    std::uint32_t tick_ = 0;
    TimePoint tickedAt_ = Clock::now();
    IdleHook* first_ = nullptr;  // idle for longest
    IdleHook* last_ = nullptr;
    Deadline deadline_;
};

// All lists of one dispatcher.
class IdleTimeouts {
  public:
    // `expired` is called for each handler whose timeout expires. The rest must outlive this.
    IdleTimeouts(const DispatcherIdentity& owner, DeadlineQueue& deadlines,
                 IdleList::Expired expired)
        : owner_(owner), deadlines_(deadlines), expired_(std::move(expired)) {}

    // Calls the handler's handleIdle() after this much inactivity. Zero disables the timeout.
    void watch(IdleHook& hook, std::chrono::milliseconds timeout) NIO_REQUIRES(onDispatcher);
    // The same after IdleHook::suspend(): the idle time before counts.
    void resume(IdleHook& hook, std::chrono::milliseconds timeout) NIO_REQUIRES(onDispatcher);
    void clear() { lists_.clear(); }

  private:
    IdleList& listOf(std::chrono::milliseconds timeout);

    const DispatcherIdentity& owner_;
    DeadlineQueue& deadlines_;
    IdleList::Expired expired_;
    std::vector<std::unique_ptr<IdleList>> lists_;
};

inline void IdleHook::touch() {
    if (list_ == nullptr || tick_ == list_->tick()) return;
    list_->assertOwn("IdleHook::touch");
    list_->remove(*this);
    list_->append(*this);
}

inline void IdleHook::unlink() {
    if (list_ == nullptr) return;
    list_->remove(*this);
    list_ = nullptr;
}

}  // namespace nio
