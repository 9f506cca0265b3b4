// Checks passwords on a dispatcher of its own, without sockets, so that hashing never holds up one
// with connections.
//
// A password that was right lately for the same hash is right without hashing, and does not wait
// behind others; a wrong one is always hashed. Those who ask for different reasons (an account, and
// from where) take turns, so that who tries many passwords keeps nobody else out.
//
// Thread: any.
// Lifetime: askers may end before their answer, which is then dropped (destroyed on another
// thread). The destructor answers nobody who still waits.
// Limits: `queued` checks that wait, `queuedOfOne` for one reason; more are answered busy, and
// counted as refused.
// Errors: the constructor throws std::system_error or std::runtime_error.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <nio/dispatch/SelectorThread.h>

#include "sms_router/accounts/FairQueue.h"
#include "sms_router/accounts/PasswordCache.h"
#include "sms_router/accounts/PasswordHash.h"

namespace router {

class PasswordDesk {
  public:
    enum class Verdict { right, wrong, busy };
    using Answer = nio::UniqueFunction<void(Verdict)>;

    struct Limits {
        std::size_t queued = 10'000;
        std::size_t queuedOfOne = 1'000;
        std::size_t cached = 10'000;
    };
    struct Attempt {
        PasswordHash hash;
        std::string password;
        std::string reason;  // those with the same wait for each other, not for others
    };

    // Of its dispatcher, as SelectorThreadOptions has it.
    using GivingUp = std::function<void(const nio::Error&)>;
    explicit PasswordDesk(Limits limits, GivingUp onGivingUp = {});
    PasswordDesk() : PasswordDesk(Limits{}) {}
    ~PasswordDesk();

    // `answer` runs once, in a turn of `asker`, never before this returns.
    void check(Attempt attempt, nio::SelectorThread& asker, Answer answer);

    // For metrics.
    std::uint64_t hashed() const { return hashed_.load(std::memory_order_relaxed); }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  private:
    struct Question;

    bool take();
    void queue(std::unique_ptr<Question> question) NIO_REQUIRES(nio::onDispatcher);
    void workLater() NIO_REQUIRES(nio::onDispatcher);
    void work() NIO_REQUIRES(nio::onDispatcher);
    Verdict verdictOn(const Attempt& attempt) NIO_REQUIRES(nio::onDispatcher);
    bool isRight(const Attempt& attempt) NIO_REQUIRES(nio::onDispatcher);

    const Limits limits_;
    PasswordCache cache_;
    std::atomic<bool> closing_{false};
    std::atomic<std::size_t> waiting_{0};
    std::atomic<std::uint64_t> hashed_{0};
    std::atomic<std::uint64_t> refused_{0};
    FairQueue<std::unique_ptr<Question>> questions_;  // the dispatcher's own
    bool works_ = false;                              // as is this
    nio::SelectorThread thread_;                      // last: its tasks use the rest
};

}  // namespace router
