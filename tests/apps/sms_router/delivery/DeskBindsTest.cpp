#include "sms_router/delivery/DeskBinds.h"

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"

namespace router {
namespace {

using namespace std::chrono_literals;

std::uint32_t withOutput = 0;  // the bind where output waits; 0: none

class Receiver final : public Ingress {
  public:
    void answer(const Origin&, nio::Bytes) override {}
    void deliver(nio::ChannelHandle, std::uint64_t, const nio::Bytes&) override {}
    bool hasOutput(nio::ChannelHandle bind) override { return bind.slot() == withOutput; }
};

Receiver receiver;

class DeskBindsTest : public ::testing::Test {
  protected:
    DeskBindsTest() {
        binds.useLimits(10, 2);
        withOutput = 0;
    }
    nio::ChannelHandle link(std::uint32_t number) {
        return nio::ChannelHandle(*dispatcher, number, 0);
    }
    void bind(std::uint32_t number, Ingress* how = &receiver) {
        EXPECT_TRUE(binds.admit(link(number), how));
        binds.bound(link(number));
    }
    // To which bind it goes; 0: to none.
    std::uint32_t take(std::uint64_t number) {
        const auto taken = binds.take(number);
        return taken ? taken->link.slot() : 0;
    }

    support::TestDispatcher dispatcher;
    DeskBinds binds;
};

TEST_F(DeskBindsTest, AreNoMoreThanThereMayBe) {
    binds.useLimits(1, 1);
    EXPECT_TRUE(binds.admit(link(1), &receiver));
    EXPECT_FALSE(binds.admit(link(2), &receiver));
    EXPECT_TRUE(binds.remove(link(1)));
    EXPECT_TRUE(binds.admit(link(2), &receiver));
}

TEST_F(DeskBindsTest, MayBeTwiceAsManyWhileSomeUnbind) {
    binds.useLimits(1, 1);
    EXPECT_TRUE(binds.admit(link(1), &receiver));
    binds.unbinds(link(1));
    EXPECT_TRUE(binds.admit(link(2), &receiver));
    EXPECT_FALSE(binds.admit(link(3), &receiver));
    binds.unbinds(link(2));
    EXPECT_FALSE(binds.admit(link(3), &receiver));
    EXPECT_TRUE(binds.remove(link(1)));
    EXPECT_TRUE(binds.admit(link(3), &receiver));
}

TEST_F(DeskBindsTest, TakeTurnsUpToTheirWindows) {
    bind(1);
    bind(2);
    EXPECT_EQ(take(11), 1u);
    EXPECT_EQ(take(12), 2u);
    EXPECT_EQ(take(13), 1u);
    EXPECT_EQ(take(14), 2u);
    EXPECT_FALSE(binds.haveRoom());
    EXPECT_EQ(take(15), 0u);
    binds.leaveWindow(link(2), 12);
    EXPECT_TRUE(binds.haveRoom());
    EXPECT_EQ(take(15), 2u);
}

TEST_F(DeskBindsTest, TheLastOneStaysWhileItsOutputWaits) {
    bind(1);
    bind(2);
    withOutput = 1;
    EXPECT_EQ(take(11), 1u);
    EXPECT_EQ(take(12), 1u);
    EXPECT_EQ(take(13), 2u) << "a window of two";
    withOutput = 2;
    binds.leaveWindow(link(1), 11);
    EXPECT_EQ(take(14), 2u);
}

TEST_F(DeskBindsTest, ATransmitterGetsNothing) {
    bind(1, nullptr);
    EXPECT_FALSE(binds.haveReceiver());
    EXPECT_EQ(take(11), 0u);
}

TEST_F(DeskBindsTest, OneThatIsNotBoundGetsNothing) {
    EXPECT_TRUE(binds.admit(link(1), &receiver));
    EXPECT_EQ(take(11), 0u);
    EXPECT_TRUE(binds.bound(link(1)));
    EXPECT_EQ(take(11), 1u);
    binds.unbinds(link(1));
    EXPECT_FALSE(binds.haveReceiver());
    EXPECT_EQ(take(12), 0u);
}

TEST_F(DeskBindsTest, OneThatDoesNotAnswerIsSkipped) {
    bind(1);
    bind(2);
    binds.didNotAnswer(link(1), nio::Clock::now() + 1h);
    EXPECT_EQ(take(11), 2u);
    EXPECT_EQ(take(12), 2u);
    EXPECT_EQ(take(13), 0u);
    binds.answered(link(1));
    EXPECT_EQ(take(13), 1u);
}

TEST_F(DeskBindsTest, OneThatDoesNotAnswerIsAskedAgainLater) {
    bind(1);
    bind(2);
    binds.didNotAnswer(link(1), nio::Clock::now());
    EXPECT_EQ(take(11), 1u);
    EXPECT_EQ(take(12), 2u);
    EXPECT_EQ(take(13), 2u) << "it has one that it may answer";
}

TEST_F(DeskBindsTest, WhereNoneAnswersAllAreTried) {
    bind(1);
    bind(2);
    binds.didNotAnswer(link(1), nio::Clock::now() + 1h);
    binds.didNotAnswer(link(2), nio::Clock::now() + 1h);
    EXPECT_FALSE(binds.haveAnswering());
    EXPECT_EQ(take(11), 1u);
    EXPECT_EQ(take(12), 2u);
}

TEST_F(DeskBindsTest, OneThatLeavesLeavesWhatHasNotEnded) {
    bind(1);
    EXPECT_EQ(take(11), 1u);
    EXPECT_EQ(take(12), 1u);
    binds.forget(link(1), 11);
    EXPECT_EQ(take(13), 0u) << "11 is in its window until it answers";
    EXPECT_EQ(binds.remove(link(1)), DeskBinds::Numbers{12});
    EXPECT_FALSE(binds.remove(link(1)));
}

}  // namespace
}  // namespace router
