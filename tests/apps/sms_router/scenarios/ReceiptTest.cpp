// Receipts find the message that they are about, and the account that sent it.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

TEST(RouterReceipt, ComesBackWithTheIdThatTheSenderWasGiven) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

TEST(RouterReceipt, HasTheIdReplacedInTheTextAndInTheTlv) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "0A1B2C");
    Message sent = receiptOf("0A1B2C", "DELIVRD", "0A1B2C");
    sent.tlvs.push_back({Tag(0x1500), "vendor"});
    scene.smsc.receipt(sent);
    Message expected = receiptOf(ours, "DELIVRD", ours);
    expected.tlvs.push_back({Tag(0x1500), "vendor"});
    EXPECT_TRUE(sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, expected)));
}

TEST(RouterReceipt, MayHaveItsIdInTheTlvOnly) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    scene.smsc.receipt(receiptOf("", "DELIVRD", "17"));
    EXPECT_TRUE(sameOctets(esme.expect(Command::deliverSm).numbered(0),
                           deliverSm(0, receiptOf("", "DELIVRD", ours))));
}

TEST(RouterReceipt, MayHaveItsIdInQuotesBeforeAComma) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::string rest = "\",sub:001,stat:DELIVRD,err:000";
    scene.smsc.receipt({.to = "12345", .text = "id:\"17" + rest, .esmClass = 4});
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), "id:\"" + ours + rest);
}

TEST(RouterReceipt, MayBeInUcs2) {
    const auto wide = [](const std::string& text) {
        std::string all;
        for (const char letter : text) all += {'\0', letter};
        return all;
    };
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    Message receipt{.to = "12345", .text = wide("id:17 stat:DELIVRD"), .esmClass = 4};
    receipt.dataCoding = 8;
    scene.smsc.receipt(receipt);
    EXPECT_EQ(esme.expect(Command::deliverSm).message(), wide("id:" + ours + " stat:DELIVRD"));
}

TEST(RouterReceipt, MayBeADataSm) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    scene.smsc.send(dataSm(1, receiptOf("", "DELIVRD", "17")));
    const OwnedPdu receipt = esme.expect(Command::dataSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), dataSm(0, receiptOf("", "DELIVRD", ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.smsc.expectAnswer(1).command(), Command::dataSmResp);
}

TEST(RouterReceipt, GoesToAnotherBindOfTheAccountThanTheSenders) {
    OneSmsc scene;
    SmppPeer transmitter = scene.router.bound("esme1", Command::bindTransmitter);
    SmppPeer receiver = scene.router.bound("esme1", Command::bindReceiver);
    const std::string ours = scene.accepted(transmitter, "17");
    scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(receiver.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
    EXPECT_TRUE(transmitter.nothingArrives());
}

TEST(RouterReceipt, GoesToTheAccountThatSentTheMessageAndToNobodyElse) {
    OneSmsc scene;
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    scene.accepted(one, "17");
    const std::string ofTwo = scene.accepted(two, "18");
    // Its destination is a number of esme1's.
    scene.smsc.receipt(receiptOf("18"));
    const OwnedPdu receipt = two.expect(Command::deliverSm);
    EXPECT_NE(receipt.message().find("id:" + ofTwo), std::string::npos);
    two.answer(receipt);
    EXPECT_TRUE(one.nothingArrives());
}

TEST(RouterReceipt, WaitsForTheAnswerThatItHasOutrun) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(submit, "17");
    const std::string ours = esme.expectAnswer(sent).id();
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

TEST(RouterReceipt, OfAnUnknownMessageIsRefusedWhenNoAnswerIsToCome) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("4711"));
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, OfAnUnknownMessageIsRefusedAfterItsTimeout) {
    OneSmsc scene({.router = "hold_receipts = \"50ms\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    scene.smsc.nextSubmit();
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("4711"));
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn);
}

TEST(RouterReceipt, IsGivenToAnotherBindWhenTheOneThatHadItIsLost) {
    OneSmsc scene;
    SmppPeer first = scene.router.bound("esme1");
    scene.accepted(first, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = first.expect(Command::deliverSm);
    SmppPeer second = scene.router.bound("esme1");
    EXPECT_TRUE(second.nothingArrives());
    first.close();
    const OwnedPdu again = second.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(again.numbered(0), receipt.numbered(0)));
    second.answer(again);
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
}

TEST(RouterReceipt, GoesToTheOtherBindOnceOneHasUnbound) {
    OneSmsc scene;
    SmppPeer first = scene.router.bound("esme1");
    SmppPeer second = scene.router.bound("esme1");
    first.ask(bare(Command::unbind, 77));
    EXPECT_TRUE(first.closedByPeer());
    // It does not close its end.
    for (int i = 0; i < 4; ++i) scene.smsc.deliver({.to = "12345", .text = std::to_string(i)});
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(second.expect(Command::deliverSm).message(), std::to_string(i));
    }
}

TEST(RouterReceipt, IsRepeatedWhenItIsNotAnsweredInTime) {
    OneSmsc scene({.timers = "response = \"50ms\""}, "response = \"60s\"");
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    const OwnedPdu again = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(again.numbered(0), receipt.numbered(0)));
}

