// The graceful shutdown of a dispatcher: its limits, and its report.
//
// A drain accepts what is in the backlog and closes the listeners. Of each connection it reads and
// answers what is in flight, flushes, half-closes, and reads to EOF before it closes. So a
// cooperative client sees an exact prefix of the answers and then FIN, never RST.
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
    // Drain timeout: afterwards the remaining connections are aborted. Zero: abort at once. A peer
    // that neither takes output nor answers our FIN is waited for at most a quarter of it.
    std::chrono::milliseconds deadline{5000};
    // A connection whose peer has sent nothing for this long is considered idle, unless it is
    // paused or busy (StreamHandler::setBusy).
    std::chrono::milliseconds quietPeriod{100};
    // A connection on which input keeps arriving half-closes after this (at most half of the
    // deadline) and answers what has arrived by then, unless it is paused or busy. Not applied if
    // it is piped or after setAutoPause(false): its transfer may last until the deadline.
    std::chrono::milliseconds grace{1000};
    // Maximum bytes to read and answer per connection after the drain has begun; no limit while it
    // is busy.
    std::size_t readBudgetBytes = 256 * 1024;
    // Another process shares the listeners: leaves it the backlog, and the file of a Unix-domain
    // socket.
    bool leavesListeners = false;

    // No drain: aborts everything at once.
    static DrainOptions atOnce() {
        DrainOptions options;
        options.deadline = std::chrono::milliseconds::zero();
        return options;
    }
    // For a drain once a successor serves (Takeover.h).
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
    std::size_t bytesUnread = 0;  // read, but incomplete or discarded unanswered
    // Connections that ended before the deadline with answers not handed over: the peer was gone,
    // or a limit or timeout of their own ended them.
    std::size_t cutOff = 0;

    // Counts a connection that has ended.
    void add(const Remains& remains, bool wasAborted);
    DrainReport& operator+=(const DrainReport& other);
    // "12 connections drained, 0 aborted, 0 bytes lost"; with those cut off and the unread bytes
    // where there are any.
    std::string toString() const;
};

// A close request for which there was no memory to post a task.
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
