// Octets that are no PDU, or come in pieces.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

class RouterLength : public ::testing::TestWithParam<std::string> {};

void expectBadLength(SmppPeer& peer, std::uint32_t sequence) {
    const OwnedPdu answer = peer.next();
    EXPECT_TRUE(sameOctets(answer.octets(), smpp::genericNack(Status::invCmdLen, sequence)));
    EXPECT_TRUE(peer.closedByPeer());
}

}  // namespace

TEST_P(RouterLength, ThatCannotBeIsNackedAndTheConnectionEnds) {
    OneSmsc scene;
    SmppPeer esme = scene.router.connected();
    esme.send(hex(GetParam() + "00000004 00000000 00000007"));
    expectBadLength(esme, 7);
    SmppPeer bound = scene.router.bound("esme1");
    bound.submit({.text = "before"});
    bound.send(hex(GetParam() + "00000004 00000000 00000009"));
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "before");
    expectBadLength(bound, 9);
    SmppPeer another = scene.router.bound("esme1");
    EXPECT_TRUE(another.nothingArrives());
}

TEST_P(RouterLength, OfAnSmscThatCannotBeIsNackedAndItIsBoundToAnew) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    scene.smsc.nextSubmit();
    scene.smsc.send(hex(GetParam() + "00000005 00000000 00000009"));
    expectBadLength(scene.smsc, 9);
    scene.smsc.close();
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::submitFail);
    scene.smsc = scene.listener.accept();
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.accepted(esme, "17");
}

INSTANTIATE_TEST_SUITE_P(Lengths, RouterLength,
                         ::testing::Values("00000000", "00000004", "0000000F", "00012001",
                                           "7FFFFFFF", "FFFFFFFF"));

TEST(RouterMalformed, BodyIsAnsweredWithItsStatusAndTheConnectionStays) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::Bytes whole = submitSm(7, {.text = "hello"});
    // Wherever it is cut, it is answered; what is behind it is read as ever.
    for (std::size_t size = 16; size < whole.size(); ++size) {
        nio::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        cut[3] = static_cast<nio::Byte>(size);
        const OwnedPdu answer = esme.ask(cut);
        EXPECT_EQ(answer.command(), Command::submitSmResp) << size;
        EXPECT_EQ(answer.sequence(), 7u);
        EXPECT_NE(answer.status(), Status::ok) << size;
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.accepted(esme, "17");
}

TEST(RouterMalformed, TlvsAreAnsweredWithTheirStatus) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    nio::Bytes pdu = submitSm(7, {.tlvs = {{Tag::userMessageReference, "\x01\x02"}}});
    pdu[pdu.size() - 3] = nio::Byte{9};  // its length
    EXPECT_EQ(esme.ask(pdu).status(), Status::invOptParStream);
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterMalformed, StrictListenerJudgesByTheBook) {
    OneSmsc scene({.listener = "strict = true\n"});
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(esme.ask(submitSm(8, {.tlvs = {{Tag::userMessageReference, "123"}}})).status(),
              Status::invParLen);
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterMalformed, CommandThatNobodyKnowsIsNacked) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::Bytes unknown = hex("00000014 00000BAD 00000000 00000009 01020304");
    EXPECT_TRUE(sameOctets(esme.ask(unknown).octets(), smpp::genericNack(Status::invCmdId, 9)));
    EXPECT_TRUE(
        sameOctets(scene.smsc.ask(unknown).octets(), smpp::genericNack(Status::invCmdId, 9)));
    scene.accepted(esme, "17");
}

TEST(RouterMalformed, CommandsOfTheOtherSideAreRefused) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const OwnedPdu delivered = esme.ask(deliverSm(9, {}));
    EXPECT_EQ(delivered.command(), Command::deliverSmResp);
    EXPECT_EQ(delivered.status(), Status::invBndSts);
    const OwnedPdu submitted = scene.smsc.ask(submitSm(9, {}));
    EXPECT_EQ(submitted.command(), Command::submitSmResp);
    EXPECT_EQ(submitted.status(), Status::invBndSts);
    scene.accepted(esme, "17");
}

TEST(RouterMalformed, AnswersThatNobodyWaitsForAreDropped) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(withText(Command::deliverSmResp, 77, ""));
    EXPECT_TRUE(esme.nothingArrives());
    scene.smsc.send(withText(Command::submitSmResp, 77, "id"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    EXPECT_TRUE(esme.nothingArrives());
    scene.accepted(esme, "17");
}

TEST(RouterMalformed, AnswerToAStrictConnectorLosesOnlyItsRequest) {
    OneSmsc scene({}, "strict = true\n");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    nio::Bytes endless = withText(Command::submitSmResp, submit.sequence(), "17");
    endless.back() = static_cast<nio::Byte>('7');
    scene.smsc.send(endless);
    EXPECT_NE(esme.expectAnswer(sent).status(), Status::ok);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.accepted(esme, "18");
}

TEST(RouterMalformed, AnswerOfAnotherCommandIsTheRequests) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({.text = "hello"});
    const std::uint32_t sequence = scene.smsc.nextSubmit().sequence();
    scene.smsc.send(PduWriter(Command::dataSmResp, Status::ok, sequence).text("17").finish());
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_EQ(answer.command(), Command::submitSmResp);
    EXPECT_EQ(answer.status(), Status::ok);
    scene.smsc.receipt(receiptOf("17"));
    const std::uint32_t receipt = esme.expect(Command::deliverSm).sequence();
    esme.send(PduWriter(Command::submitSmResp, Status::ok, receipt).text("").finish());
    EXPECT_EQ(scene.smsc.next().command(), Command::deliverSmResp);
}

TEST(RouterPieces, AreMadeAPduHoweverSmallTheyAre) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::Bytes submit = submitSm(7, {.text = "hello"});
    for (const nio::Byte& octet : submit) esme.send({&octet, 1});
    const OwnedPdu arrived = scene.smsc.nextSubmit();
    EXPECT_TRUE(sameOctets(arrived.numbered(7), submit));
    const nio::Bytes answer = withText(Command::submitSmResp, arrived.sequence(), "17");
    for (const nio::Byte& octet : answer) scene.smsc.send({&octet, 1});
    EXPECT_EQ(esme.expectAnswer(7).status(), Status::ok);
}

TEST(RouterPieces, MayBeManyPdusAtOnce) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    nio::Bytes all;
    for (std::uint32_t i = 1; i <= 500; ++i) {
        const nio::Bytes one = submitSm(1000 + i, {.text = std::string(100, 'x')});
        all.insert(all.end(), one.begin(), one.end());
    }
    esme.send(all);
    for (int i = 0; i < 500; ++i) scene.smsc.answer(scene.smsc.nextSubmit(), std::to_string(i));
    for (std::uint32_t i = 1; i <= 500; ++i) {
        EXPECT_EQ(esme.expectAnswer(1000 + i).status(), Status::ok);
    }
}

TEST(RouterPieces, ThatNeverBecomeAPduEndTheConnection) {
    OneSmsc scene({.timers = "pdu_read = \"50ms\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(hex("00000040 00000004"));
    EXPECT_TRUE(esme.closedByPeer());
    SmppPeer early = scene.router.connected();
    early.send(hex("00"));
    EXPECT_TRUE(early.closedByPeer());
}

TEST(RouterPieces, ThatEndInTheMiddleHarmNobody) {
    OneSmsc scene;
    for (int i = 0; i < 10; ++i) {
        SmppPeer esme = scene.router.bound("esme1");
        esme.send(hex("00000040 00000004"));
    }
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
}

}  // namespace router::scenarios
