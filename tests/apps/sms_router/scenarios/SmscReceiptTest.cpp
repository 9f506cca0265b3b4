// Connectors of one SMSC: a receipt may come by another than its message went out by.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

const std::string ofOne = "smsc = \"one\"";
const std::string patient = ofOne + "\nresponse = \"10m\"";

// Both connectors are of one SMSC; messages go out by "a".
struct OneOfTwo : TwoSmscs {
    explicit OneOfTwo(RouterSetup setup = {}, const std::string& settingsOfA = ofOne)
        : TwoSmscs("[[route]]\nconnector = \"a\"\n", std::move(setup), settingsOfA, ofOne) {}

    std::string accepted(SmppPeer& esme, const std::string& smscId) {
        const std::uint32_t sequence = esme.submit({});
        a.answer(a.nextSubmit(), smscId);
        return esme.expectAnswer(sequence).id();
    }
};

}  // namespace

TEST(RouterSmsc, AReceiptMayComeByAnotherOfItsConnectors) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.b.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::ok);
    EXPECT_TRUE(scene.a.nothingArrives());
}

TEST(RouterSmsc, AReceiptThatWasRefusedForGoodIsRefusedWhereItCame) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.b.receipt(receiptOf("17"));
    esme.refuse(esme.expect(Command::deliverSm), Status::xPAppn);
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::xPAppn);
}

TEST(RouterSmsc, AReceiptFromBothBindsIsPassedOnOnce) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t byB = scene.b.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    const std::uint32_t byA = scene.a.receipt(receiptOf("17"));
    EXPECT_TRUE(scene.a.nothingArrives());
    esme.answer(receipt);
    EXPECT_EQ(scene.b.expectAnswer(byB).status(), Status::ok);
    EXPECT_EQ(scene.a.expectAnswer(byA).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterSmsc, AReceiptWaitsForAnAnswerOnAnotherConnector) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.a.nextSubmit();
    const std::uint32_t sequence = scene.b.receipt(receiptOf("17"));
    EXPECT_TRUE(scene.b.nothingArrives());
    scene.a.answer(submit, "17");
    const std::string ours = esme.expectAnswer(sent).id();
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::ok);
}

TEST(RouterSmsc, AnUnknownReceiptIsRefusedWithNothingInFlight) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.b.receipt(receiptOf("4711"));
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::xPAppn);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterSmsc, AnUnknownReceiptIsRefusedAfterItsTimeout) {
    OneOfTwo scene({.router = "hold_receipts = \"2s\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    scene.a.nextSubmit();
    const std::uint32_t sequence = scene.b.receipt(receiptOf("4711"));
    EXPECT_TRUE(scene.b.nothingArrives());
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::xPAppn);
}

TEST(RouterSmsc, AReceiptMayWriteTheIdInTheOtherBaseWhereverItComes) {
    OneOfTwo scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "1A2B3C4D");
    const std::uint32_t sequence = scene.b.receipt(receiptOf("439041101"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::ok);
}

TEST(RouterSmsc, AnIdThatTwoConnectorsHaveIsOfTheMessageToItsNumber) {
    TwoSmscs scene(byPrefix, {}, ofOne, ofOne);
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({.to = "41790000000"});
    scene.a.answer(scene.a.nextSubmit(), "17");
    esme.expectAnswer(first);
    const std::uint32_t second = esme.submit({.to = "49170000001"});
    scene.b.answer(scene.b.nextSubmit(), "17");
    const std::string ours = esme.expectAnswer(second).id();
    Message sent = receiptOf("17");
    sent.from = "49170000001";
    scene.a.receipt(sent);
    EXPECT_NE(esme.expect(Command::deliverSm).message().find("id:" + ours), std::string::npos);
}

// What is sent after it is no reason to wait.
TEST(RouterSmsc, AnUnknownReceiptIsRefusedDespiteMessagesInFlight) {
    OneOfTwo scene({.router = "hold_receipts = \"1h\""}, patient);
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    const OwnedPdu before = scene.a.nextSubmit();
    const std::uint32_t sequence = scene.b.receipt(receiptOf("4711"));
    EXPECT_TRUE(scene.b.nothingArrives());
    esme.submit({});
    scene.a.nextSubmit();
    scene.a.answer(before, "17");
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::xPAppn);
}

TEST(RouterSmsc, AReceiptFromAnotherNumberWaitsTwoSeconds) {
    OneOfTwo scene({.router = "hold_receipts = \"1h\""}, patient);
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    scene.accepted(esme, "18");
    scene.a.receipt(receiptOf("17"));
    esme.expect(Command::deliverSm);
    esme.submit({});
    scene.a.nextSubmit();
    Message sent = receiptOf("18");
    sent.from = "49170000001";
    scene.a.receipt(sent);
    EXPECT_EQ(esme.expect(Command::deliverSm).text(Field::sourceAddress), sent.from);
}

TEST(RouterSmsc, AReceiptOfAnotherSmscIsNobodysHere) {
    TwoSmscs scene("[[route]]\nconnector = \"a\"\n", {}, ofOne, "smsc = \"another\"");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    scene.a.answer(scene.a.nextSubmit(), "17");
    esme.expectAnswer(sent);
    const std::uint32_t sequence = scene.b.receipt(receiptOf("17"));
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::xPAppn);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterSmscReceipt, IsTakenOnATransmittersBind) {
    OneSmsc scene({}, "transmitters = 1\n");
    EXPECT_EQ(scene.smsc.bindRequest().command(), Command::bindTransmitter);
    SmppPeer esme = scene.router.bound("esme1");
    (void)scene.accepted(esme, "17");
    scene.expectPassedOn(esme, receiptOf("17"));
}

TEST(RouterSmscReceipt, IsTakenBeforeTheBindIsAnswered) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    (void)scene.accepted(esme, "17");
    scene.smsc.close();
    SmppPeer early = scene.listener.acceptConnection();
    const OwnedPdu bind = early.next();
    const std::uint32_t sequence = early.deliver(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(early.expectAnswer(sequence).status(), Status::ok);
}

}  // namespace router::scenarios
