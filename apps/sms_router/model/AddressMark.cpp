#include "sms_router/model/AddressMark.h"

namespace router {

namespace {

constexpr unsigned kindShift = 61;
constexpr std::uint64_t valueMask = (std::uint64_t{1} << kindShift) - 1;
constexpr unsigned mostDigits = 15;
constexpr std::uint64_t tooLarge = 1'000'000'000'000'000;  // for so many
constexpr unsigned leastDigits = 6;                        // that must agree
constexpr unsigned identical = AddressMark::same + mostDigits;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
}

std::uint64_t hashOf(std::string_view name) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : name) {
        if (!isLetter(c) && !isDigit(c)) continue;
        const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        hash = (hash ^ static_cast<unsigned char>(small)) * 1099511628211u;
    }
    return hash;
}

unsigned commonDigits(std::uint64_t a, std::uint64_t b) {
    unsigned count = 0;
    for (; count < mostDigits && a % 10 == b % 10; ++count) {
        a /= 10;
        b /= 10;
    }
    return count;
}

std::uint64_t tailOf(std::uint64_t number) {
    std::uint64_t tail = 0;
    unsigned count = 0;
    for (; count < leastDigits && (number > 0 || count == 0); ++count) {
        tail = tail * 10 + number % 10;
        number /= 10;
    }
    return tail % 65'521 + 1;
}

unsigned likenessOfNumbers(std::uint64_t a, std::uint64_t b) {
    if (a == b) return identical;
    const unsigned common = commonDigits(a, b);
    if (common < leastDigits) return AddressMark::different;
    return AddressMark::same + common - leastDigits;
}

}  // namespace

AddressMark::AddressMark(Kind kind, std::uint64_t value)
    : bits_((std::uint64_t{static_cast<std::uint8_t>(kind)} << kindShift) | (value & valueMask)) {}

AddressMark::Kind AddressMark::kind() const {
    return static_cast<Kind>(bits_ >> kindShift);
}

std::uint64_t AddressMark::value() const {
    return bits_ & valueMask;
}

AddressMark AddressMark::of(std::string_view address) {
    std::uint64_t number = 0;
    std::size_t digits = 0;
    for (const char c : address) {
        if (isDigit(c)) {
            number = number * 10 + static_cast<std::uint64_t>(c - '0');
            if (++digits > mostDigits) number %= tooLarge;
        } else if (isLetter(c)) {
            return {Kind::name, hashOf(address)};
        }
    }
    return digits > 0 ? AddressMark(Kind::number, number) : AddressMark();
}

AddressMark AddressMark::ofTail(std::uint16_t tail) {
    return tail == 0 ? AddressMark() : AddressMark(Kind::tail, tail);
}

AddressMark AddressMark::fromStore(std::int64_t stored) {
    AddressMark mark;
    if (stored > 0) mark.bits_ = static_cast<std::uint64_t>(stored);
    return mark;
}

unsigned AddressMark::likeness(AddressMark other) const {
    const Kind mine = kind();
    const Kind its = other.kind();
    if (mine == Kind::number && its == Kind::number) {
        return likenessOfNumbers(value(), other.value());
    }
    if (mine == Kind::name && its == Kind::name) {
        return bits_ == other.bits_ ? identical : different;
    }
    if (mine == Kind::tail && its == Kind::number) {
        return tailOf(other.value()) == value() ? same : different;
    }
    if (mine == Kind::number && its == Kind::tail) return other.likeness(*this);
    return unknown;
}

}  // namespace router
