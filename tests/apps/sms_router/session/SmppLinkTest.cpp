#include "sms_router/session/SmppLink.h"

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/PduWriter.h>

#include "apps/sms_router/session/LinkCase.h"

namespace router {
namespace {

using smpp::smpptest::pduOf;

using SmppLinkTest = LinkCase;

constexpr std::string_view submitAnswer = "00000011 80000004 00000000 00000002 00";

TEST_F(SmppLinkTest, BindsAndAnswersOverARealSocket) {
    openAndBind();
    EXPECT_TRUE(noting->isBound());
    peer.send(
        pduOf("00000004 00000000 00000002 00 00 00 00 01 01 '12345' 00 00 00 00"
              "00 00 00 00 00 00 05 'hello'"));
    EXPECT_EQ(peer.next(), written(submitAnswer));
    EXPECT_TRUE(dispatcher.failures.empty());
}

TEST_F(SmppLinkTest, BeforeItIsRegisteredAndAfterItsEndItIsNotOpen) {
    const NotingLink unused(options);
    EXPECT_FALSE(unused.isOpen());
    EXPECT_FALSE(unused.isBound());
    open();
    EXPECT_TRUE(noting->isOpen());
    EXPECT_FALSE(noting->isBound());
    peer.close();
    EXPECT_TRUE(untilTold("closed: the peer closed the connection"));
    EXPECT_FALSE(noting->isOpen());
}

TEST_F(SmppLinkTest, InputThatComesOctetByOctetMeansTheSame) {
    open();
    peer.sendChopped(
        "00000023 00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00"
        "00"
        "0000002B 00000004 00000000 00000002 00 00 00 00 01 01 '12345' 00 00 00"
        "00 00 00 00 00 00 00 05 'hello'");
    EXPECT_EQ(peer.next(), written(bindAnswer));
    EXPECT_EQ(peer.next(), written(submitAnswer));
    EXPECT_TRUE(peer.isSilent());
}

TEST_F(SmppLinkTest, SeveralPdusInOneReadAreAnsweredInTheirOrder) {
    openAndBind();
    peer.send(
        "00000010 00000015 00000000 00000007"
        "00000010 00000015 00000000 00000008"
        "00000010 00000006 00000000 00000009");
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000007"));
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000008"));
    EXPECT_EQ(peer.next(), written("00000010 80000006 00000000 00000009"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, ALengthBelowTheHeaderGetsAGenericNackAndCloses) {
    openAndBind();
    peer.send("0000000F 00000015 00000000 00000007 00000010 00000015 00000000 00000008");
    EXPECT_EQ(peer.next(), written("00000010 80000000 00000002 00000007"));
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::badLength))));
}

