// Idle time-outs of one length on one dispatcher, without a timer per connection: one tick for all,
// and an intrusive list in the order of last activity.
//
// Activity costs one compare, and a move to the end of the list once per tick. A connection that is
// idle for the time-out is told (SelectorHandler::handleIdle) within the next eighth of it (not
// sooner than 17 ms); later when its dispatcher was held up, never earlier.
//
// Thread: the dispatcher's own.
#pragma once

#include <chrono>
#include <cstdint>

#include <nio/base/ThreadRole.h>
#include <nio/dispatch/Deadline.h>

namespace nio {

class IdleList;
class SelectorHandler;
class SelectorThread;

// A handler's place in the list. Destroying it takes it out.
class IdleHook {
  public:
    explicit IdleHook(SelectorHandler& owner) : owner_(&owner) {}
    IdleHook(const IdleHook&) = delete;
    IdleHook& operator=(const IdleHook&) = delete;
    ~IdleHook() { unlink(); }

    // Bytes have moved. Without a list nothing happens.
    void touch() NIO_REQUIRES(onDispatcher);
    void unlink();
    bool isLinked() const { return list_ != nullptr; }
    // For one that moves to another dispatcher: out of the list; how long it has been idle is kept
    // for SelectorThread::resumeIdle.
    void suspend();

  private:
    friend class IdleList;

    SelectorHandler* owner_;
    IdleList* list_ = nullptr;
    IdleHook* previous_ = nullptr;
    IdleHook* next_ = nullptr;
    std::uint32_t tick_ = 0;  // that of its last activity
    TimePoint activeAt_{};    // suspended, or not active since: not after this; else nothing
};

class IdleList {
  public:
    IdleList(SelectorThread& thread, std::chrono::milliseconds timeout);
    IdleList(const IdleList&) = delete;
    IdleList& operator=(const IdleList&) = delete;
    ~IdleList();

    std::chrono::milliseconds timeout() const { return timeout_; }
    void link(IdleHook& hook) NIO_REQUIRES(onDispatcher);
    // Goes on with what suspend() has kept: no sooner, up to two ticks later, however often it
    // moves.
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
    // Not after this.
    TimePoint lastActivity(const IdleHook& hook) const;

    SelectorThread& thread_;
    const std::chrono::milliseconds timeout_;
    const Clock::duration tickTime_;
    std::uint32_t tick_ = 0;
    TimePoint tickedAt_ = Clock::now();
    IdleHook* first_ = nullptr;  // the one that is idle for longest
    IdleHook* last_ = nullptr;
    Deadline deadline_;
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
