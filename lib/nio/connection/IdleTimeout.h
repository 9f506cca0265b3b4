// The idle timeout of one connection: calls its handleIdle() after too much inactivity.
//
// Holds a pointer, so that a connection without a timeout needs no hook.
//
// Thread: the dispatcher's own.
#pragma once

#include <memory>

#include <nio/timers/IdleTimeouts.h>

namespace nio {

class IdleTimeout {
  public:
    // Zero: never. Throws std::bad_alloc.
    void start(SelectorHandler& owner, IdleTimeouts& timeouts, std::chrono::milliseconds timeout)
        NIO_REQUIRES(onDispatcher) {
        if (timeout == std::chrono::milliseconds::zero()) return;
        hook_ = std::make_unique<IdleHook>(owner);
        timeouts.watch(*hook_, timeout);
    }
    // Notes activity.
    void touch() NIO_REQUIRES(onDispatcher) {
        if (hook_ != nullptr) hook_->touch();
    }
    void stop() { hook_.reset(); }

    // Migration: the idle time before it counts.
    void suspend() {
        if (hook_ != nullptr) hook_->suspend();
    }
    void resume(IdleTimeouts& timeouts, std::chrono::milliseconds timeout)
        NIO_REQUIRES(onDispatcher) {
        if (hook_ != nullptr) timeouts.resume(*hook_, timeout);
    }

  private:
    std::unique_ptr<IdleHook> hook_;
};

}  // namespace nio
