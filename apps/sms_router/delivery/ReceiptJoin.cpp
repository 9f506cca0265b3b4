#include "sms_router/delivery/ReceiptJoin.h"

#include <algorithm>

namespace router {

ReceiptJoin::Verdict ReceiptJoin::add(Whole whole, MessageId part, std::uint64_t number,
                                      smpp::MessageState state) {
    Message& message = messages_[whole.id];
    const bool isRepeated = message.waiting.contains(part);
    if (message.isTold || message.passing != 0) return Verdict::isTold;
    const bool isDelivered = state == smpp::MessageState::delivered;
    if (isDelivered && isRepeated) return Verdict::isTold;
    if (isDelivered && message.waiting.size() + 1 < whole.parts) {
        message.waiting.emplace(part, number);
        return Verdict::waits;
    }
    message.passing = number;
    return Verdict::passes;
}

std::vector<std::uint64_t> ReceiptJoin::ended(MessageId id, std::uint64_t number, bool isOver) {
    const auto found = messages_.find(id);
    if (found == messages_.end()) return {};
    Message& message = found->second;
    const auto isIt = [&](const auto& each) { return each.second == number; };
    const bool waited = std::erase_if(message.waiting, isIt) > 0;
    const bool passed = message.passing == number;
    if (!waited && !passed) return {};
    if (isOver) return told(id, message);
    if (passed) message.passing = 0;
    if (message.waiting.empty() && message.passing == 0) messages_.erase(found);
    return {};
}

std::vector<std::uint64_t> ReceiptJoin::giveUp(MessageId message) {
    return told(message, messages_[message]);
}

std::vector<std::uint64_t> ReceiptJoin::told(MessageId id, Message& message) {
    std::vector<std::uint64_t> settled;
    for (const auto& [part, number] : message.waiting) settled.push_back(number);
    if (!message.isTold) told_.push_back(id);
    message = {.isTold = true};
    if (told_.size() > mostTold) {
        messages_.erase(told_.front());
        told_.pop_front();
    }
    return settled;
}

}  // namespace router
