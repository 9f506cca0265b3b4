// How long a connection that ends waits for its peer, and why it ends: the linger after
// closeAfterFlush(), the quiet period and read budget of a drain, and the deadline of both.
//
// Allocated only for a connection that drains, closes or fails.
//
// Thread: the dispatcher's own, except construction and the reason.
// Errors: what sets the deadline throws std::bad_alloc.
#pragma once

#include <optional>

#include <nio/base/Error.h>
#include <nio/loop/Drain.h>
#include <nio/timers/Deadline.h>

namespace nio {

class Closing {
  public:
    explicit Closing(std::chrono::milliseconds lingerTimeout) : lingerTime_(lingerTimeout) {}

    // Before everything that sets the deadline. Only the first call counts.
    void useDeadline(DeadlineQueue& queue, UniqueFunction<void()> expired);

    // The error that connectionClosed() reports.
    void setReason(Error reason) { reason_ = std::move(reason); }
    const Error* reason() const { return reason_ ? &*reason_ : nullptr; }
    std::optional<Error> takeReason() { return std::exchange(reason_, std::nullopt); }
    // Input that was received after the close and discarded.
    void discard(std::size_t bytes) { discardedBytes_ += bytes; }
    std::size_t discardedBytes() const { return discardedBytes_; }
    // Output that was sent and dropped before it could be encoded.
    void lose(std::size_t bytes) { lostBytes_ += bytes; }
    std::size_t lostBytes() const { return lostBytes_; }

    // A drain: the connection closes after a quiet period, or once the read budget is spent.
    void drain(const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    bool isReadBudgetSpent() const { return readBudget_ == 0; }
    // Input has arrived; `ends`: the connection closes when the read budget is spent.
    void spend(std::size_t bytes, bool ends) NIO_REQUIRES(onDispatcher);
    void restartQuietPeriod() NIO_REQUIRES(onDispatcher);
    // The deadline of the quiet period has expired: whether to wait for another one.
    bool waitsForQuiet(bool busy) NIO_REQUIRES(onDispatcher);

    // Linger: our output has been flushed, or the peer has accepted more of it. `undelivered` as in
    // SocketChannel::undeliveredBytes.
    void linger(std::chrono::milliseconds limit, std::size_t undelivered)
        NIO_REQUIRES(onDispatcher);
    bool isLingering() const { return lingers_; }
    // The linger timeout has expired: whether to wait for another one.
    bool waitsForPeer(bool unsent, std::size_t undelivered) NIO_REQUIRES(onDispatcher);

  private:
    void awaitPeer(std::chrono::milliseconds time) NIO_REQUIRES(onDispatcher);
    void awaitQuiet() NIO_REQUIRES(onDispatcher);

    std::optional<Deadline> deadline_;
    std::chrono::milliseconds lingerTime_;
    std::chrono::milliseconds quietPeriod_{0};
    TimePoint lingerEnd_{};
    TimePoint graceEnd_{};
    std::size_t readBudget_ = 0;
    std::size_t discardedBytes_ = 0;
    std::size_t lostBytes_ = 0;
    std::size_t undelivered_ = 0;  // at the last check
    std::optional<Error> reason_;
    bool draining_ = false;
    bool lingers_ = false;
    bool readOnceMore_ = false;
};

}  // namespace nio
