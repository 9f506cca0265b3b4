// What a bind had when it leaves, and what that costs.
#include <gtest/gtest.h>

#include "apps/sms_router/delivery/DeskCase.h"
#include "support/FailingMemory.h"

namespace router {
namespace {

class AccountDeskLeaveTest : public ::testing::Test, protected DeskCase {
  protected:
    AccountDeskLeaveTest() { bench.account.deliverWindow = 1; }

    // A bind that takes what it is given, and never says a word.
    void admit(nio::ChannelHandle link, bool receives = true) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            EXPECT_TRUE(bench.desk->admitNow({link, receives ? &EsmeLink::ingress() : nullptr}));
            bench.desk->boundNow(link);
        });
    }
};

TEST_F(AccountDeskLeaveTest, WhatSeveralLostBindsHadGoesToTheOneThatIsThere) {
    bench.account.deliverWindow = 2;
    bench.start();
    auto first = bench.bind();
    auto second = bench.bind();
    const auto other = bench.bind();
    deliver({1, 2, 3, 4, 5, 6});
    EXPECT_EQ(second->next(), written(deliverSm(2, "00000001")));
    EXPECT_EQ(second->next(), written(deliverSm(5, "00000002")));
    second->send(deliverAnswer("00000001"));
    EXPECT_TRUE(untilTold({"2 safe 0"}));
    second->close();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return bench.desk->queuedNow() == 1; }));
    EXPECT_EQ(first->next(), written(deliverSm(1, "00000001")));
    EXPECT_EQ(first->next(), written(deliverSm(4, "00000002")));
    first->close();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return bench.desk->queuedNow() == 3; }));
    takes(*other, {3, 6, 1, 4, 5});
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return source.told.size() == 6; }));
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskLeaveTest, ALostBindKeepsWhatAnotherBindAcknowledged) {
    bench.start();
    const nio::ChannelHandle early(*bench.dispatcher, 101, 1);
    const nio::ChannelHandle late(*bench.dispatcher, 102, 1);
    admit(early);
    deliver(1);
    admit(late);
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->returnedNow(early, 1);
        bench.desk->answeredLateNow(early, 1, Status::ok);
        bench.desk->leaveNow(late);
        bench.desk->leaveNow(early);
    });
    EXPECT_TRUE(untilTold({"1 safe 0"}));
    EXPECT_EQ(bench.desk->queuedNow(), 0u);
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskLeaveTest, ABindsLastDeliveryIsRefusedIfNothingIsKept) {
    bench.account.keep.messages = 0;
    bench.start();
    const nio::ChannelHandle link(*bench.dispatcher, 101, 1);
    admit(link);
    deliver(1);
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->unbindsNow(link);
        EXPECT_TRUE(source.told.empty()) << "it may still acknowledge what it has";
        bench.desk->leaveNow(link);
    });
    EXPECT_TRUE(untilTold({"1 refused 20"}));
}

TEST_F(AccountDeskLeaveTest, WhatTheStoreDidNotTakeIsRefusedAfterItsBind) {
    bench.start();
    const nio::ChannelHandle link(*bench.dispatcher, 101, 1);
    admit(link);
    deliver(1);
    bench.store.close();
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->unbindsNow(link);
    });
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return !figures().lastError.text.empty(); }));
    EXPECT_TRUE(source.told.empty());
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->leaveNow(link);
    });
    EXPECT_TRUE(untilTold({"1 refused 8"}));
}

TEST_F(AccountDeskLeaveTest, WhoLeavesCostsNothingForWhatIsKept) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    bench.start();
    for (int i = 0; i < 1000; ++i) deliver(1);
    const nio::ChannelHandle transmitter(*bench.dispatcher, 101, 1);
    const nio::ChannelHandle receiver(*bench.dispatcher, 102, 1);
    admit(transmitter, false);
    admit(receiver);
    // To list all that is kept would take 8,000 octets.
    const auto memory = support::FailingMemory::from(1000);
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->unbindsNow(receiver);
        bench.desk->leaveNow(receiver);
        bench.desk->leaveNow(transmitter);
    });
    EXPECT_FALSE(memory.hasFailed());
    EXPECT_EQ(bench.desk->queuedNow(), 1000u);
}

}  // namespace
}  // namespace router
