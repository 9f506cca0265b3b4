#include "sms_router/link/SmppLink.h"

#include <gtest/gtest.h>

#include "apps/sms_router/support/RawSmpp.h"

namespace router {
namespace {

using namespace std::chrono_literals;
using smpp::testing::octets;
using smpp::testing::pduOf;
using smpp::testing::shown;

// Accepts every bind, answers every request, and notes what it is told.
class NotingLink final : public SmppLink {
  public:
    using SmppLink::SmppLink;

    using SmppLink::rearm;

    std::vector<std::string> told;
    bool answers = true;

  private:
    void opened() override NIO_REQUIRES(nio::onDispatcher) { told.emplace_back("opened"); }
    void closed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher) {
        EXPECT_EQ(channel(), nullptr);
        told.push_back("closed: " + why);
    }
    void bindRequested(const smpp::Pdu&) override { session().acceptBind(smppNow()); }
    void requestArrived(const smpp::Pdu& request) override {
        told.push_back("request " + shown(request.bytes()));
        if (answers) session().respond(request.command(), smpp::Status::ok, request.sequence());
    }
    void responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override {
        told.push_back("answer to " + std::to_string(cookie) + ", " +
                       std::to_string(static_cast<unsigned>(answer.status())));
    }
    void requestLost(smpp::Cookie cookie, smpp::Lost, smpp::Status) override {
        told.push_back("lost " + std::to_string(cookie));
    }
};

const std::string_view bindAnswer = "00000019 80000009 00000000 00000001 'nio' 00 0210 0001 34";
const std::string_view submitAnswer = "00000011 80000004 00000000 00000002 00";

class SmppLinkTest : public ::testing::Test {
  protected:
    SmppLinkTest() {
        options->systemId = "nio";
        options->timers = {0ms, 0ms, 0ms, 0ms, 0ms};
    }
    // All timers are off but those that the test has set.
    void open() {
        noting = std::make_shared<NotingLink>(options);
        dispatcher.add(SmppLink::makeHandler(std::move(link.channel), noting, 1000, nullptr),
                       nio::Interest::read);
    }
    void openAndBind() {
        open();
        peer.send(pduOf("00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00"));
        ASSERT_EQ(peer.next(), written(bindAnswer));
    }
    bool untilTold(std::string_view last) {
        return dispatcher.turnUntil(
            [&] { return !noting->told.empty() && noting->told.back() == last; });
    }
    template <class F>
    void inTurn(F&& f) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    // A request of ours, deliver_sm.
    bool request(smpp::Cookie cookie) {
        nio::Bytes pdu = pduOf(
            "00000005 00000000 00000000 00 01 01 'A' 00 01 01 'B' 00 00 00 00"
            "00 00 00 00 00 00 01 'x'");
        bool sent = false;
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            sent = noting->requestNow(pdu, cookie);
        });
        return sent;
    }

    const std::shared_ptr<smpp::SessionOptions> options = std::make_shared<smpp::SessionOptions>();
    std::shared_ptr<NotingLink> noting;
    support::TestDispatcher dispatcher;
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    RawSmpp peer{std::move(link.peer), dispatcher};
};

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

TEST_F(SmppLinkTest, ALengthBelowTheHeaderIsAnsweredWithGenericNackAndClosed) {
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
        EXPECT_EQ(dispatcher->findNow(handle), noting->channel());
    });
    peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !noting->isOpen(); }));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_EQ(dispatcher->findNow(handle), nullptr);
    });
}

// --- its timers -----------------------------------------------------------------------------

TEST_F(SmppLinkTest, WhoDoesNotBindInTimeIsClosed) {
    options->timers.sessionInit = 10ms;
    open();
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::sessionInitTimer))));
}

TEST_F(SmppLinkTest, APduThatNeverBecomesWholeEndsTheConnection) {
    options->timers.pduRead = 10ms;
    openAndBind();
    peer.send("00000010 00000015 0000");
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::pduReadTimer))));
}

TEST_F(SmppLinkTest, TheRestOfAPduBehindAWholeOneIsTimedToo) {
    options->timers.pduRead = 10ms;
    openAndBind();
    peer.send("00000010 00000015 00000000 00000007 00");
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000007"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTest, WithNothingHalfReadThePduTimerStandsStill) {
    options->timers.pduRead = 1h;
    openAndBind();
    EXPECT_EQ(noting->session().nextTick(), smpp::Time::max());
    peer.send("00000010 00000015 0000");
    EXPECT_TRUE(
        dispatcher.turnUntil([&] { return noting->session().nextTick() != smpp::Time::max(); }));
    const smpp::Time due = noting->session().nextTick();
    peer.send("0000");
    dispatcher.turns(3);
    EXPECT_EQ(noting->session().nextTick(), due) << "it began anew";
    peer.send("00000007");
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000007"));
    EXPECT_EQ(noting->session().nextTick(), smpp::Time::max());
}

TEST_F(SmppLinkTest, AskedIfItIsThereAPeerThatAnswersStays) {
    options->timers.enquireLink = 10ms;
    options->timers.response = 10s;
    openAndBind();
    for (const std::string number : {"00000001", "00000002", "00000003"}) {
        EXPECT_EQ(peer.next(), written("00000010 00000015 00000000" + number));
        peer.send("00000010 80000015 00000000" + number);
    }
    EXPECT_TRUE(noting->isBound());
}

TEST_F(SmppLinkTest, AskedIfItIsThereAPeerThatIsSilentIsClosed) {
    options->timers.enquireLink = 10ms;
    options->timers.response = 10ms;
    openAndBind();
    EXPECT_EQ(peer.next(), written("00000010 00000015 00000000 00000001"));
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::enquireTimer))));
}

TEST_F(SmppLinkTest, ARequestThatIsNotAnsweredInTimeIsLostAndTheConnectionStays) {
    options->timers.response = 10ms;
    openAndBind();
    EXPECT_TRUE(request(5));
    EXPECT_TRUE(untilTold("lost 5"));
    EXPECT_TRUE(noting->isBound());
}

TEST_F(SmppLinkTest, WithoutAMessageForTooLongItIsUnbound) {
    options->timers.inactivity = 10ms;
    openAndBind();
    EXPECT_EQ(peer.next(), written("00000010 00000006 00000000 00000001"));
}

}  // namespace
}  // namespace router
