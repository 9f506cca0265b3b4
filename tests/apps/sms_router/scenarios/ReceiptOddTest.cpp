// Receipts that only their text tells, of rewritten addresses, and from an ESME.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

using namespace std::string_literals;

TEST(RouterReceipt, MayBeToldByItsTextAndNumberOnly) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.to = "447700900123"});
    const std::string text = " sub:001 dlvrd:001 stat:DELIVRD err:000";
    scene.smsc.receipt({.from = "447700900123", .to = "12345", .text = "id:17" + text});
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_EQ(receipt.message(), "id:" + ours + text);
    EXPECT_EQ(receipt->number(Field::esmClass), 4);
    // Of another number it is a message.
    scene.smsc.receipt({.from = "447700900999", .to = "12345", .text = "id:17" + text});
    const OwnedPdu message = esme.expect(Command::deliverSm);
    EXPECT_EQ(message.message(), "id:17" + text);
    EXPECT_EQ(message->number(Field::esmClass), 0);
}

TEST(RouterReceipt, MayBeToldByItsFieldsOrItsTlvs) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.to = "447700900123"});
    const auto passedOn = [&](Message receipt) {
        receipt.from = "447700900123";
        receipt.to = "12345";
        scene.smsc.receipt(receipt);
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_EQ(came->number(Field::esmClass), 4) << receipt.text;
        esme.answer(came);
        return came.message();
    };
    for (const std::string rest : {" sub:001 dlvrd:000 stat:FAILED err:021", " sub:001 dlvrd:001",
                                   " done date:2401010001 stat:BUFFRED", " stat:2 err:000"})
        EXPECT_EQ(passedOn({.text = "id:17" + rest}), "id:" + ours + rest);
    const std::vector<Tlv> tlvs = {{Tag::receiptedMessageId, "17\0"s}, {Tag::messageState, "\1"s}};
    passedOn({.tlvs = tlvs});
    // An SME's acknowledgement is a message.
    for (const std::uint8_t esmClass : {std::uint8_t{8}, std::uint8_t{0x10}}) {
        scene.smsc.receipt(
            {.from = "447700900123", .to = "12345", .esmClass = esmClass, .tlvs = tlvs});
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_EQ(came->number(Field::esmClass), esmClass);
        esme.answer(came);
    }
}

// Otherwise it went to the account that has the number, with the SMSC's id.
TEST(RouterReceipt, WithoutAReadableIdIsRefused) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    (void)scene.accepted(esme, "17", {.to = "447700900123"});
    for (const char* text : {"17 stat:DELIVRD", "text:17 stat:DELIVRD", ""}) {
        const std::uint32_t sequence = scene.smsc.receipt(
            {.from = "447700900123", .to = "12345", .text = text, .esmClass = 4});
        EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn) << text;
    }
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, MayBeToldByItsTextAndReceiptedId) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.to = "447700900123"});
    Message receipt{.from = "447700900123", .to = "12345", .text = "stat:DELIVRD err:000"};
    receipt.tlvs.push_back({Tag::receiptedMessageId, "17\0"s});
    scene.smsc.receipt(receipt);
    const OwnedPdu came = esme.expect(Command::deliverSm);
    EXPECT_EQ(came->number(Field::esmClass), 4);
    EXPECT_EQ(nio::asText(*came->tlv(Tag::receiptedMessageId)), ours + '\0');
    receipt.from = "447700900999";
    scene.smsc.receipt(receipt);
    EXPECT_EQ(esme.expect(Command::deliverSm)->number(Field::esmClass), 0) << "a message";
}

TEST(RouterReceipt, HasOurIdForOneThatIsNoText) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string other = scene.accepted(esme, "1", {.to = "447700900123"});
    const std::string ours = scene.accepted(esme, "123456", {.to = "447700900123"});
    for (const std::string& id : {"\0\1\xE2\x40"s,
                                  "\0"
                                  "1\0"
                                  "2\0"
                                  "3\0"
                                  "4\0"
                                  "5\0"
                                  "6"s}) {
        Message receipt{.from = "447700900123", .to = "12345", .text = "id:123456", .esmClass = 4};
        receipt.tlvs.push_back({Tag::receiptedMessageId, id});
        scene.smsc.receipt(receipt);
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_EQ(came.message(), "id:" + ours);
        EXPECT_EQ(nio::asText(*came->tlv(Tag::receiptedMessageId)), ours + '\0');
    }
}

