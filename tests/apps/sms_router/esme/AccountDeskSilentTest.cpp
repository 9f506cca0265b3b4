// AccountDesk: binds that do not answer deliver_sm.
#include "apps/sms_router/esme/DeskCase.h"

namespace router {
namespace {

class AccountDeskSilentTest : public ::testing::Test, protected DeskCase {
  protected:
    AccountDeskSilentTest() { bench.start(); }
    void admit(const nio::ChannelHandle& link) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            ASSERT_TRUE(bench.desk->admitNow({link, true}));
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

TEST_F(AccountDeskSilentTest, ANewBindGetsAtOnceWhatIsToBeRepeated) {
    admit(silent);
    deliver({1, 2});
    // Each attempt doubles the pause, up to half a minute.
    for (int attempt = 0; attempt < 8; ++attempt) {
        for (const std::uint64_t number : {1, 2}) timesOut(silent, number);
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            EXPECT_EQ(bench.desk->queuedNow(), 0u);
            bench.desk->boundNow(silent);
        });
    }
    for (const std::uint64_t number : {1, 2}) timesOut(silent, number);
    const nio::TimePoint begin = nio::Clock::now();
    const auto esme = bench.bind();
    takes(*esme, {1, 2});
    EXPECT_LT(nio::Clock::now() - begin, 25s);
}

}  // namespace
}  // namespace router
