#include "smpp_bench/smsc/Delivery.h"

#include <gtest/gtest.h>

#include <smpp/pdu/Pdu.h>

#include "smpp_bench/esme/ReceiptText.h"

namespace {

using smpp::Field;
using namespace smppbench;

ReceiptFacts someFacts() {
    // 2024-02-29 12:34:56 UTC.
    return {255,
            {1, 1, "12345"},
            {2, 8, "4670"},
            "hello",
            std::chrono::system_clock::from_time_t(1709210096)};
}

TEST(Delivery, OfAReceiptGoesBackToWhoSentTheMessage) {
    const nio::Bytes bytes =
        receiptPdu(someFacts(), MessageState::delivered, IdForm::hex, ReceiptForm::both);
    const smpp::Scanned scanned = smpp::scan(bytes);
    ASSERT_TRUE(scanned.pdu);
    EXPECT_EQ(scanned.pdu->command(), smpp::Command::deliverSm);
    EXPECT_EQ(scanned.pdu->text(Field::sourceAddress), "4670");
    EXPECT_EQ(scanned.pdu->number(Field::sourceTon), 2);
    EXPECT_EQ(scanned.pdu->number(Field::sourceNpi), 8);
    EXPECT_EQ(scanned.pdu->text(Field::destinationAddress), "12345");
    EXPECT_EQ(scanned.pdu->number(Field::esmClass), 0x04);
}

TEST(Delivery, OfAReceiptHasTheTextOfAppendixB) {
    const nio::Bytes bytes =
        receiptPdu(someFacts(), MessageState::delivered, IdForm::hex, ReceiptForm::text);
    const smpp::Scanned scanned = smpp::scan(bytes);
    ASSERT_TRUE(scanned.pdu);
    const std::string text(nio::asText(scanned.pdu->message()));
    EXPECT_TRUE(text.starts_with("id:ff sub:001 dlvrd:001 submit date:2402291234 done date:"))
        << text;
    EXPECT_TRUE(text.ends_with(" stat:DELIVRD err:000 text:hello")) << text;
    EXPECT_TRUE(scanned.pdu->tlvs().empty());
}

TEST(Delivery, IsReadByTheOtherSideInEveryForm) {
    for (const ReceiptForm form : {ReceiptForm::text, ReceiptForm::tlv, ReceiptForm::both}) {
        const nio::Bytes bytes =
            receiptPdu(someFacts(), MessageState::delivered, IdForm::uuid, form);
        const smpp::Scanned scanned = smpp::scan(bytes);
        ASSERT_TRUE(scanned.pdu);
        const ReceiptReading reading = readReceipt(*scanned.pdu);
        EXPECT_TRUE(reading.isReceipt);
        EXPECT_TRUE(reading.isFinal);
        EXPECT_FALSE(reading.disagrees);
        EXPECT_EQ(reading.messageId, "00000000-0000-4000-8000-0000000000ff");
    }
}

TEST(Delivery, OfASubscribersMessageIsNoReceipt) {
    const nio::Bytes bytes = moPdu({1, 1, "4670"}, {0, 1, "12345"}, nio::asBytes("id:1 stat:X"));
    const smpp::Scanned scanned = smpp::scan(bytes);
    ASSERT_TRUE(scanned.pdu);
    EXPECT_FALSE(readReceipt(*scanned.pdu).isReceipt);
}

}  // namespace
