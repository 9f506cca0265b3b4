// A PDU forwarded octet by octet, with a few places replaced. Everything that is not replaced, also
// TLVs and their order, stays as it came; command_length (and sm_length, where the message itself
// is replaced) follow.
//
//     smpp::PduPatch patch(pdu);
//     patch.sequence(17);
//     patch.text(smpp::Field::messageId, ours);
//     patch.appendTo(out);
//
// Thread: one at a time. Lifetime: not longer than the PDU, its bytes and the replacements.
// Limits: maxChanges places; a message or a TLV takes two, of which one is its length. The same
// place again: the later value counts. Places that overlap in part are refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>

namespace smpp {

class PduPatch {
  public:
    static constexpr std::size_t maxChanges = 12;

    explicit PduPatch(const Pdu& pdu) : pdu_(pdu), header_(pdu.header()) {}

    void sequence(std::uint32_t sequence) { header_.sequence = sequence; }
    void status(Status status) { header_.status = status; }
    // Of the same layout: submit_sm for submit_sm, or any command without a body.
    void command(Command command) { header_.command = command; }
    // All that follow: false means refused, and nothing was changed.
    //
    // A C-octet string, given without its NUL. Refused: too long for the field, a NUL in it, a time
    // of neither 0 nor 16 characters, a field that is not there. The value that is there always
    // fits.
    [[nodiscard]] bool text(Field field, std::string_view value);
    // A one-octet integer, no length and no count.
    [[nodiscard]] bool number(Field field, std::uint8_t value);
    // Every TLV with this tag gets this value; false if there is none.
    [[nodiscard]] bool tlv(Tag tag, nio::ByteView value);
    // Any octets of the body, by their place in the PDU; sm_length and TLV lengths are the
    // caller's.
    [[nodiscard]] bool octets(std::size_t offset, std::size_t size, nio::ByteView value);
    // A part of the user data (message()), by its place in it: short_message with sm_length, or
    // message_payload with its length. Refused: a short_message of more than 254 octets.
    [[nodiscard]] bool message(std::size_t offset, std::size_t size, nio::ByteView value);
    // The same of short_message, also where message_payload is the user data.
    [[nodiscard]] bool shortMessage(std::size_t offset, std::size_t size, nio::ByteView value);

    void appendTo(nio::Bytes& out) const;
    nio::Bytes bytes() const;

  private:
    struct Change {
        nio::ByteView value{};
        std::uint32_t offset = 0;
        std::uint32_t size = 0;   // of what is replaced
        bool terminated = false;  // a NUL follows the value
        std::uint8_t ownSize = 0;
        std::array<nio::Byte, 4> own{};  // a value of few octets, kept here

        nio::ByteView written() const;    // without the NUL
        std::size_t writtenSize() const;  // with it
    };
    // Octets behind a length field: short_message, or the value of a TLV.
    struct Counted {
        std::size_t lengthOffset = 0;
        std::size_t lengthSize = 0;
        std::size_t offset = 0;
        std::size_t size = 0;
        std::size_t maximum = 0;
    };

    static Change integer(std::size_t offset, std::size_t size, std::size_t value);
    Counted countedTlv(nio::ByteView value) const;
    std::optional<Counted> countedMessage() const;
    std::optional<Counted> countedShortMessage() const;
    bool replacePart(const Counted& whole, std::size_t offset, std::size_t size,
                     nio::ByteView value);
    bool recount(const Counted& whole);
    bool add(const Change& change);
    std::size_t size() const;
    void appendBody(nio::Byte* to) const;

    const Pdu& pdu_;
    Header header_;
    std::array<Change, maxChanges> changes_{};  // in the order of their offsets
    std::size_t count_ = 0;
};

// In place, where the size stays: a PDU of at least 16 octets.
void setSequence(std::span<nio::Byte> pdu, std::uint32_t sequence);
void setStatus(std::span<nio::Byte> pdu, Status status);

}  // namespace smpp
