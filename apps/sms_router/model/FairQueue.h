// What waits, of accounts that take turns, as the networks that it comes from do within each: who
// has many networks keeps no other account waiting, and who fills a lane no other network.
//
// Thread: one at a time.
// Limits: as much in all, and in one lane (an account from one network), as Limits say. push() says
// what must leave for them.
// Errors: push() throws std::bad_alloc, and has changed nothing then.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "sms_router/model/Lane.h"
#include "sms_router/model/Lanes.h"

namespace router {

template <class T>
class FairQueue {
  public:
    struct Limits {
        std::size_t inAll = 0;
        std::size_t inOne = 0;
    };
    explicit FairQueue(Limits limits) : limits_(limits) {}

    bool empty() const { return accounts_.size() == 0; }
    std::size_t waiting(const std::string& account, const std::string& network) const {
        const auto* networks = accounts_.find(account);
        const auto* lane = networks == nullptr ? nullptr : networks->find(network);
        return lane == nullptr ? 0 : lane->size();
    }
    // What finds no place: `item` where its lane is full; where all is full the last of the longest
    // lane of the account that has the most, which may be `item`.
    std::optional<T> push(const std::string& account, const std::string& network, T&& item) {
        if (waiting(account, network) >= limits_.inOne) return std::move(item);
        accounts_.push(std::move(item), account, network);
        if (accounts_.size() <= limits_.inAll) return std::nullopt;
        return accounts_.popOfLongest();
    }
    // The first of the lane whose turn it is. Not when it is empty.
    T pop() { return accounts_.pop(); }

  private:
    const Limits limits_;
    Lanes<Lanes<Lane<T>>> accounts_;
};

}  // namespace router
