// Under which key a message id of an SMSC is kept and found again. SMSCs write the same id
// differently in submit_sm_resp and in the receipt: with leading zeros or without, in any case,
// in decimal here and in hexadecimal there, with blanks, quotes, brackets, a "0x", a plus sign or a
// full stop around it, or with blanks in it.
//
//     kept:     map[smpp::exactKey(idOfTheAnswer)]
//     looked up: smpp::exactKey(idOfTheReceipt) first; if nobody is there, each key of
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

// Without what does not belong to the id itself: blanks, line ends, NULs, quotes, <>[](){}.+#* at
// either end, and "0x". One that has nothing else stays as it is.
std::string_view bareId(std::string_view id);

// The bare id in lower case, without blanks and leading zeros ("0" for zeros alone); the dashes of
// a UUID stay. Up to 15 characters cost no allocation. An empty id has the empty key.
std::string exactKey(std::string_view id);

// Keys besides the exact one; none is equal to it. At most two.
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

// The likelier first: the id is a decimal number that was kept in hexadecimal; it is a hexadecimal
// number that was kept in decimal. With "0x" it is not taken for a decimal one. Numbers up to 64
// bits; a longer id has no alternatives. One with a suffix ("17-1": a dash and up to three digits)
// has the id before it as its only one.
AlternativeKeys alternativeKeys(std::string_view id);

}  // namespace smpp
