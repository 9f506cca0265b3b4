#include "sms_router/flow/MessageId.h"

namespace router {

namespace {

constexpr std::string_view hexDigits = "0123456789ABCDEF";

std::optional<unsigned> digitOf(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    return std::nullopt;
}

}  // namespace

MessageIdText textOf(MessageId id) {
    MessageIdText text;
    for (int i = 15; i >= 0; --i, id >>= 4) text.digits[i] = hexDigits[id & 15];
    return text;
}

std::optional<MessageId> messageIdOf(std::string_view text) {
    if (text.size() != 16) return std::nullopt;
    MessageId id = 0;
    for (const char c : text) {
        const std::optional<unsigned> digit = digitOf(c);
        if (!digit) return std::nullopt;
        id = (id << 4) | *digit;
    }
    return id;
}

}  // namespace router
