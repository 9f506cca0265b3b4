// Octets as a specification's table shows them, for the tests of lib/smpp: hexadecimal digits, and
// characters in single quotes. Blanks mean nothing.
//
//     octets("05 'Hello'")  is  05 48 65 6C 6C 6F
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>

namespace smpp::smpptest {

nio::Bytes octets(std::string_view written);

// A PDU with command_length in front of it, counted.
nio::Bytes pduOf(std::string_view withoutLength);
nio::Bytes withLength(nio::Bytes pdu);

// Hexadecimal digits, so that a failed comparison can be read.
std::string shown(nio::ByteView bytes);
// Those of octets that are written down.
std::string written(std::string_view octets);

// The octets in a block of exactly their size: the sanitizer sees a look beyond it.
class Exactly {
  public:
    explicit Exactly(nio::ByteView bytes);

    nio::ByteView view() const { return {block_.get(), size_}; }

  private:
    std::size_t size_;
    std::unique_ptr<nio::Byte[]> block_;
};

}  // namespace smpp::smpptest
