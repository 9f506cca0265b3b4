// AccountDesk: what an account fetches.
#include "sms_router/delivery/AccountDesk.h"

namespace router {

namespace {

// More than a client asks at once; those that are never acknowledged are forgotten.
constexpr std::size_t mostPulls = 8;

}  // namespace

AccountDesk::Pulled AccountDesk::pulledNow(std::uint64_t since, std::size_t most) {
    if (const auto seen = pulled_.extract(since)) {
        for (const std::uint64_t number : seen.mapped()) {
            const auto found = items_.find(number);
            if (found == items_.end()) continue;
            finish(found, Delivered::safe, smpp::Status::ok, "delivered");
        }
        forgetGone();
    }
    pump();
    Pulled pulled;
    // Deliveries do not come in the order of their numbers: what a repeated request shows must not
    // count as shown by the lost answer before it. So each answer has a number of its own.
    pulled.since = home_.services().deliveries.fetch_add(1, std::memory_order_relaxed);
    std::vector<std::uint64_t> numbers;
    const auto add = [&](std::uint64_t number) {
        const auto found = items_.find(number);
        if (found == items_.end()) return;
        pulled.deliveries.emplace(number, found->second.delivery.pdu);
        numbers.push_back(number);
    };
    for (auto next = later_.begin(); next != later_.end() && numbers.size() < most; ++next) {
        add(next->second);
    }
    for (auto next = ready_.begin(); next != ready_.end() && numbers.size() < most; ++next) {
        add(*next);
    }
    if (numbers.empty()) return pulled;
    pulled_.emplace(pulled.since, std::move(numbers));
    if (pulled_.size() > mostPulls) pulled_.erase(pulled_.begin());
    return pulled;
}

}  // namespace router
