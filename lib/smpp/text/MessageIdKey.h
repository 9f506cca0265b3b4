// The keys under which a message id of an SMSC is stored and found again. SMSCs write the same id
// differently in submit_sm_resp and in the receipt: with leading zeros or without, in any case,
// in decimal here and in hexadecimal there, with blanks, quotes, brackets, a "0x", a plus sign or a
// full stop around it, or with blanks in it.
//
//     kept:     map[smpp::exactKey(idOfTheAnswer)]
//     looked up: smpp::exactKey(idOfTheReceipt) first; if nothing is found, each key of
//                smpp::alternativeKeys(idOfTheReceipt), in their order.
//
// Thread: any; pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

// The id without surrounding blanks, line ends, NULs, quotes and <>[](){}.+#*, and without "0x". An
// id of nothing else stays as it is.
std::string_view bareId(std::string_view id);

// The bare id in lower case, without blanks and leading zeros ("0" for zeros alone); the dashes of
// a UUID stay. Up to 15 characters cost no allocation. An empty id has the empty key.
std::string exactKey(std::string_view id);

// What may stand before a suffix: "17-1", "17.1", "17_1", "17/1" and "17:1" are about 17.
inline constexpr std::string_view suffixDividers = "-._/:";

// Up to two keys beside the exact one, none equal to it.
class AlternativeKeys {
  public:
    const std::string* begin() const { return keys_.data(); }
    const std::string* end() const { return keys_.data() + count_; }
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }

    void add(std::string key) { keys_[count_++] = std::move(key); }

  private:
    std::array<std::string, 2> keys_{};
    std::size_t count_ = 0;
};

// The likelier first: the decimal id in hexadecimal, then the hexadecimal id in decimal. An id with
// "0x" is not read as decimal. Numbers of up to 64 bits; a longer id has no alternatives. The only
// alternative to an id with a suffix (a divider and up to three digits) is the id before it.
AlternativeKeys alternativeKeys(std::string_view id);

}  // namespace smpp
