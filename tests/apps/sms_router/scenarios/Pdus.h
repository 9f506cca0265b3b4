// PDUs as tests write and read them.
//
//     esme.send(submitSm(7, {.to = "41791234567", .text = "hello"}));
//     EXPECT_EQ(smsc.next().text(Field::destinationAddress), "41791234567");
//
// Thread: any; values.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduWriter.h>

namespace smpp {
// So that a test that fails says it in words.
inline void PrintTo(Status status, std::ostream* out) {
    *out << nameOf(status);
}
inline void PrintTo(Command command, std::ostream* out) {
    *out << nameOf(command) << (isResponse(command) ? " (response)" : "");
}
}  // namespace smpp

namespace router::scenarios {

using smpp::Command;
using smpp::Field;
using smpp::PduWriter;
using smpp::Status;
using smpp::Tag;

// A PDU with its octets. Errors: std::runtime_error if they are malformed.
class OwnedPdu {
  public:
    explicit OwnedPdu(nio::Bytes octets);

    const smpp::Pdu* operator->() const { return &pdu_; }
    const nio::Bytes& octets() const { return *octets_; }
    Command command() const { return pdu_.command(); }
    Status status() const { return pdu_.status(); }
    std::uint32_t sequence() const { return pdu_.sequence(); }
    std::string_view text(Field field) const { return pdu_.text(field); }
    // message_id.
    std::string id() const { return std::string(pdu_.text(Field::messageId)); }
    // short_message or message_payload.
    std::string message() const { return std::string(nio::asText(pdu_.message())); }
    // Of an optional parameter; "(absent)" without it.
    std::string tlv(Tag tag) const;
    // The whole PDU with this sequence number, to compare it.
    nio::Bytes numbered(std::uint32_t sequence) const;

  private:
    std::shared_ptr<const nio::Bytes> octets_;
    smpp::Pdu pdu_;
};

struct Tlv {
    Tag tag;
    std::string value;
};

// What a submit_sm, a deliver_sm or a data_sm says; fields that are not named here are 0.
struct Message {
    std::string from = "12345";
    std::string to = "41791234567";
    std::string text{};
    std::string serviceType{};
    std::uint8_t fromTon = 0;
    std::uint8_t fromNpi = 1;
    std::uint8_t toTon = 1;
    std::uint8_t toNpi = 1;
    std::uint8_t esmClass = 0;
    std::uint8_t registeredDelivery = 1;
    std::uint8_t dataCoding = 0;
    std::vector<Tlv> tlvs{};
};

nio::Bytes submitSm(std::uint32_t sequence, const Message& message);
nio::Bytes deliverSm(std::uint32_t sequence, const Message& message);
// The text goes into message_payload.
nio::Bytes dataSm(std::uint32_t sequence, const Message& message);
// The message of a receipt; `id` is written into the text, and into the TLV unless `tlvId` is
// "(absent)". An empty `id` leaves the text out.
Message receiptOf(const std::string& id, const std::string& state = "DELIVRD",
                  const std::string& tlvId = "(absent)");

struct Binding {
    Command kind = Command::bindTransceiver;
    std::string systemId = "esme1";
    std::string password = "secret1";
    std::uint8_t version = 0x34;
};
nio::Bytes bindPdu(std::uint32_t sequence, const Binding& binding);
// A request or an answer without a body.
nio::Bytes bare(Command command, std::uint32_t sequence, Status status = Status::ok);
// A request or an answer whose body is one C-octet string.
nio::Bytes withText(Command command, std::uint32_t sequence, std::string_view text,
                    Status status = Status::ok);
// Octets from hexadecimal digits; blanks are skipped.
nio::Bytes hex(std::string_view digits);
// EXPECT_TRUE(sameOctets(a, b)) says where they differ.
::testing::AssertionResult sameOctets(nio::ByteView came, nio::ByteView expected);

}  // namespace router::scenarios
