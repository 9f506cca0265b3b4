#include "sms_router/delivery/ReceiptJoin.h"

#include <algorithm>

namespace router {

ReceiptJoin::Verdict ReceiptJoin::add(Whole whole, MessageId part, std::uint64_t number,
                                      smpp::MessageState state) {
    Message& message = messages_[whole.id];
    if (message.isTold || message.passing != 0) return Verdict::isTold;
    if (state == smpp::MessageState::delivered) {
        if (message.delivered.contains(part)) return Verdict::isTold;
        if (message.delivered.size() + 1 < whole.parts) {
            message.delivered.emplace(part, number);
            return Verdict::waits;
        }
    }
    message.passing = number;
    return Verdict::passes;
}

std::vector<std::uint64_t> ReceiptJoin::ended(Whole whole, std::uint64_t number, bool isOver) {
    const auto found = messages_.find(whole.id);
    if (found == messages_.end()) return {};
    Message& message = found->second;
    if (message.passing == number) {
        if (isOver) return passed(whole, message);
        message.passing = 0;
    } else {
        const auto isIt = [&](const auto& each) { return each.second == number; };
        const auto part = std::find_if(message.delivered.begin(), message.delivered.end(), isIt);
        if (part == message.delivered.end()) return {};
        if (isOver) {
            part->second = 0;
            remember(whole.id, message);
            return {};
        }
        message.delivered.erase(part);
    }
    const bool isEmpty = message.delivered.empty() && message.passing == 0 && !message.isTold;
    if (isEmpty && !message.isRemembered) messages_.erase(found);
    return {};
}

// No part comes after the last.
std::vector<std::uint64_t> ReceiptJoin::passed(Whole whole, Message& message) {
    const bool isLast = message.delivered.size() + 1 >= whole.parts;
    if (!isLast || message.isRemembered) return told(whole.id, message);
    std::vector<std::uint64_t> settled = numbersIn(message);
    messages_.erase(whole.id);
    return settled;
}

std::vector<std::uint64_t> ReceiptJoin::giveUp(MessageId message) {
    return told(message, messages_[message]);
}

std::vector<std::uint64_t> ReceiptJoin::told(MessageId id, Message& message) {
    std::vector<std::uint64_t> settled = numbersIn(message);
    message.delivered.clear();
    message.passing = 0;
    message.isTold = true;
    remember(id, message);
    return settled;
}

std::vector<std::uint64_t> ReceiptJoin::numbersIn(const Message& message) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [part, number] : message.delivered) {
        if (number != 0) numbers.push_back(number);
    }
    return numbers;
}

void ReceiptJoin::remember(MessageId id, Message& message) {
    if (message.isRemembered) return;
    message.isRemembered = true;
    remembered_.push_back(id);
    if (remembered_.size() <= mostRemembered) return;
    messages_.erase(remembered_.front());
    remembered_.pop_front();
}

}  // namespace router
