// An address in eight octets, to compare the addresses of a receipt with those of its message.
//
// SMSCs spell the front of a number in their own ways (+41 79…, 0041 79…, 079…): two numbers may be
// the same if their last six digits are, and are the likelier the same the more digits agree.
//
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace router {

class AddressMark {
  public:
    // likeness(): from `same` on, more is better.
    static constexpr unsigned different = 0;
    static constexpr unsigned unknown = 1;
    static constexpr unsigned same = 2;

    constexpr AddressMark() = default;  // not known
    // Of a number its last 15 digits without leading zeros; of a name a hash. Nothing else counts.
    static AddressMark of(std::string_view address);
    // Of a row of a store before version 3, which has a hash of the last six digits; 0: not known.
    static AddressMark ofTail(std::uint16_t tail);
    static AddressMark fromStore(std::int64_t stored);

    std::int64_t forStore() const { return static_cast<std::int64_t>(bits_); }
    bool isKnown() const { return bits_ != 0; }
    // Unknown also where one is a number and the other a name.
    unsigned likeness(AddressMark other) const;

  private:
    enum class Kind : std::uint8_t { none, number, name, tail };

    AddressMark(Kind kind, std::uint64_t value);
    Kind kind() const;
    std::uint64_t value() const;

    std::uint64_t bits_ = 0;  // the kind in the uppermost ones, but the sign
};

}  // namespace router
