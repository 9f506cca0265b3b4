#include "sms_router/delivery/AccountDesk.h"

#include <gtest/gtest.h>

#include "apps/sms_router/delivery/DeskCase.h"

namespace router {
namespace {

class AccountDeskTest : public ::testing::Test, protected DeskCase {};

// --- on their way ---------------------------------------------------------------------------

TEST_F(AccountDeskTest, ADeliveryGoesToTheBindAndItsSourceHearsOfTheAnswer) {
    bench.start();
    const auto esme = bench.bind();
    deliver(3);
    EXPECT_EQ(esme->next(), written(deliverSm(3, "00000001")));
    EXPECT_TRUE(source.told.empty());
    EXPECT_EQ(bench.desk->unsafe(), 1u);
    esme->send(deliverAnswer("00000001"));
    EXPECT_TRUE(untilTold({"3 safe 0"}));
    EXPECT_EQ(figures().delivered, 1u);
    EXPECT_EQ(figures().receipts, 0u);
    EXPECT_EQ(figures().kept, 0u);
    EXPECT_EQ(bench.desk->unsafe(), 0u);
}

TEST_F(AccountDeskTest, AReceiverGetsThemAndATransmitterDoesNot) {
    bench.start();
    const auto transmitter = bench.bind("00000002");
    const auto receiver = bench.bind("00000001");
    deliver({1, 2});
    takes(*receiver, {1, 2});
    EXPECT_TRUE(transmitter->isSilent());
}

TEST_F(AccountDeskTest, NoMoreAreUnderWayThanTheWindowAllows) {
    bench.account.deliverWindow = 2;
    bench.start();
    const auto esme = bench.bind();
    deliver({1, 2, 3, 4});
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(esme->next(), written(deliverSm(2, "00000002")));
    EXPECT_TRUE(esme->isSilent());
    esme->send(deliverAnswer("00000002"));
    EXPECT_EQ(esme->next(), written(deliverSm(3, "00000003")));
    EXPECT_TRUE(esme->isSilent());
}

TEST_F(AccountDeskTest, BindsTakeTurns) {
    bench.start();
    const auto one = bench.bind();
    const auto other = bench.bind();
    deliver({1, 2, 3, 4});
    takes(*one, {1, 3});
    takes(*other, {2, 4});
}

TEST_F(AccountDeskTest, DeliveriesOfOneTurnGoToOneBind) {
    bench.start();
    const auto one = bench.bind();
    const auto other = bench.bind();
    std::vector<Delivery> deliveries;
    for (const unsigned n : {1, 2, 3}) deliveries.push_back(deliveryOf(n));
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        for (Delivery& delivery : deliveries) bench.desk->deliverNow(std::move(delivery));
    });
    deliver(4);
    takes(*one, {1, 2, 3});
    takes(*other, {4});
}

TEST_F(AccountDeskTest, OneBindGetsSixteenOfATurnAtMost) {
    bench.account.deliverWindow = 100;
    bench.start();
    const auto one = bench.bind();
    const auto other = bench.bind();
    std::vector<Delivery> deliveries;
    for (unsigned i = 0; i < 17; ++i) deliveries.push_back(deliveryOf(1));
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        for (Delivery& delivery : deliveries) bench.desk->deliverNow(std::move(delivery));
    });
    EXPECT_EQ(other->next(), written(deliverSm(1, "00000001")));
    EXPECT_TRUE(other->isSilent());
}

TEST_F(AccountDeskTest, ABindWithoutRoomIsLeftOut) {
    bench.account.deliverWindow = 1;
    bench.start();
    const auto busy = bench.bind();
    const auto quick = bench.bind();
    deliver({1, 2});
    EXPECT_EQ(busy->next(), written(deliverSm(1, "00000001")));
    takes(*quick, {2});
    deliver(3);
    takes(*quick, {3}, 2);
    EXPECT_TRUE(busy->isSilent());
}

TEST_F(AccountDeskTest, ARefusalForGoodIsPassedOn) {
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_NE(esme->next(), "");
    esme->send(deliverAnswer("00000001", "00000065"));  // ESME_RX_P_APPN
    EXPECT_TRUE(untilTold({"1 refused 101"}));
    EXPECT_TRUE(esme->isSilent());
    EXPECT_EQ(figures().delivered, 0u);
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskTest, AGenericNackIsARefusalToo) {
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_NE(esme->next(), "");
    esme->send("00000010 80000000 00000003 00000001");
    EXPECT_TRUE(untilTold({"1 refused 3"}));
}

