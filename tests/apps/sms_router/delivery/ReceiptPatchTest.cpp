#include "sms_router/delivery/ReceiptPatch.h"

#include <gtest/gtest.h>

#include <string>

#include <smpp/pdu/PduWriter.h>

namespace router {
namespace {

using namespace std::string_literals;
using smpp::Field;

struct Addressed {
    std::string from;
    std::string to;
    std::string text;
    std::uint8_t esmClass = 4;
    bool hasTlvs = false;
};

nio::Bytes receiptOf(const Addressed& receipt) {
    smpp::PduWriter pdu(smpp::Command::deliverSm, smpp::Status::ok, 1);
    pdu.text("").number(1).number(1).text(receipt.from).number(5).number(0).text(receipt.to);
    pdu.number(receipt.esmClass).number(0).number(0).text("").text("");
    pdu.number(0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(receipt.text.size()));
    pdu.octets(nio::asBytes(receipt.text));
    if (receipt.hasTlvs) {
        pdu.tlv(smpp::Tag::receiptedMessageId, std::string_view("17\0", 3));
        pdu.tlv(smpp::Tag::messageState, std::string_view("\2"));
    }
    return pdu.finish();
}

OwnAddresses ownOf(const std::string& source, const std::string& destination) {
    return {{2, 1, source}, {3, 1, destination}};
}

// "SOURCE>DESTINATION TEXT" with these addresses of the ESME.
std::string withOwn(const Addressed& receipt, const OwnAddresses& own,
                    const std::string& sender = "INFO") {
    const nio::Bytes octets = withOwnAddresses(
        receiptOf(receipt), own, {AddressMark::of(sender), AddressMark::of("447700900123")});
    const smpp::Scanned scanned = smpp::scan(octets, smpp::Reading::tolerant);
    const smpp::Pdu& pdu = *scanned.pdu;
    return std::string(pdu.text(Field::sourceAddress)) + ">" +
           std::string(pdu.text(Field::destinationAddress)) + " " +
           std::string(nio::asText(pdu.message()));
}

TEST(ReceiptPatch, NamesShortSendersInTheText) {
    const OwnAddresses own = ownOf("12345", "00447700900123");
    const std::string from = "447700900123";
    EXPECT_EQ(withOwn({from, "INFO", "id:17 from:INFO to:447700900123 text:INFO"}, own),
              "00447700900123>12345 id:17 from:12345 to:00447700900123 text:INFO");
    EXPECT_EQ(withOwn({from, "err", "id:17 err:000 from:err"}, own),
              "00447700900123>12345 id:17 err:000 from:err")
        << "a field's name stays";
    EXPECT_EQ(withOwn({from, "1234", "id:17 done date:1234"}, own),
              "00447700900123>12345 id:17 done date:1234")
        << "it may be a date";
    EXPECT_EQ(withOwn({from, "AB", "id:17 from:AB"}, own), "00447700900123>12345 id:17 from:AB");
}

TEST(ReceiptPatch, KeepsWordsOfTheReceiptItself) {
    const OwnAddresses own = ownOf("Shop", "00447700900123");
    const std::pair<std::string, std::string> rows[] = {
        {"done", "id:17 submit date:1 done date:2 stat:DELIVRD"},
        {"Date", "id:17 submit Date :1 stat:DELIVRD"},
        {"err", "<id>17</id><stat>DELIVRD</stat><err>000</err>"},
        {"EXPIRED", "id:17 stat:EXPIRED err:000"},
        {"12345", "id:17 stat:EXPIRED err:12345"},
        {"INFO", "id:7-INFO-8 stat:EXPIRED"},
        {"447700", "id:447700 stat:EXPIRED"},
    };
    for (const auto& [sender, text] : rows) {
        EXPECT_EQ(withOwn({"447700900123", sender, text}, own, sender),
                  "00447700900123>Shop " + text);
    }
    EXPECT_EQ(
        withOwn({"447700900123", "EXPIRED", "id:17 stat:DELIVRD from:EXPIRED"}, own, "EXPIRED"),
        "00447700900123>Shop id:17 stat:DELIVRD from:Shop");
}

TEST(ReceiptPatch, NamesAddressesThatWereNotTurned) {
    const OwnAddresses own = ownOf("12345", "00447700900123");
    EXPECT_EQ(
        withOwn({"INFORM", "447700900123", "id:17 from:INFORM to:447700900123"}, own, "INFORM"),
        "00447700900123>12345 id:17 from:12345 to:00447700900123");
}

TEST(ReceiptPatch, RestoresAddressesLongerThanTheirField) {
    const std::string number(30, '7');
    EXPECT_EQ(withOwn({"447700900123", "INFO", "id:17"}, ownOf(std::string(25, 's'), number)),
              number + ">" + std::string(25, 's') + " id:17");
    EXPECT_EQ(withOwn({"447700900123", "INFO", "id:17"}, ownOf("", "")), "447700900123> id:17");
}

TEST(ReceiptPatch, MarksAReceiptThatEsmClassDoesNotTell) {
    const std::pair<unsigned, unsigned> classes[] = {{0x00, 0x04}, {0x08, 0x04}, {0x4C, 0x44},
                                                     {0x04, 0x04}, {0x20, 0x20}, {0x64, 0x64}};
    for (const auto& [given, marked] : classes) {
        const nio::Bytes octets =
            receiptOf({"1", "2", "id:17 stat:DELIVRD", static_cast<std::uint8_t>(given), true});
        const smpp::Scanned scanned = smpp::scan(octets);
        const auto receipt = smpp::receiptOf(*scanned.pdu);
        ASSERT_TRUE(receipt) << given;
        const ReceiptPatch patch(*scanned.pdu, *receipt, "0010000000000001");
        ASSERT_TRUE(patch.fits());
        const nio::Bytes patched = patch.bytes();
        EXPECT_EQ(smpp::scan(patched).pdu->number(Field::esmClass), marked) << given;
    }
}

}  // namespace
}  // namespace router
