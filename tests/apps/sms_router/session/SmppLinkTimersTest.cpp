// SmppLink's timers: those of its session, on the dispatcher's clock.
#include "apps/sms_router/session/LinkCase.h"

namespace router {
namespace {

using namespace std::chrono_literals;

using SmppLinkTimersTest = LinkCase;

TEST_F(SmppLinkTimersTest, WhoDoesNotBindInTimeIsClosed) {
    options->timers.sessionInit = 10ms;
    open();
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::sessionInitTimer))));
}

TEST_F(SmppLinkTimersTest, APduThatNeverBecomesWholeEndsTheConnection) {
    options->timers.pduRead = 10ms;
    openAndBind();
    peer.send("00000010 00000015 0000");
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::pduReadTimer))));
}

TEST_F(SmppLinkTimersTest, TheRestOfAPduBehindAWholeOneIsTimedToo) {
    options->timers.pduRead = 10ms;
    openAndBind();
    peer.send("00000010 00000015 00000000 00000007 00");
    EXPECT_EQ(peer.next(), written("00000010 80000015 00000000 00000007"));
    EXPECT_TRUE(peer.untilEnd());
}

TEST_F(SmppLinkTimersTest, WithNothingHalfReadThePduTimerStandsStill) {
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

TEST_F(SmppLinkTimersTest, AskedIfItIsThereAPeerThatAnswersStays) {
    options->timers.enquireLink = 10ms;
    options->timers.response = 10s;
    openAndBind();
    for (const std::string number : {"00000001", "00000002", "00000003"}) {
        EXPECT_EQ(peer.next(), written("00000010 00000015 00000000" + number));
        peer.send("00000010 80000015 00000000" + number);
    }
    EXPECT_TRUE(noting->isBound());
}

TEST_F(SmppLinkTimersTest, AskedIfItIsThereAPeerThatIsSilentIsClosed) {
    options->timers.enquireLink = 10ms;
    options->timers.response = 10ms;
    openAndBind();
    EXPECT_EQ(peer.next(), written("00000010 00000015 00000000 00000001"));
    EXPECT_TRUE(peer.untilEnd());
    peer.close();
    EXPECT_TRUE(untilTold("closed: " + std::string(describe(smpp::End::enquireTimer))));
}

TEST_F(SmppLinkTimersTest, AResponseTimeoutLosesTheRequestOnly) {
    options->timers.response = 10ms;
    openAndBind();
    EXPECT_TRUE(request(5));
    EXPECT_TRUE(untilTold("lost 5"));
    EXPECT_TRUE(noting->isBound());
}

TEST_F(SmppLinkTimersTest, WithoutAMessageForTooLongItIsUnbound) {
    options->timers.inactivity = 10ms;
    openAndBind();
    EXPECT_EQ(peer.next(), written("00000010 00000006 00000000 00000001"));
}

}  // namespace
}  // namespace router