class RefusedForNow : public AccountDeskTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RefusedForNow, IsKeptAndGivenAgain) {
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    esme->send(deliverAnswer("00000001", GetParam()));
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000002")));
    EXPECT_EQ(source.told, Told{"1 safe 0"});
    esme->send(deliverAnswer("00000002"));
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().kept == 0; }));
    EXPECT_TRUE(esme->isSilent());
    EXPECT_EQ(source.told, Told{"1 safe 0"});
}

// ESME_RSYSERR, ESME_RMSGQFUL, ESME_RTHROTTLED, ESME_RX_T_APPN
INSTANTIATE_TEST_SUITE_P(AccountDesk, RefusedForNow,
                         ::testing::Values("00000008", "00000014", "00000058", "00000064"));

TEST_F(AccountDeskTest, WhatIsRefusedForNowDoesNotHoldUpTheNext) {
    bench.account.deliverWindow = 1;
    bench.start();
    const auto esme = bench.bind();
    deliver({1, 2});
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    esme->send(deliverAnswer("00000001", "00000064"));
    takes(*esme, {2, 1}, 2);
}

TEST_F(AccountDeskTest, WhatIsNotAnsweredInTimeIsGivenAgain) {
    bench.config.timers.response = 10ms;
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000002")));
    EXPECT_EQ(figures().lastError.text, "response timed out");
}

TEST_F(AccountDeskTest, WhatIsAcknowledgedLateIsNotGivenForEver) {
    bench.config.timers.response = 10ms;
    bench.account.deliverWindow = 1;
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000002")));
    esme->send(deliverAnswer("00000001"));
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().delivered == 1; }));
    EXPECT_EQ(figures().kept, 0u);
    // The second of it leaves its place in the window, and nothing else.
    esme->send(deliverAnswer("00000002"));
    deliver({2, 3});
    takes(*esme, {2, 3}, 3);
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().delivered == 3; }));
}

TEST_F(AccountDeskTest, WhatIsRefusedLateComesAgain) {
    bench.config.timers.response = 10ms;
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000002")));
    esme->send(deliverAnswer("00000001", "00000045"));
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000003")));
    EXPECT_EQ(figures().delivered, 0u);
}

TEST_F(AccountDeskTest, AnUnbindingBindGetsNoMoreAndMayAcknowledge) {
    bench.start();
    const auto leaving = bench.bind();
    deliver(1);
    EXPECT_EQ(leaving->next(), written(deliverSm(1, "00000001")));
    leaving->send("00000010 00000006 00000000 00000077");
    bench.dispatcher.turns(3);
    deliver(2);
    const auto other = bench.bind();
    takes(*other, {2});
    leaving->send(deliverAnswer("00000001"));
    EXPECT_EQ(leaving->next(), written("00000010 80000006 00000000 00000077"));
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().delivered == 2; }));
    EXPECT_TRUE(other->isSilent());
}

TEST_F(AccountDeskTest, ALostBindsMessagesGoFirstToAnotherInOrder) {
    bench.account.deliverWindow = 3;
    bench.start();
    auto lost = bench.bind();
    deliver({1, 2, 3, 4, 5});
    for (int i = 0; i < 3; ++i) EXPECT_NE(lost->next(), "");
    lost->close();
    ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return figures().kept == 5; }));
    const auto next = bench.bind();
    takes(*next, {1, 2, 3, 4, 5});
}

TEST_F(AccountDeskTest, WhatALostBindHadGoesToOneThatIsThere) {
    bench.account.deliverWindow = 2;
    bench.start();
    auto lost = bench.bind();
    const auto other = bench.bind();
    deliver({1, 2, 3, 4, 5});
    EXPECT_EQ(lost->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(lost->next(), written(deliverSm(3, "00000002")));
    lost->close();
    takes(*other, {2, 4, 1, 3, 5});
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return source.told.size() == 5; }));
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskTest, WhatALeavingBindGivesBackGoesToAnother) {
    bench.start();
    const auto leaving = bench.bind();
    const nio::ChannelHandle link = bench.lastLink->handle();
    deliver(1);
    EXPECT_EQ(leaving->next(), written(deliverSm(1, "00000001")));
    const auto other = bench.bind();
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->returnedNow(link, 1);
    });
    deliver(2);
    takes(*other, {1, 2});
    EXPECT_TRUE(leaving->isSilent());
}