TEST(RouterReceipt, OfAnIdThatItsTextQuotesNeedsItsNumber) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.to = "447700900123"});
    Message receipt{.from = "447700900999", .to = "12345", .esmClass = 4};
    receipt.text = "text:hello id:17 stat:DELIVRD";
    EXPECT_EQ(scene.smsc.expectAnswer(scene.smsc.receipt(receipt)).status(), Status::xPAppn);
    receipt.from = "447700900123";
    scene.smsc.receipt(receipt);
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), "text:hello id:" + ours + " stat:DELIVRD");
}

TEST(RouterReceipt, NamesTheSendersAddressesInItsText) {
    OneSmsc scene({.more =
                       "[[route]]\nconnector = \"smsc\"\n"
                       "rewrite_source = { replace_by = \"INFORM\" }\n"
                       "rewrite_destination = { strip_prefix = \"00\", add_prefix = \"+\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.from = "12345", .to = "00447700900123"});
    Message receipt{.from = "447700900123", .to = "INFORM", .esmClass = 4};
    receipt.text = "id:17 to:+447700900123 from:INFORM ref:4477009001234 text:to 447700900123";
    scene.smsc.receipt(receipt);
    EXPECT_EQ(
        esme.expect(Command::deliverSm).message(),
        "id:" + ours + " to:00447700900123 from:12345 ref:4477009001234 text:to 447700900123");
}

TEST(RouterReceipt, MayRepeatItsIdManyTimes) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    Message receipt = receiptOf("17", "DELIVRD", "17");
    for (int i = 0; i < 9; ++i)
        receipt.tlvs.push_back({Tag::receiptedMessageId, std::string("17\0", 3)});
    scene.smsc.receipt(receipt);
    EXPECT_TRUE(sameOctets(esme.expect(Command::deliverSm).numbered(0),
                           deliverSm(0, receiptOf(ours, "DELIVRD", ours))));
}

TEST(RouterReceipt, HasTheAddressesThatTheSenderUsed) {
    for (const bool own : {true, false}) {
        OneSmsc scene({.esme1 = own ? "" : "receipt_addresses = \"smsc\"\n",
                       .more = "[[route]]\nconnector = \"smsc\"\n"
                               "rewrite_source = { replace_by = \"INFO\", ton = 5, npi = 0 }\n"
                               "rewrite_destination = { strip_prefix = \"00\" }\n"});
        SmppPeer esme = scene.router.bound("esme1");
        (void)scene.accepted(esme, "17", {.from = "12345", .to = "00447700900123"});
        Message receipt = receiptOf("17");
        receipt.from = "447700900123";
        receipt.to = "INFO";
        scene.smsc.receipt(receipt);
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_EQ(came->text(Field::sourceAddress), own ? "00447700900123" : "447700900123");
        EXPECT_EQ(came->text(Field::destinationAddress), own ? "12345" : "INFO");
    }
}

TEST(RouterReceipt, OfAnEsmeIsRefusedOrLosesItsMark) {
    OneSmsc scene({.esme2 = "receipts_from_esme = \"clear\"\n"});
    SmppPeer refused = scene.router.bound("esme1");
    const Message receipt{.text = "id:17 stat:DELIVRD", .esmClass = 0x44};
    EXPECT_EQ(refused.expectAnswer(refused.submit(receipt)).status(), Status::invEsmClass);
    const Message named{.tlvs = {{Tag::receiptedMessageId, "17"}}};
    EXPECT_EQ(refused.expectAnswer(refused.submit(named)).status(), Status::optParNotAllwd);
    SmppPeer cleared = scene.router.bound("esme2");
    cleared.submit(receipt);
    EXPECT_EQ(scene.smsc.nextSubmit()->number(Field::esmClass), 0x40);
    cleared.submit(named);
    EXPECT_TRUE(scene.smsc.nextSubmit()->tlvs().empty());
}

}  // namespace router::scenarios
