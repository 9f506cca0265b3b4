// What waits for an account that does not take it.
#include <gtest/gtest.h>

#include "apps/sms_router/delivery/DeskCase.h"

namespace router {
namespace {

class AccountDeskKeptTest : public ::testing::Test, protected DeskCase {};

// --- what is kept ---------------------------------------------------------------------------

TEST_F(AccountDeskKeptTest, WithNobodyBoundADeliveryIsKeptAndThatIsSafe) {
    bench.start();
    deliver({1, 2});
    EXPECT_EQ(source.told, (Told{"1 safe 0", "2 safe 0"}));
    EXPECT_EQ(figures().kept, 2u);
    EXPECT_EQ(figures().keptBytes, 72u);
    EXPECT_EQ(figures().delivered, 0u);
    EXPECT_EQ(bench.desk->unsafe(), 0u);
}

TEST_F(AccountDeskKeptTest, WhatWasKeptIsGivenToTheNextBindInItsOrder) {
    bench.start();
    deliver({1, 2, 3});
    const auto esme = bench.bind();
    takes(*esme, {1, 2, 3});
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().kept == 0; }));
    EXPECT_EQ(figures().keptBytes, 0u);
    EXPECT_EQ(figures().delivered, 3u);
    EXPECT_EQ(source.told.size(), 3u) << "told twice";
}

TEST_F(AccountDeskKeptTest, ATransmitterDoesNotFetchWhatIsKept) {
    bench.start();
    deliver(1);
    const auto esme = bench.bind("00000002");
    EXPECT_TRUE(esme->isSilent());
    EXPECT_EQ(figures().kept, 1u);
}

TEST_F(AccountDeskKeptTest, KeepsNoMoreMessagesThanItMayOldestFirstOut) {
    bench.account.keep.messages = 3;
    bench.start();
    deliver({1, 2, 3, 4, 5});
    EXPECT_EQ(figures().kept, 3u);
    EXPECT_EQ(figures().dropped, 2u);
    EXPECT_EQ(source.told.size(), 5u);
    const auto esme = bench.bind();
    takes(*esme, {3, 4, 5});
    EXPECT_TRUE(esme->isSilent());
}

TEST_F(AccountDeskKeptTest, WhatIsUnderWayIsNotPushedOutByWhatWaits) {
    bench.account.keep.messages = 3;
    bench.account.deliverWindow = 1;
    bench.start();
    deliver({1, 2, 3});
    const auto esme = bench.bind();
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    bench.account.keep.messages = 2;
    bench.use();
    EXPECT_EQ(figures().dropped, 1u);
    esme->send(deliverAnswer("00000001"));
    takes(*esme, {3}, 2);
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().delivered == 2; }));
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskKeptTest, WhatIsUnderWayIsDroppedWhereThereIsNothingElse) {
    bench.start();
    deliver(1);
    const auto esme = bench.bind();
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    bench.account.keep.messages = 0;
    bench.use();
    EXPECT_EQ(figures().dropped, 1u);
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskKeptTest, KeepsNoMoreOctetsThanItMay) {
    bench.account.keep.bytes = 100;  // two of 36
    bench.start();
    deliver({1, 2, 3});
    EXPECT_EQ(figures().kept, 2u);
    EXPECT_EQ(figures().keptBytes, 72u);
    EXPECT_EQ(figures().dropped, 1u);
    const auto esme = bench.bind();
    takes(*esme, {2, 3});
}

TEST_F(AccountDeskKeptTest, AMessageLargerThanTheQueueIsRefused) {
    bench.account.keep.bytes = 35;  // one of 36 is more
    bench.start();
    deliver(1);
    EXPECT_EQ(source.told, (Told{"1 refused 20"}));
    EXPECT_EQ(figures().dropped, 1u);
}

TEST_F(AccountDeskKeptTest, ALowerLimitDropsTheOldestAtOnce) {
    bench.start();
    deliver({1, 2, 3});
    bench.account.keep.messages = 1;
    bench.use();
    EXPECT_EQ(figures().kept, 1u);
    EXPECT_EQ(figures().dropped, 2u);
    const auto esme = bench.bind();
    takes(*esme, {3});
}

TEST_F(AccountDeskKeptTest, AnAccountThatKeepsNothingLosesWhatNobodyTakes) {
    bench.account.keep.messages = 0;
    bench.start();
    deliver(1);
    EXPECT_EQ(figures().kept, 0u);
    EXPECT_EQ(figures().dropped, 1u);
    const auto esme = bench.bind();
    EXPECT_TRUE(esme->isSilent());
    deliver(2);
    takes(*esme, {2});
}

TEST_F(AccountDeskKeptTest, WithoutKeptMessagesAnUnbindingBindAcknowledges) {
    bench.account.keep.messages = 0;
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_EQ(esme->next(), written(deliverSm(1, "00000001")));
    esme->send("00000010 00000006 00000000 00000077");
    bench.dispatcher.turns(3);
    EXPECT_TRUE(source.told.empty());
    esme->send(deliverAnswer("00000001"));
    EXPECT_TRUE(untilTold({"1 safe 0"}));
    EXPECT_EQ(figures().dropped, 0u);
}

TEST_F(AccountDeskKeptTest, WhatIsGoneIsForgottenAlsoWhileNobodyBinds) {
    bench.account.keep.messages = 0;
    bench.start();
    for (int i = 0; i < 500; ++i) deliver(1);
    EXPECT_EQ(figures().dropped, 500u);
    EXPECT_LE(bench.desk->queuedNow(), 100u);
}

