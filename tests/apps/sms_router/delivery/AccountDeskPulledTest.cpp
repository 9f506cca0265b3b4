// AccountDesk: what an account fetches.
#include <gtest/gtest.h>

#include "apps/sms_router/delivery/DeskCase.h"

namespace router {
namespace {

class AccountDeskPulledTest : public ::testing::Test, protected DeskCase {
  protected:
    AccountDeskPulledTest() {
        bench.account.deliverWindow = 1;
        bench.start();
    }

    struct Seen {
        std::uint64_t since = 0;
        std::string texts{};  // of the deliveries, a digit each
    };
    Seen pull(std::uint64_t since = 0, std::size_t most = 100) {
        Seen seen;
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            const AccountDesk::Pulled pulled = bench.desk->pulledNow(since, most);
            seen.since = pulled.since;
            for (const auto& [number, pdu] : pulled.deliveries) {
                seen.texts += static_cast<char>(pdu->back());
            }
        });
        return seen;
    }
    // A bind that takes what it is given, and says nothing by itself.
    void admit(const nio::ChannelHandle& link) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            ASSERT_TRUE(bench.desk->admitNow({link, &EsmeLink::ingress()}));
            bench.desk->boundNow(link);
        });
    }
    void leaves(const nio::ChannelHandle& link) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench.desk->leaveNow(link);
        });
    }
    void answers(const nio::ChannelHandle& link, std::uint64_t number, Status status) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench.desk->answeredNow(link, number, status);
        });
    }

    const nio::ChannelHandle bind{*bench.dispatcher, 101, 1};
};

TEST_F(AccountDeskPulledTest, IsWhatWaitsInItsOrder) {
    EXPECT_EQ(pull().texts, "");
    deliver({1, 2, 3});
    EXPECT_EQ(pull().texts, "123");
    EXPECT_EQ(pull(0, 2).texts, "12");
}

TEST_F(AccountDeskPulledTest, WaitsOnUntilItIsAcknowledged) {
    deliver({1, 2});
    const Seen first = pull();
    EXPECT_EQ(pull().texts, "12");
    EXPECT_EQ(figures().kept, 2u);
    deliver(3);
    EXPECT_EQ(pull(first.since).texts, "3");
    EXPECT_EQ(figures().kept, 1u);
    EXPECT_EQ(figures().delivered, 2u);
    EXPECT_EQ(source.told, (Told{"1 safe 0", "2 safe 0", "3 safe 0"}));
    EXPECT_EQ(bench.desk->queuedNow(), 1u);
}

TEST_F(AccountDeskPulledTest, IsNotAcknowledgedByWhatShowedLess) {
    deliver({1, 2, 3});
    EXPECT_EQ(pull().texts, "123") << "this answer is lost";
    const Seen first = pull(0, 1);
    EXPECT_EQ(pull(first.since).texts, "23");
}

TEST_F(AccountDeskPulledTest, IsWhatNoBindHas) {
    admit(bind);
    deliver({1, 2});
    EXPECT_EQ(pull().texts, "2");
}

// A request is repeated when its answer is lost: what only that answer had is there again.
TEST_F(AccountDeskPulledTest, HasWhatABindGaveBackUntilThatIsSeen) {
    admit(bind);
    deliver({1, 2});
    const Seen first = pull();
    EXPECT_EQ(first.texts, "2");
    leaves(bind);
    EXPECT_EQ(pull(first.since).texts, "1") << "this answer is lost";
    const Seen again = pull(first.since);
    EXPECT_EQ(again.texts, "1");
    EXPECT_EQ(pull(again.since).texts, "");
    EXPECT_EQ(figures().delivered, 2u);
}

TEST_F(AccountDeskPulledTest, IsAcknowledgedAlsoWhereABindHasItNow) {
    deliver(1);
    const Seen first = pull();
    admit(bind);
    EXPECT_EQ(pull(first.since).texts, "");
    EXPECT_EQ(figures().delivered, 1u);
    answers(bind, 1, Status::xTAppn);
    leaves(bind);
    EXPECT_EQ(pull().texts, "");
    EXPECT_EQ(figures().delivered, 1u);
    EXPECT_EQ(figures().kept, 0u);
}

TEST_F(AccountDeskPulledTest, IsAlsoWhatWaitsForAnotherAttempt) {
    admit(bind);
    deliver({1, 2});
    answers(bind, 1, Status::xTAppn);
    const Seen seen = pull();
    EXPECT_EQ(seen.texts, "1") << "2 is with the bind now";
    pull(seen.since);
    EXPECT_EQ(figures().delivered, 1u);
    EXPECT_EQ(source.told, Told{"1 safe 0"});
}

TEST_F(AccountDeskPulledTest, MayBeShownToTwoAtOnce) {
    deliver({1, 2});
    const Seen one = pull();
    const Seen other = pull();
    deliver(3);
    EXPECT_EQ(pull(one.since).texts, "3");
    EXPECT_EQ(pull(other.since).texts, "3");
    EXPECT_EQ(figures().delivered, 2u);
}

TEST_F(AccountDeskPulledTest, IsShownAgainWhereItsAnswerIsForgotten) {
    deliver(1);
    const Seen first = pull();
    for (int i = 0; i < 8; ++i) pull();
    EXPECT_EQ(pull(first.since).texts, "1");
    EXPECT_EQ(pull(first.since + 1000).texts, "1");
    EXPECT_EQ(figures().delivered, 0u);
}

TEST_F(AccountDeskPulledTest, IsNothingWhereNothingIsKept) {
    bench.account.keep.messages = 0;
    bench.use();
    deliver(1);
    EXPECT_EQ(pull().texts, "");
    EXPECT_EQ(figures().dropped, 1u);
}

}  // namespace
}  // namespace router