TEST(RouterReceipt, IsRepeatedAfterATemporaryError) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (const Status status : {Status::xTAppn, Status::msgQFul, Status::invBndSts}) {
        const std::string id = smpp::nameOf(status);
        scene.accepted(esme, id);
        const std::uint32_t sequence = scene.smsc.receipt(receiptOf(id));
        const OwnedPdu receipt = esme.expect(Command::deliverSm);
        esme.refuse(receipt, status);
        const OwnedPdu again = esme.expect(Command::deliverSm);
        EXPECT_TRUE(sameOctets(again.numbered(0), receipt.numbered(0)));
        esme.answer(again);
        EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
        EXPECT_TRUE(esme.nothingArrives());
    }
}

TEST(RouterReceipt, ThatIsRefusedForGoodIsNotRepeatedAndTheSmscIsTold) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (const Status status : {Status::xPAppn, Status::xRAppn, Status(0x412)}) {
        const std::string id = smpp::nameOf(status);
        scene.accepted(esme, id);
        const std::uint32_t sequence = scene.smsc.receipt(receiptOf(id));
        esme.refuse(esme.expect(Command::deliverSm), status);
        EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), status);
        EXPECT_TRUE(esme.nothingArrives());
    }
}

TEST(RouterReceipt, ThatIsNackedIsRefusedToTheSmsc) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    esme.send(smpp::genericNack(Status::invCmdId, receipt.sequence()));
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::invCmdId);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, ThatComesTwiceIsPassedOnOnce) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t first = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(scene.smsc.expectAnswer(first).status(), Status::ok);
    const std::uint32_t second = scene.smsc.receipt(receiptOf("17"));
    EXPECT_EQ(scene.smsc.expectAnswer(second).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, ADuplicateIsAnsweredTwiceAndPassedOnOnce) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t first = scene.smsc.receipt(receiptOf("17"));
    const std::uint32_t second = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(scene.smsc.expectAnswer(first).status(), Status::ok);
    EXPECT_EQ(scene.smsc.expectAnswer(second).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, ThatWasRefusedForGoodIsPassedOnWhenItComesAgain) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t first = scene.smsc.receipt(receiptOf("17"));
    esme.refuse(esme.expect(Command::deliverSm), Status::xPAppn);
    EXPECT_EQ(scene.smsc.expectAnswer(first).status(), Status::xPAppn);
    const std::uint32_t second = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(scene.smsc.expectAnswer(second).status(), Status::ok);
}

TEST(RouterReceipt, OfEachStateIsPassedOn) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    for (const char* state : {"ENROUTE", "ACCEPTD", "DELIVRD"}) {
        Message receipt = receiptOf("17", state);
        if (receipt.text.find("ENROUTE") != std::string::npos) receipt.esmClass = 0x20;
        const std::uint32_t sequence = scene.smsc.receipt(receipt);
        const OwnedPdu came = esme.expect(Command::deliverSm);
        EXPECT_NE(came.message().find(ours), std::string::npos);
        EXPECT_NE(came.message().find(state), std::string::npos);
        esme.answer(came);
        EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
    }
}

TEST(RouterReceipt, OfAStateThatNobodyKnowsIsNoDoubleOfAnother) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    for (const char* state : {"BUFFRED", "FAILED", "FAILED"}) {
        scene.expectPassedOn(esme, receiptOf("17", state));
    }
}

TEST(RouterReceipt, WithoutAStateIsNoDoubleOfAnother) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    for (const char* text : {"id:17 err:001", "id:17 err:000"}) {
        scene.expectPassedOn(esme, {.to = "12345", .text = text, .esmClass = 4});
    }
}

TEST(RouterReceipt, IsNoDoubleOfTheIntermediateNotificationOfItsState) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    Message notification = receiptOf("17");
    notification.esmClass = 0x20;
    scene.expectPassedOn(esme, notification);
    scene.expectPassedOn(esme, receiptOf("17"));
    const std::uint32_t again = scene.smsc.receipt(notification);
    EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, IsGivenToNoMoreThanTheDeliverWindowAtOnce) {
    OneSmsc scene({.router = "threads = 1", .esme1 = "deliver_window = 2"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) scene.accepted(esme, std::to_string(700 + i));
    for (int i = 0; i < 5; ++i) scene.smsc.receipt(receiptOf(std::to_string(700 + i)));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    std::vector<OwnedPdu> receipts{esme.expect(Command::deliverSm),
                                   esme.expect(Command::deliverSm)};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(esme.nothingArrives());
        esme.answer(receipts[i]);
        receipts.push_back(esme.expect(Command::deliverSm));
    }
}

TEST(RouterReceipt, OfAnUnknownMessageWaitsOnlyForEarlierAnswers) {
    OneSmsc scene({.router = "hold_receipts = \"1h\""}, "response = \"10m\"");
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    const OwnedPdu before = scene.smsc.nextSubmit();
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("4711"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    esme.submit({});
    scene.smsc.nextSubmit();
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(before, "17");
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn);
}

TEST(RouterReceipt, FindsItsMessageWhenTheSmscHasComeBack) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    scene.smsc.close();
    scene.smsc = scene.listener.accept();
    scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterReceipt, RepeatedByAReconnectedSmscIsPassedOnOnce) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    scene.smsc.close();
    scene.smsc = scene.listener.accept();
    // It was never answered, so the SMSC sends it again.
    const std::uint32_t again = scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    esme.answer(receipt);
    EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterReceipt, LosesItsTlvsOnTheWayToAnEsmeOfVersion33) {
    OneSmsc scene;
    SmppPeer esme = scene.router.connected();
    ASSERT_EQ(esme.bind({.version = 0x33}), Status::ok);
    const std::string ours = scene.accepted(esme, "17");
    scene.smsc.receipt(receiptOf("17", "DELIVRD", "17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

}  // namespace router::scenarios
