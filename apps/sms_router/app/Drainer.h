// The orderly end of the router, step by step: listeners close; ESMEs are unbound as soon as their
// requests are answered; then SMSCs are unbound; then it is over. All of it until a deadline.
//
// Thread: one dispatcher's own, which is not one of the shards', except what says otherwise.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include <nio/channel/SocketChannel.h>
#include <nio/timers/Deadline.h>

#include "sms_router/app/Inspection.h"

namespace router {

struct DrainSummary {
    std::string why;  // it did not come to its end by itself; empty: it did
    ShardState left;  // when it ended; of one that hangs, when it was last heard
    bool oneHangs = false;

    // "all binds closed, 0 requests unanswered, …".
    std::string toString() const;
};

class Drainer {
  public:
    using Done = std::function<void()>;

    Drainer(nio::SelectorThread& thread, const ShardSet& shards, std::chrono::milliseconds timeout);

    // Of a drain that begins later. Thread: any.
    void useTimeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

    // Once. `done` runs on `thread`.
    void beginNow(Done done) NIO_REQUIRES(nio::onDispatcher);
    bool hasBegun() const { return begun_; }
    // The same, to look at later. Thread: any.
    const std::atomic<bool>& begun() const { return begun_; }
    // As soon as it is known what is left; asked again, at once.
    void endNow() NIO_REQUIRES(nio::onDispatcher);
    // The next router waits until this connection is closed: once this one has let go of all that
    // only one may use (see Takeover).
    void setSuccessor(nio::SocketChannel successor) { successor_.emplace(std::move(successor)); }
    bool hasSuccessor() const { return successor_.has_value(); }
    void releaseSuccessor() { successor_.reset(); }
    // Once `done` has run.
    const DrainSummary& summary() const { return summary_; }

  private:
    void look() NIO_REQUIRES(nio::onDispatcher);
    void seen(const ShardState& state) NIO_REQUIRES(nio::onDispatcher);
    void unbindConnectors();
    void finish(const std::string& why) NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const ShardSet& shards_;
    std::atomic<std::chrono::milliseconds> timeout_;
    std::vector<nio::SelectorThread*> threads_;
    nio::Deadline next_;
    std::atomic<bool> begun_{false};
    nio::TimePoint end_{};
    Done done_;
    std::vector<ShardState> told_;
    std::string silent_;  // one that does not answer
    ShardState last_;
    DrainSummary summary_;
    bool ending_ = false;
    bool over_ = false;
    std::optional<nio::SocketChannel> successor_;
};

}  // namespace router