TEST_F(AccountDeskKeptTest, AnAlertIsNotKept) {
    bench.start();
    deliver(1, smpp::Command::alertNotification);
    EXPECT_EQ(figures().kept, 0u);
    EXPECT_EQ(bench.desk->unsafe(), 0u);
    const auto esme = bench.bind();
    EXPECT_TRUE(esme->isSilent());
}

TEST_F(AccountDeskKeptTest, WhatTheStoreDoesNotTakeStaysTheSmscs) {
    bench.start();
    bench.store.close();
    deliver(1);
    ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return !source.told.empty(); }));
    EXPECT_EQ(source.told, Told{"1 refused 8"});
    EXPECT_EQ(figures().kept, 0u);
    EXPECT_EQ(figures().lastError.text, "the store is full or failing");
    EXPECT_EQ(bench.desk->unsafe(), 0u);
}

TEST_F(AccountDeskKeptTest, ADeliveryIsAcknowledgedThoughTheStoreIsClosed) {
    bench.start();
    const auto esme = bench.bind();
    deliver(1);
    EXPECT_NE(esme->next(), "");
    bench.store.close();
    esme->send(deliverAnswer("00000001"));
    EXPECT_TRUE(untilTold({"1 safe 0"}));
}

TEST_F(AccountDeskKeptTest, WhatAnEarlierRunKeptIsGivenToABind) {
    AccountDesk& desk = bench.start();
    desk.restore({11, "esme1", 1'700'000'000, octets(deliverSm(1, "00000000"))});
    desk.restore({12, "esme1", 1'700'000'001, octets(deliverSm(2, "00000000"))});
    EXPECT_EQ(figures().kept, 2u);
    EXPECT_EQ(figures().keptBytes, 72u);
    const auto esme = bench.bind();
    takes(*esme, {1, 2});
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return figures().kept == 0; }));
    EXPECT_TRUE(source.told.empty());
}

TEST_F(AccountDeskKeptTest, WhatAnEarlierRunKeptIsSubjectToTheLimits) {
    bench.account.keep.messages = 1;
    AccountDesk& desk = bench.start();
    desk.restore({11, "esme1", 1'700'000'000, octets(deliverSm(1, "00000000"))});
    desk.restore({12, "esme1", 1'700'000'001, octets(deliverSm(2, "00000000"))});
    bench.use();
    EXPECT_EQ(figures().kept, 1u);
    EXPECT_EQ(figures().dropped, 1u);
    const auto esme = bench.bind();
    takes(*esme, {2});
}

// --- with a file ----------------------------------------------------------------------------

class AccountDeskOnDiskTest : public ::testing::Test {
  protected:
    // What another router would find.
    std::vector<KeptRecord> onDisk() {
        desk.bench.store.close();
        return Store(file.config()).loadKept();
    }

    StoreFile file;
    DeskCase desk{file.config()};
};

TEST_F(AccountDeskOnDiskTest, TheSourceIsToldOnceItIsOnDisk) {
    desk.bench.start();
    desk.deliver(1);
    EXPECT_TRUE(desk.untilTold({"1 safe 0"}));
    const std::vector<KeptRecord> kept = onDisk();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].account, "esme1");
    EXPECT_EQ(smpp::smpptest::shown(kept[0].pdu), written(deliverSm(1, "00000000")));
}

TEST_F(AccountDeskOnDiskTest, UntilThenItIsNotSafe) {
    desk.bench.start();
    Delivery delivery = desk.deliveryOf(1);
    desk.bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        desk.bench.desk->deliverNow(std::move(delivery));
        // Nothing can have come from the store within this turn.
        EXPECT_TRUE(desk.source.told.empty());
        EXPECT_EQ(desk.bench.desk->unsafe(), 1u);
    });
    EXPECT_TRUE(desk.untilTold({"1 safe 0"}));
    EXPECT_EQ(desk.bench.desk->unsafe(), 0u);
}

TEST_F(AccountDeskOnDiskTest, WhatWasAcknowledgedLeavesTheDisk) {
    desk.bench.start();
    desk.deliver({1, 2});
    ASSERT_TRUE(desk.untilTold({"1 safe 0", "2 safe 0"}));
    const auto esme = desk.bench.bind();
    desk.takes(*esme, {1});
    EXPECT_EQ(esme->next(), written(deliverSm(2, "00000002")));
    ASSERT_TRUE(desk.bench.dispatcher.turnUntil([&] { return desk.figures().kept == 1; }));
    const std::vector<KeptRecord> kept = onDisk();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(smpp::smpptest::shown(kept[0].pdu), written(deliverSm(2, "00000000")));
}

TEST_F(AccountDeskOnDiskTest, WhatIsAcknowledgedWithoutDelayNeverGoesThere) {
    desk.bench.start();
    const auto esme = desk.bench.bind();
    desk.deliver({1, 2});
    desk.takes(*esme, {1, 2});
    ASSERT_TRUE(desk.untilTold({"1 safe 0", "2 safe 0"}));
    EXPECT_EQ(desk.bench.store.figures().changes, 0u);
    EXPECT_TRUE(onDisk().empty());
}

TEST_F(AccountDeskOnDiskTest, WhatIsDroppedLeavesTheDisk) {
    desk.bench.account.keep.messages = 1;
    desk.bench.start();
    desk.deliver({1, 2});
    ASSERT_TRUE(desk.untilTold({"1 safe 0", "2 safe 0"}));
    const std::vector<KeptRecord> kept = onDisk();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(smpp::smpptest::shown(kept[0].pdu), written(deliverSm(2, "00000000")));
}

}  // namespace
}  // namespace router