TEST_F(AccountDeskTest, WhatComesToABindThatUnbindsIsGivenBackInItsOrder) {
    bench.account.deliverWindow = 4;
    bench.start();
    const auto leaving = bench.bind();
    const nio::ChannelHandle link = bench.lastLink->handle();
    deliver({1, 2, 3});
    for (int i = 0; i < 3; ++i) EXPECT_NE(leaving->next(), "");
    leaving->send("00000010 00000006 00000000 00000077");
    bench.dispatcher.turns(3);
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        // On another dispatcher they would have been on their way.
        for (const std::uint64_t number : {2u, 3u}) {
            const nio::Bytes pdu = octets(deliverSm(static_cast<unsigned>(number), "00000000"));
            EsmeLink::ingress().deliver(link, number, pdu);
        }
    });
    const auto other = bench.bind();
    takes(*other, {2, 3});
    leaving->send(deliverAnswer("00000001"));
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().delivered == 3; }));
}

TEST_F(AccountDeskTest, AnAnswerThatComesTwiceCountsOnce) {
    bench.account.deliverWindow = 1;
    bench.start();
    const auto esme = bench.bind();
    const nio::ChannelHandle link = bench.lastLink->handle();
    deliver({1, 2, 3});
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->answeredNow(link, 1, Status::ok);
        bench.desk->answeredNow(link, 1, Status::ok);
    });
    EXPECT_EQ(source.told, Told{"1 safe 0"});
    EXPECT_EQ(figures().delivered, 1u);
}

TEST_F(AccountDeskTest, WhatSomebodyElseSaysOfADeliveryDoesNotCount) {
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_NE(esme->next(), "");
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->answeredNow(nio::ChannelHandle(*bench.dispatcher, 77, 1), 1, Status::ok);
    });
    EXPECT_TRUE(source.told.empty());
    EXPECT_EQ(bench.desk->unsafe(), 1u);
}

TEST_F(AccountDeskTest, WhatComesFasterThanBindsTakeItIsRefusedForNow) {
    bench.account.keep.messages = 2000;
    bench.account.deliverWindow = 1;
    bench.start();
    const auto esme = bench.bind();
    for (int i = 0; i < 2000; ++i) deliver(1);
    EXPECT_TRUE(source.told.empty());
    deliver(2);
    EXPECT_EQ(source.told, Told{"2 refused 20"});  // ESME_RMSGQFUL
    EXPECT_EQ(bench.desk->unsafe(), 2000u);
    takes(*esme, {1});
    EXPECT_NE(esme->next(), "");
    source.told.clear();
    deliver(3);
    EXPECT_TRUE(source.told.empty()) << "there is room again";
}

TEST_F(AccountDeskTest, AnAlertForWhichNoBindHasRoomIsDropped) {
    bench.account.deliverWindow = 1;
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    deliver(2, smpp::Command::alertNotification);
    EXPECT_EQ(bench.desk->unsafe(), 1u);
    takes(*esme, {1});
    EXPECT_TRUE(esme->isSilent());
}

// --- binds ----------------------------------------------------------------------------------

TEST_F(AccountDeskTest, AdmitsNoMoreBindsThanTheAccountMayHave) {
    bench.account.maxBinds = 2;
    bench.start();
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        const auto link = [&](std::uint32_t slot) {
            return nio::ChannelHandle(*bench.dispatcher, slot, 1);
        };
        EXPECT_TRUE(bench.desk->admitNow({link(101), &EsmeLink::ingress()}));
        EXPECT_TRUE(bench.desk->admitNow({link(102), &EsmeLink::ingress()}));
        EXPECT_FALSE(bench.desk->admitNow({link(103), &EsmeLink::ingress()}));
        bench.desk->leaveNow(link(101));
        bench.desk->leaveNow(link(101));
        EXPECT_TRUE(bench.desk->admitNow({link(103), &EsmeLink::ingress()}));
        EXPECT_FALSE(bench.desk->admitNow({link(104), &EsmeLink::ingress()}));
        bench.desk->leaveNow(link(102));
        bench.desk->leaveNow(link(103));
    });
}

TEST_F(AccountDeskTest, WhoIsAdmittedAfterAReloadHasTheWindowOfThen) {
    bench.account.deliverWindow = 1;
    bench.start();
    bench.account.deliverWindow = 2;
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->useLimitsNow(bench.account);
    });
    const auto esme = bench.bind();
    deliver({1, 2});
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(esme->next(), written(deliverSm(2, "00000002")));
}

TEST_F(AccountDeskTest, WhoIsAdmittedAndNotBoundYetGetsNothing) {
    bench.start();
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(bench.desk->admitNow(
            {nio::ChannelHandle(*bench.dispatcher, 101, 1), &EsmeLink::ingress()}));
    });
    deliver(1);
    EXPECT_EQ(figures().kept, 1u);
}

}  // namespace
}  // namespace router
