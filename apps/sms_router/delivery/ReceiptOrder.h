// The receipts of a message that was sent by HTTP are told one after the other: which may go out
// now.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "sms_router/model/MessageId.h"

namespace router {

class ReceiptOrder {
  public:
    // `number`: of its delivery. False: another one of the message goes before.
    bool enter(const Whole& whole, std::uint64_t number) {
        if (whole.parts == 0) return true;
        auto& numbers = of_[whole.id];
        numbers.push_back(number);
        return numbers.size() == 1;
    }
    // It has ended. Which one may go out by that.
    std::optional<std::uint64_t> leave(const Whole& whole, std::uint64_t number) {
        if (whole.parts == 0) return std::nullopt;
        const auto found = of_.find(whole.id);
        if (found == of_.end()) return std::nullopt;
        auto& numbers = found->second;
        const bool wasFirst = numbers.front() == number;
        std::erase(numbers, number);
        if (!numbers.empty()) return wasFirst ? std::optional(numbers.front()) : std::nullopt;
        of_.erase(found);
        return std::nullopt;
    }

  private:
    std::unordered_map<MessageId, std::deque<std::uint64_t>> of_;
};

}  // namespace router
