// The user data header in front of a message: elements, each an identifier, a length and a value.
//
//     for (const smpp::UserDataElement& element : smpp::UserDataHeader(pdu)) …
//
// Thread: any; a value. Lifetime: as long as the PDU's bytes.
// Source: 3GPP TS 23.040, 9.2.3.24; SMPP 3.4, 5.2.12 (esm_class).
#pragma once

#include <cstddef>
#include <cstdint>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>

namespace smpp {

struct UserDataElement {
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

}  // namespace smpp
