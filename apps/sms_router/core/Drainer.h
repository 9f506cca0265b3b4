// The orderly end of the router, step by step: listeners close; ESMEs are unbound as soon as their
// requests are answered; then SMSCs are unbound; then it is over. All of it until a deadline.
//
// Thread: one dispatcher's own; it is not one of the shards'.
#pragma once

#include <functional>
#include <optional>

#include <nio/timers/Deadline.h>

#include "sms_router/core/Inspection.h"

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
    using Done = std::function<void(const DrainSummary&)>;

    Drainer(nio::SelectorThread& thread, const ShardSet& shards);

    // Once. `done` runs on `thread`.
    void beginNow(std::chrono::milliseconds deadline, Done done) NIO_REQUIRES(nio::onDispatcher);
    bool hasBegun() const { return done_ != nullptr; }
    // As soon as it is known what is left; asked again, at once.
    void endNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    void look() NIO_REQUIRES(nio::onDispatcher);
    void seen(const ShardState& state) NIO_REQUIRES(nio::onDispatcher);
    void unbindConnectors();
    void finish(const std::string& why) NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const ShardSet& shards_;
    std::vector<nio::SelectorThread*> threads_;
    nio::Deadline next_;
    nio::TimePoint end_{};
    Done done_;
    std::vector<ShardState> told_;
    std::string silent_;  // one that does not answer
    ShardState last_;
    bool ending_ = false;
    bool over_ = false;
};

}  // namespace router
