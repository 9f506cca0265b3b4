// The optional parameters of a PDU, seen in place: tag, length, value, again and again.
//
//     for (const smpp::Tlv& tlv : pdu.tlvs()) …
//
// A TlvList shows octets that were checked: its last value ends where the octets end.
//
// Thread: any; a value. Lifetime: as long as the octets.
// Source: SMPP 3.4, 3.2.4 and 5.3.2.
#pragma once

#include <cstddef>
#include <optional>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Tag.h>

namespace smpp {

struct Tlv {
    Tag tag{};
    nio::ByteView value;
};

class TlvList {
  public:
    class Iterator {
      public:
        explicit Iterator(nio::ByteView rest) : rest_(rest) {}
        Tlv operator*() const;
        Iterator& operator++();
        bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

      private:
        nio::ByteView rest_;
    };

    TlvList() = default;
    explicit TlvList(nio::ByteView checked) : octets_(checked) {}

    Iterator begin() const { return Iterator(octets_); }
    Iterator end() const { return Iterator(octets_.last(0)); }
    bool empty() const { return octets_.empty(); }
    nio::ByteView octets() const { return octets_; }

    std::optional<nio::ByteView> find(Tag tag) const;

    // The size of the whole TLVs at the beginning of `octets`.
    static std::size_t wholeOctets(nio::ByteView octets);

  private:
    nio::ByteView octets_;
};

}  // namespace smpp
