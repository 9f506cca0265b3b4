// The coroutine of a connection while it runs: what it waits for, and where. CoroutinePeer is what
// the coroutine sees of it.
//
// Thread: the connection's dispatcher ("home"), but for the coroutine itself while it is on another
// one.
// Lifetime: shared by the connection and, while the coroutine is elsewhere, by its way back. All
// dispatchers that it visits must outlive it.
#pragma once

// Included before <coroutine>, which reports an older standard less clearly.
#include <nio/base/Cpp20.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/coroutine/Coroutine.h>
#include <nio/pipeline/StageTimer.h>

namespace nio {

class CoroutineRun : public PreparedTask, public std::enable_shared_from_this<CoroutineRun> {
  public:
    explicit CoroutineRun(StreamHandler& connection);
    CoroutineRun(const CoroutineRun&) = delete;
    CoroutineRun& operator=(const CoroutineRun&) = delete;

    // For the connection. An exception of the coroutine comes out of these.
    void start(Coroutine<> coroutine) NIO_REQUIRES(onDispatcher);
    void itemArrived() NIO_REQUIRES(onDispatcher) { wake(Wait::item); }
    void peerFinished() NIO_REQUIRES(onDispatcher);
    void outputSent() NIO_REQUIRES(onDispatcher) { wake(Wait::room); }
    // A coroutine that waits at home is destroyed; one that is elsewhere, when it comes back.
    void closed() NIO_REQUIRES(onDispatcher);

  protected:
    enum class Wait { nothing, item, room, time, dispatcher };

    // Throws WrongThreadError elsewhere than at home.
    void assertHome(const char* call) const { home_.identity().assertCurrent(call); }
    // Null: the connection has ended.
    StreamHandler* connectionHere() const { return connection_; }
    SelectorThread& homeDispatcher() const { return home_; }
    bool hasPeerFinished() const { return hasPeerFinished_; }

    // For co_await: what the coroutine waits for.
    void await(Wait wait, std::coroutine_handle<> waiting) {
        wait_ = wait;
        waiting_ = waiting;
    }
    void awaitTime(TimePoint when, std::coroutine_handle<> waiting) NIO_REQUIRES(onDispatcher);
    void awaitDispatcher(SelectorThread& there, std::coroutine_handle<> waiting) {
        await(Wait::dispatcher, waiting);
        crossesTo_ = &there;
    }
    // Whether the last awaitDispatcher() has arrived.
    Result<void> crossed() { return std::exchange(crossed_, Result<void>()); }

    // Destroys the coroutine; to be called before what it refers to goes.
    void drop() { coroutine_ = {}; }

  private:
    void wake(Wait wait) NIO_REQUIRES(onDispatcher);
    void goOn();
    bool cross(SelectorThread& there);
    void perform() override;
    void settle() NIO_REQUIRES(onDispatcher);

    StreamHandler* connection_;
    SelectorThread& home_;
    Coroutine<> coroutine_;
    StageTimer timer_;
    std::coroutine_handle<> waiting_;
    Wait wait_ = Wait::nothing;
    SelectorThread* crossesTo_ = nullptr;
    Result<void> crossed_{};
    bool isRunning_ = false;
    // Used only at home.
    bool isAway_ = false;
    bool isPaused_ = false;
    bool isBusy_ = false;
    bool hasPeerFinished_ = false;
};

}  // namespace nio
