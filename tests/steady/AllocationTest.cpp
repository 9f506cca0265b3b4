// In the steady state nothing is allocated per event: exactly nothing, for many events.
#include <gtest/gtest.h>

#include "steady/Counting.h"
#include "steady/Echo.h"

namespace {

using steady::Counting;
using steady::Echo;
using steady::Load;

constexpr std::size_t warmUp = 20;
constexpr std::size_t rounds = 200;

TEST(Counting, SeesAnAllocation) {
    Counting counting;
    const auto one = std::make_unique<int>(1);
    counting.stop();
    EXPECT_EQ(counting.allocations(), 1U) << *one;
}

class SteadyEcho : public testing::TestWithParam<steady::Protocol> {
  protected:
    std::size_t allocationsOf(const Load& load) {
        Echo echo(GetParam(), load);
        echo.rounds(warmUp);
        Counting counting;
        echo.rounds(rounds);
        counting.stop();
        EXPECT_EQ(counting.epollChanges(), 0U);
        return counting.allocations();
    }
};

TEST_P(SteadyEcho, AllocatesNothingOnOneConnection) {
    EXPECT_EQ(allocationsOf({.connections = 1}), 0U);
}

TEST_P(SteadyEcho, AllocatesNothingOnManyConnections) {
    EXPECT_EQ(allocationsOf({.connections = 100}), 0U);
}

TEST_P(SteadyEcho, AllocatesNothingWithMessagesInAPipeline) {
    EXPECT_EQ(allocationsOf({.connections = 50, .depth = 16}), 0U);
}

TEST_P(SteadyEcho, AllocatesNothingWithAnIdleTimeout) {
    Load load{.connections = 50};
    load.stream.idleTimeout = std::chrono::minutes(1);
    EXPECT_EQ(allocationsOf(load), 0U);
}

INSTANTIATE_TEST_SUITE_P(Steady, SteadyEcho, testing::ValuesIn(steady::protocols()),
                         [](const auto& protocol) { return protocol.param.name; });

struct Dispatcher {
    void turn() { thread.turn(std::chrono::nanoseconds::zero()); }
    nio::SelectorThread thread;
};

TEST(SteadyTasks, InvokeLaterOfASmallTaskAllocatesNothing) {
    Dispatcher dispatcher;
    std::size_t run = 0;
    const auto round = [&] {
        for (int i = 0; i < 100; ++i) {
            if (!dispatcher.thread.invokeLater(
                    [&run, a = 1UL, b = 2UL, c = 3UL] { run += a + b + c; })) {
                throw std::runtime_error("refused");
            }
        }
        dispatcher.turn();
    };
    for (std::size_t i = 0; i < warmUp; ++i) round();
    Counting counting;
    for (std::size_t i = 0; i < rounds; ++i) round();
    counting.stop();
    EXPECT_EQ(counting.allocations(), 0U);
    EXPECT_EQ(run, 6 * 100 * (warmUp + rounds));
}

TEST(SteadyTasks, ATaskForAChannelAllocatesNothing) {
    Echo echo(steady::protocols().front(), {.connections = 1});
    nio::SelectorThread& thread = echo.thread();
    const nio::ChannelHandle handle(thread, 0, 0);
    std::size_t run = 0;
    const auto round = [&] {
        if (!thread.invokeLater(handle, [&run](nio::SelectorHandler&) { ++run; })) {
            throw std::runtime_error("refused");
        }
        echo.round();
    };
    for (std::size_t i = 0; i < warmUp; ++i) round();
    Counting counting;
    for (std::size_t i = 0; i < rounds; ++i) round();
    counting.stop();
    EXPECT_EQ(counting.allocations(), 0U);
    EXPECT_EQ(run, warmUp + rounds);
}

TEST(SteadyTasks, DeadlinesAllocateNothing) {
    Dispatcher dispatcher;
    std::size_t expired = 0;
    std::vector<std::unique_ptr<nio::Deadline>> deadlines;
    for (int i = 0; i < 100; ++i) {
        deadlines.push_back(
            std::make_unique<nio::Deadline>(dispatcher.thread.deadlines(), [&] { ++expired; }));
    }
    const auto round = [&] {
        auto set = [&] {
            nio::onDispatcher.assertCurrent();
            for (auto& each : deadlines) each->wakeAfter(std::chrono::hours(1));
            for (auto& each : deadlines) each->wakeAt(nio::TimePoint());
        };
        if (!dispatcher.thread.invokeLater(set)) throw std::runtime_error("refused");
        dispatcher.turn();
        dispatcher.turn();
    };
    for (std::size_t i = 0; i < warmUp; ++i) round();
    Counting counting;
    for (std::size_t i = 0; i < rounds; ++i) round();
    counting.stop();
    EXPECT_EQ(counting.allocations(), 0U);
    EXPECT_GE(expired, 100 * rounds);
}

}  // namespace