TEST_F(SmppLinkTest, OfALengthBelowTheHeaderFourOctetsAreEnough) {
    open();
    peer.send("00000004");
    EXPECT_EQ(peer.next(), written("00000010 80000000 00000002 00000000"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, ALengthOverTheMaximumIsAnsweredBeforeItsOctetsCome) {
    open();
    peer.send("7FFFFFFF 00000009 00000000 00000007");
    EXPECT_EQ(peer.next(), written("00000010 80000000 00000002 00000007"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, AnUnknownCommandIsAnsweredAndTheConnectionGoesOn) {
    openAndBind();
    peer.send("00000012 00000033 00000000 00000007 AABB 00000010 00000015 00000000 00000008");
    EXPECT_EQ(peer.next(), written("00000010 80000000 00000003 00000007"));
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000008"));
}

TEST_F(SmppLinkTest, ReadsALongAnswerFirstWhileItUnbinds) {
    options->timers.response = std::chrono::seconds(10);
    limits = {1000, 64};
    openAndBind();
    ASSERT_TRUE(request(7));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->unbindNow();
    });
    nio::Bytes answer = smpp::answer(smpp::Command::deliverSm, smpp::Status::ok, 1);
    answer.resize(200);
    smpp::put32(answer.data(), 200);
    smpp::put16(answer.data() + 17, 0x1400);
    smpp::put16(answer.data() + 19, 200 - 21);
    peer.send(answer);
    EXPECT_TRUE(untilTold("answer to 7, 0"));
}

// --- requests of ours -----------------------------------------------------------------------

TEST_F(SmppLinkTest, ARequestGetsItsNumberAndItsAnswerComesBack) {
    openAndBind();
    EXPECT_TRUE(request(77));
    EXPECT_EQ(peer.next(), written("00000024 00000005 00000000 00000001 00 01 01 'A' 00"
                                   "01 01 'B' 00 00 00 00 00 00 00 00 00 00 01 'x'"));
    peer.send("00000011 80000005 00000000 00000001 00");
    EXPECT_TRUE(untilTold("answer to 77, 0"));
}

TEST_F(SmppLinkTest, WithAFullWindowNothingIsSent) {
    options->window = 1;
    openAndBind();
    EXPECT_TRUE(request(1));
    EXPECT_FALSE(request(2));
    EXPECT_NE(peer.next(), "");
    EXPECT_TRUE(peer.isSilent());
}

TEST_F(SmppLinkTest, BeforeABindNothingIsSent) {
    open();
    EXPECT_FALSE(request(1));
    EXPECT_TRUE(peer.isSilent());
}

TEST_F(SmppLinkTest, WhatIsNotAnsweredIsLostBeforeTheEndIsTold) {
    openAndBind();
    EXPECT_TRUE(request(1));
    EXPECT_TRUE(request(2));
    EXPECT_NE(peer.next(), "");
    EXPECT_NE(peer.next(), "");
    peer.close();
    ASSERT_TRUE(untilTold("closed: the peer closed the connection"));
    EXPECT_EQ(noting->told, (std::vector<std::string>{"opened", "lost 1", "lost 2",
                                                      "closed: the peer closed the connection"}));
}

// --- the end --------------------------------------------------------------------------------

TEST_F(SmppLinkTest, AResetIsToldWithItsReasonOnce) {
    openAndBind();
    peer.reset();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !noting->isOpen(); }));
    dispatcher.turns(3);
    ASSERT_EQ(noting->told.size(), 2u);
    EXPECT_TRUE(noting->told.back().starts_with("closed: "));
    EXPECT_NE(noting->told.back(), "closed: the peer closed the connection");
}

TEST_F(SmppLinkTest, UnboundByThePeerItIsAnsweredAndClosed) {
    openAndBind();
    peer.send("00000010 00000006 00000000 00000009");
    EXPECT_EQ(peer.next(), written("00000010 80000006 00000000 00000009"));
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::unbound))));
}

TEST_F(SmppLinkTest, UnbindsAndClosesWithTheAnswer) {
    openAndBind();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->unbindNow();
    });
    EXPECT_FALSE(noting->isBound());
    EXPECT_EQ(peer.next(), written("00000010 00000006 00000000 00000001"));
    EXPECT_TRUE(peer.isSilent());
    peer.send("00000010 80000006 00000000 00000001");
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, AskedTwiceToUnbindItStillWaitsForTheAnswer) {
    openAndBind();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->unbindNow();
        noting->unbindNow();
    });
    EXPECT_EQ(peer.next(), written("00000010 00000006 00000000 00000001"));
    EXPECT_TRUE(peer.isSilent());
}

TEST_F(SmppLinkTest, NotBoundItIsClosedWithoutAWord) {
    open();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->unbindNow();
    });
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, ClosedByUsNothingIsSentAnyMore) {
    openAndBind();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->closeNow();
    });
    (void)request(1);
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, AfterItsEndItMayBeAskedToEnd) {
    open();
    peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !noting->isOpen(); }));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        noting->unbindNow();
        noting->closeNow();
        noting->rearm();
    });
    EXPECT_TRUE(dispatcher.failures.empty());
}

TEST_F(SmppLinkTest, ItsHandleFindsItUntilItsEnd) {
    open();
    const nio::ChannelHandle handle = noting->handle();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_EQ(dispatcher->findNow(handle), noting->connection());
    });
    peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !noting->isOpen(); }));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_EQ(dispatcher->findNow(handle), nullptr);
    });
}

}  // namespace
}  // namespace router
