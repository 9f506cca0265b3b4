#include "sms_router/model/MessageId.h"

namespace router {

namespace {

constexpr std::string_view digitsOfAll = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::uint8_t longSize = 16;
constexpr std::uint8_t shortSize = 8;

constexpr unsigned baseOf(std::size_t size) {
    return size == shortSize ? 36 : 16;
}

// 36: none.
unsigned digitOf(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A' + 10);
    if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 10);
    return 36;
}

}  // namespace

MessageIdText textOf(MessageId id) {
    MessageIdText text;
    text.size = isShort(id) ? shortSize : longSize;
    const unsigned base = baseOf(text.size);
    for (std::size_t i = text.size; i > 0; id /= base) text.digits[--i] = digitsOfAll[id % base];
    return text;
}

std::optional<MessageId> messageIdOf(std::string_view text) {
    if (text.size() != longSize && text.size() != shortSize) return std::nullopt;
    const unsigned base = baseOf(text.size());
    MessageId id = 0;
    for (const char c : text) {
        const unsigned digit = digitOf(c);
        if (digit >= base) return std::nullopt;
        id = id * base + digit;
    }
    const bool isOther = id == 0 || isShort(id) != (text.size() == shortSize);
    return isOther ? std::nullopt : std::optional(id);
}

}  // namespace router
