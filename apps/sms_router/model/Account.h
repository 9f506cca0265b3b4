// An account, as all dispatchers share it: a few numbers. What is confined (its binds, what waits
// for it) is at its desk, on its home dispatcher.
//
// Thread: any.
// Lifetime: that of the router; an account that a new configuration does not have stays, without a
// configuration.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "sms_router/model/RateLimit.h"

namespace router {

class AccountDesk;

// Relaxed counters: they are read for show only.
struct AccountFigures {
    std::atomic<std::uint64_t> submitted{0};
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> throttled{0};
    // To its HTTP requests, by the first digit of their status.
    std::array<std::atomic<std::uint64_t>, 6> httpAnswers{};
};

class Account {
  public:
    explicit Account(std::string systemId) : systemId_(std::move(systemId)) {}

    const std::string& systemId() const { return systemId_; }
    AccountFigures& figures() { return figures_; }
    RateLimit& rate() { return rate_; }
    // Set once, before dispatchers know the account.
    AccountDesk& desk() const { return *desk_; }
    void setDesk(AccountDesk& desk) { desk_ = &desk; }

  private:
    const std::string systemId_;
    AccountFigures figures_;
    RateLimit rate_;
    AccountDesk* desk_ = nullptr;
};

}  // namespace router
