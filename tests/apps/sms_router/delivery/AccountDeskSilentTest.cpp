// AccountDesk: binds that do not answer deliver_sm, or refuse it for now.
#include <functional>

#include "apps/sms_router/delivery/DeskCase.h"

namespace router {
namespace {

class AccountDeskSilentTest : public ::testing::Test, protected DeskCase {
  protected:
    AccountDeskSilentTest() { bench.start(); }
    void admit(const nio::ChannelHandle& link) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            ASSERT_TRUE(bench.desk->admitNow({link, &EsmeLink::ingress()}));
            bench.desk->boundNow(link);
        });
    }
    void timesOut(const nio::ChannelHandle& link, std::uint64_t number) {
        answers(link, number, std::nullopt);
    }
    void answers(const nio::ChannelHandle& link, std::uint64_t number,
                 std::optional<Status> status) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench.desk->answeredNow(link, number, status);
        });
    }

    const nio::ChannelHandle silent{*bench.dispatcher, 101, 1};
};

TEST_F(AccountDeskSilentTest, ThatAreSilentAreSkippedForOthers) {
    admit(silent);
    deliver(1);
    const auto esme = bench.bind();
    timesOut(silent, 1);
    deliver({2, 3, 4});
    takes(*esme, {1, 2, 3, 4});
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return source.told.size() == 4; }));
}

TEST_F(AccountDeskSilentTest, ThatIsAloneStillGetsAll) {
    admit(silent);
    deliver(1);
    timesOut(silent, 1);
    deliver({2, 3});
    EXPECT_EQ(bench.desk->queuedNow(), 0u);
}

TEST_F(AccountDeskSilentTest, ThatAnswersLateIsUsedAgain) {
    const auto esme = bench.bind();
    admit(silent);
    deliver({1, 2});
    EXPECT_NE(esme->next(), "");
    timesOut(silent, 2);
    EXPECT_NE(esme->next(), "");
    deliver(3);
    EXPECT_NE(esme->next(), "");
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bench.desk->answeredLateNow(silent, 2, Status::ok);
    });
    deliver({4, 5});
    EXPECT_NE(esme->next(), "");
    EXPECT_TRUE(esme->isSilent());
}

// --- what waits for another attempt ---------------------------------------------------------

class AccountDeskPauseTest : public ::testing::Test, protected DeskCase {
  protected:
    AccountDeskPauseTest() {
        bench.account.deliverWindow = 1;
        bench.start();
    }
    // In one turn, since the first pause is over soon.
    void inOneTurn(const std::function<void()>& does) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            binds(receiver, true);
            bench.desk->deliverNow(deliveryOf(1));
            bench.desk->deliverNow(deliveryOf(2));
            refuses(1);
            ASSERT_EQ(waiting(), 0u) << "2 has the window, 1 has its pause";
            does();
        });
    }
    void binds(const nio::ChannelHandle& link, bool receives) {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(bench.desk->admitNow({link, receives ? &EsmeLink::ingress() : nullptr}));
        bench.desk->boundNow(link);
        if (link == receiver) return;
        bench.desk->leaveNow(link);
    }
    void refuses(std::uint64_t number) {
        nio::onDispatcher.assertCurrent();
        bench.desk->answeredNow(receiver, number, Status::msgQFul);
    }
    std::size_t waiting() const { return bench.desk->queuedNow(); }

    const nio::ChannelHandle receiver{*bench.dispatcher, 101, 1};
    const nio::ChannelHandle other{*bench.dispatcher, 102, 1};
};

TEST_F(AccountDeskPauseTest, EndsWhenAReceiverBinds) {
    inOneTurn([&] {
        binds(other, true);
        EXPECT_EQ(waiting(), 1u);
    });
}

TEST_F(AccountDeskPauseTest, GoesOnWhenATransmitterBinds) {
    inOneTurn([&] {
        binds(other, false);
        EXPECT_EQ(waiting(), 0u);
    });
}

TEST_F(AccountDeskPauseTest, EndsForOneOfManyBinds) {
    inOneTurn([&] {
        binds(other, true);
        refuses(2);
        EXPECT_EQ(waiting(), 0u) << "1 has the window, 2 has its pause";
        for (int i = 0; i < 100; ++i) binds(other, true);
        EXPECT_EQ(waiting(), 0u);
    });
}

}  // namespace
}  // namespace router
