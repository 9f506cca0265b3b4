// The orderly end of a dispatcher: its limits, and what became of everything.
//
// Draining stops accepting (what the backlog holds is still accepted), reads what was under way,
// answers it, flushes, half-closes, and reads to the peer's end of stream before it closes, so
// that a cooperative client sees an exact prefix of the answers and then FIN, never RST.
//
// Thread: any; values, except CloseRequest.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <nio/sys/SpinLock.h>

namespace nio {

struct DrainOptions {
    // After this, what is left is aborted. Zero: abort at once.
    // A peer that takes nothing and does not answer our FIN is waited for at most a quarter of it.
    std::chrono::milliseconds deadline{5000};
    // A connection from which nothing came for so long is taken as having said all, unless it is
    // paused or busy (StreamHandler::setBusy).
    std::chrono::milliseconds quietPeriod{100};
    // A connection on which input keeps arriving half-closes after this, at most half of the
    // deadline, unless it is paused or busy: what has arrived by then is answered. Not one that is
    // piped, nor one that decides itself when to read (setAutoPause(false)): the transfer may be as
    // long as the deadline.
    std::chrono::milliseconds grace{1000};
    // What is read and answered at most per connection once the drain has begun; of one that is
    // busy all.
    std::size_t readBudgetBytes = 256 * 1024;
    // Another process has the listeners, too: what waits in the backlog is left to it, and so is
    // the file of a Unix-domain socket.
    bool leavesListeners = false;

    // No drain: all is aborted at once.
    static DrainOptions atOnce() {
        DrainOptions options;
        options.deadline = std::chrono::milliseconds::zero();
        return options;
    }
    // A successor serves (Takeover.h).
    static DrainOptions handedOver() {
        DrainOptions options;
        options.leavesListeners = true;
        return options;
    }
};

// What a connection would lose if it were closed now.
struct Remains {
    std::size_t unsentBytes = 0;
    std::size_t unreadBytes = 0;
};

struct DrainReport {
    std::size_t drained = 0;      // connections that ended by themselves, all answers handed over
    std::size_t aborted = 0;      // connections that the deadline ended
    std::size_t bytesLost = 0;    // of answers not handed to the kernel
    std::size_t bytesUnread = 0;  // read, but no complete packet, or thrown away unanswered
    // Connections that ended before the deadline, and not all of their answers were handed over:
    // the peer was gone, or a limit or a time-out of theirs ended them.
    std::size_t cutOff = 0;

    // One more connection has ended, with this.
    void add(const Remains& remains, bool wasAborted);
    DrainReport& operator+=(const DrainReport& other);
    // "12 connections drained, 0 aborted, 0 bytes lost"; with those cut off and the unread bytes
    // where there are any.
    std::string toString() const;
};

// A close that was requested when there was no memory for a task that begins it.
//
// Thread: put() and isThere() any; take() the dispatcher's own, once isThere().
class CloseRequest {
  public:
    // Of several the earliest deadline counts.
    void put(const DrainOptions& options) noexcept {
        std::lock_guard lock(lock_);
        if (!options_ || options.deadline < options_->deadline) options_ = options;
        isThere_.store(true, std::memory_order_release);
    }
    bool isThere() const noexcept { return isThere_.load(std::memory_order_acquire); }
    DrainOptions take() noexcept {
        std::lock_guard lock(lock_);
        isThere_.store(false, std::memory_order_relaxed);
        return *std::exchange(options_, std::nullopt);
    }

  private:
    std::atomic<bool> isThere_{false};
    SpinLock lock_;
    std::optional<DrainOptions> options_;
};

}  // namespace nio
