// Checks passwords on a dispatcher of its own, without sockets, so that hashing never holds up one
// with connections.
//
// A password that was right lately for the same hash is right without hashing. It waits only behind
// others for its account from its network, so that of many guesses at once the right one is not
// told apart at once; a wrong one is always hashed. Accounts take turns, and within each the
// networks that are asked from, so that a guesser does not delay the others.
//
// Thread: any; a lock is held for a look-up in maps.
// Lifetime: askers may end before their answer, which is then dropped (destroyed on another
// thread), and so is that of who does not ask any more. The destructor answers nobody who still
// waits.
// Limits: `queuedOfOne` checks that wait of an account from one network, more are answered busy;
// `queued` in all, and with one more the last of the longest lane of the account that has the most
// is. These are counted as refused.
// Errors: the constructor throws std::system_error or std::runtime_error.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nio/loop/SelectorThread.h>

#include "sms_router/config/PasswordHash.h"
#include "sms_router/ingress/PasswordCache.h"
#include "sms_router/model/FairQueue.h"

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
        std::string account;
        std::string network;             // where it is asked from
        std::weak_ptr<const void> asks;  // once it has expired nothing is hashed any more
    };

    // Of its dispatcher, as SelectorThreadOptions has it.
    using GivingUp = std::function<void(const nio::Error&)>;
    explicit PasswordDesk(Limits limits, GivingUp onGivingUp = {});
    PasswordDesk() : PasswordDesk(Limits{}) {}
    ~PasswordDesk();

    // `answer` runs once, in a turn of `asker`, never before this returns; it may not run once
    // `attempt.asks` has expired.
    void check(Attempt attempt, nio::SelectorThread& asker, Answer answer);

    // For metrics.
    std::uint64_t hashed() const { return hashed_.load(std::memory_order_relaxed); }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  private:
    struct Question;

    std::unique_ptr<Question> queue(std::unique_ptr<Question> question);
    bool hasWaiting(const Attempt& attempt);
    void workLater();
    void work() NIO_REQUIRES(nio::onDispatcher);
    std::unique_ptr<Question> next() NIO_REQUIRES(nio::onDispatcher);
    Verdict verdictOn(const Attempt& attempt) NIO_REQUIRES(nio::onDispatcher);
    bool isRight(const Attempt& attempt) NIO_REQUIRES(nio::onDispatcher);

    const Limits limits_;
    PasswordCache cache_;
    std::atomic<bool> closing_{false};
    std::atomic<std::uint64_t> hashed_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::mutex mutex_;
    FairQueue<std::unique_ptr<Question>> questions_;  // under mutex_
    bool works_ = false;                              // likewise
    nio::SelectorThread thread_;                      // last: its tasks use the rest
};

}  // namespace router
