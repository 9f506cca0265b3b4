// The user data header in front of a message: elements, each an identifier, a length and a value.
//
//     for (const smpp::UserDataElement& element : smpp::UserDataHeader(pdu)) …
//
// Thread: any; a value. Lifetime: as long as the PDU's bytes.
// Source: 3GPP TS 23.040, 9.2.3.24; SMPP 3.4, 5.2.12 (esm_class).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <nio/base/Bytes.h>
#include <smpp/pdu/Pdu.h>

namespace smpp {

struct UserDataElement {
    // Identifiers that are read or written here.
    static constexpr std::uint8_t reference8 = 0x00;   // concatenation, by a reference of 8 bits
    static constexpr std::uint8_t reference16 = 0x08;  // the same of 16 bits
    static constexpr std::uint8_t singleShift = 0x24;  // national language

    std::uint8_t identifier = 0;
    nio::ByteView value;
};

class UserDataHeader {
  public:
    class Iterator {
      public:
        explicit Iterator(nio::ByteView rest) : rest_(isWhole(rest) ? rest : rest.last(0)) {}
        UserDataElement operator*() const;
        Iterator& operator++();
        bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

      private:
        static bool isWhole(nio::ByteView rest);

        nio::ByteView rest_;
    };

    // Of a PDU whose esm_class says that there is one (UDHI); otherwise empty. So is one that says
    // it is longer than the message.
    explicit UserDataHeader(const Pdu& pdu);
    // Of a message that begins with one.
    explicit UserDataHeader(nio::ByteView message);

    // An element that does not fit into the header ends it.
    Iterator begin() const { return Iterator(elements_); }
    Iterator end() const { return Iterator(elements_.last(0)); }

    // Octets of the message that it takes, its length octet counted: where the text begins.
    std::size_t size() const { return size_; }

  private:
    nio::ByteView elements_;
    std::size_t size_ = 0;
};

// Which part of which long message a PDU carries.
// Source: 3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8; SMPP 3.4, 5.3.2.22 to 5.3.2.24 (sar_*).
struct Concatenation {
    std::uint32_t reference = 0;  // unique per sender and receiver, for a while
    unsigned total = 0;           // parts there are: 1 to 255
    unsigned part = 0;            // this one: 1 to total
};

// By the user data header (a reference of 8 or 16 bits), otherwise by the sar_* TLVs. Nothing: the
// message is whole, or its part numbers are invalid (part 0, or beyond the total).
std::optional<Concatenation> concatenationOf(const Pdu& pdu);

}  // namespace smpp
