// What comes for an account that is not there.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

// Messages that were accepted under these ids, from an account that has only sent.
void sendAndLeave(OneSmsc& scene, int count) {
    SmppPeer esme = scene.router.bound("esme1", Command::bindTransmitter);
    for (int i = 0; i < count; ++i) scene.accepted(esme, std::to_string(700 + i));
    esme.unbind();
}

void expectSafe(OneSmsc& scene, std::uint32_t sequence) {
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

}  // namespace

TEST(RouterKept, AReceiptWaitsForTheNextBind) {
    OneSmsc scene;
    SmppPeer sender = scene.router.bound("esme1", Command::bindTransmitter);
    const std::string ours = scene.accepted(sender, "17");
    sender.unbind();
    expectSafe(scene, scene.smsc.receipt(receiptOf("17")));
    SmppPeer esme = scene.router.bound("esme1", Command::bindReceiver);
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    esme.unbind();
    EXPECT_TRUE(scene.router.bound("esme1").nothingArrives());
}

TEST(RouterKept, AnUnacknowledgedReceiptIsRepeatedOnTheNextBind) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    esme.close();
    expectSafe(scene, sequence);
    SmppPeer next = scene.router.bound("esme1");
    EXPECT_TRUE(sameOctets(next.expect(Command::deliverSm).numbered(0), receipt.numbered(0)));
}

TEST(RouterKept, AMessageForAnAccountThatOnlySendsWaitsForAReceiver) {
    OneSmsc scene;
    SmppPeer transmitter = scene.router.bound("esme1", Command::bindTransmitter);
    expectSafe(scene, scene.smsc.deliver({.to = "12345", .text = "mo"}));
    EXPECT_TRUE(transmitter.nothingArrives());
    SmppPeer receiver = scene.router.bound("esme1", Command::bindReceiver);
    EXPECT_EQ(receiver.expect(Command::deliverSm).message(), "mo");
}

TEST(RouterKept, WhatIsKeptComesInTheOrderOfItsArrival) {
    OneSmsc scene;
    sendAndLeave(scene, 30);
    for (int i = 0; i < 30; ++i) {
        expectSafe(scene, scene.smsc.receipt(receiptOf(std::to_string(700 + i), "EXPIRED")));
        expectSafe(scene, scene.smsc.deliver({.to = "12345", .text = std::to_string(i)}));
    }
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 30; ++i) {
        const OwnedPdu receipt = esme.expect(Command::deliverSm);
        EXPECT_EQ(receipt->number(Field::esmClass), 4);
        esme.answer(receipt);
        const OwnedPdu message = esme.expect(Command::deliverSm);
        EXPECT_EQ(message.message(), std::to_string(i));
        esme.answer(message);
    }
}

TEST(RouterKept, TheOldestGoesWhenThereIsTooMuch) {
    OneSmsc scene({.esme1 = "keep_messages = 2"});
    for (int i = 0; i < 5; ++i) {
        expectSafe(scene, scene.smsc.deliver({.to = "12345", .text = std::to_string(i)}));
    }
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), "3");
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), "4");
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterKept, TheOldestGoesWhenItIsTooLarge) {
    OneSmsc scene({.esme1 = "keep_bytes = 3000"});
    for (int i = 0; i < 5; ++i) {
        const std::string payload(1000, static_cast<char>('0' + i));
        expectSafe(scene,
                   scene.smsc.deliver({.to = "12345", .tlvs = {{Tag::messagePayload, payload}}}));
    }
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), std::string(1000, '3'));
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), std::string(1000, '4'));
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterKept, WhatAnAccountIsNotThereForIsNotGivenToAnother) {
    OneSmsc scene;
    SmppPeer other = scene.router.bound("esme2");
    expectSafe(scene, scene.smsc.deliver({.to = "12345", .text = "mo"}));
    EXPECT_TRUE(other.nothingArrives());
}

TEST(RouterKept, ADoubleOfAKeptReceiptIsAnsweredAndNotPassedOn) {
    OneSmsc scene;
    sendAndLeave(scene, 1);
    expectSafe(scene, scene.smsc.receipt(receiptOf("700")));
    expectSafe(scene, scene.smsc.receipt(receiptOf("700")));
    SmppPeer esme = scene.router.bound("esme1");
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_TRUE(esme.nothingArrives());
}

}  // namespace router::scenarios
