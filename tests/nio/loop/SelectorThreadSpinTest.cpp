// A dispatcher with busy-polling or moderation does all that another does.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nio/timers/Deadline.h>

#include "support/MovingHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;

SelectorThreadOptions spinningFor(std::chrono::nanoseconds spin) {
    SelectorThreadOptions options;
    options.spin = spin;
    return options;
}

struct Waits {
    const char* name;
    std::chrono::nanoseconds spin;
    std::chrono::nanoseconds moderation;
};

class SpinTest : public testing::TestWithParam<Waits> {
  protected:
    SelectorThreadOptions options() const {
        SelectorThreadOptions options = spinningFor(GetParam().spin);
        options.moderation = GetParam().moderation;
        return options;
    }
};

INSTANTIATE_TEST_SUITE_P(SelectorThread, SpinTest,
                         testing::Values(Waits{"ForMicroseconds", 20us, 0ns},
                                         Waits{"ForASecond", 1s, 0ns}, Waits{"Moderated", 0ns, 1ms},
                                         Waits{"ModeratedAndFor20us", 20us, 100us}),
                         [](const auto& waits) { return std::string(waits.param.name); });

TEST_P(SpinTest, AnswersManyThreadsThatWait) {
    constexpr int callers = 4;
    constexpr int calls = 500;
    SelectorThread dispatcher(options());
    dispatcher.start();
    int ran = 0;
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&] {
            for (int i = 0; i < calls; ++i) {
                const Result<int> result = dispatcher.invokeAndWait([&, i] {
                    ++ran;
                    return i;
                });
                answered += result.ok() && result.value() == i;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(answered, callers * calls);
    EXPECT_EQ(ran, callers * calls);
}

TEST_P(SpinTest, ServesSockets) {
    support::Journal journal;
    support::TestDispatcher dispatcher("spin", options());
    support::Link link = support::makeLink();
    support::RecordingHandler& handler = dispatcher.add(link, "a", journal);
    for (const char* text : {"one", "onetwo", "onetwothree"}) {
        link.peer.send(std::string(text).substr(handler.kept.size()));
        EXPECT_TRUE(dispatcher.turnUntil([&] { return handler.kept == text; })) << handler.kept;
    }
}

TEST_P(SpinTest, ServesAConnectionThatMigratesToAnother) {
    support::Journal journal;
    support::TestDispatcher a("a", options()), b("b", options());
    support::Link link = support::makeLink();
    support::MovingHandler& handler =
        a.add(std::make_unique<support::MovingHandler>(std::move(link.channel), "c", journal),
              Interest::read);
    ChannelHandle handle;
    a.inTurn([&] { handle = a->handleOf(handler.channel()); });
    const SelectorThread* place = nullptr;
    handler.onArrived = [&] { place = &handler.dispatcher(); };
    // As many, and turns as short, as moderation needs to begin.
    constexpr std::size_t migrations = 200;
    const TimePoint end = Clock::now() + kerneltest::patience;
    for (std::size_t i = 1; i <= migrations; ++i) {
        SelectorThread& target = i % 2 == 1 ? *b : *a;
        link.peer.send("x");
        ASSERT_TRUE(a->moves().moveLater(handle, target));
        while ((handler.kept.size() < i || place != &target) && Clock::now() < end) {
            a->turn(100us);
            b->turn(100us);
        }
    }
    EXPECT_EQ(handler.kept, std::string(migrations, 'x'));
    EXPECT_EQ(place, &*a);
}

TEST_P(SpinTest, EndsItsTurnForADeadline) {
    support::TestDispatcher dispatcher("spin", options());
    bool expired = false;
    Deadline deadline(dispatcher->deadlines(), [&] {
        expired = true;
        EXPECT_TRUE(dispatcher->invokeLater([] {})) << "so that the turn ends";
    });
    dispatcher.inTurn([&] { deadline.wakeAt(Clock::after(1ms)); });
    while (!expired) dispatcher->turn(std::nullopt);
}

TEST_P(SpinTest, EndsATurnWhoseTimeIsOver) {
    support::TestDispatcher dispatcher("spin", options());
    EXPECT_TRUE(dispatcher->turn(1ms));
}

TEST_P(SpinTest, StopsWhenItIsAsked) {
    SelectorThread dispatcher(options());
    dispatcher.start();
    EXPECT_TRUE(dispatcher.invokeAndWait([] {}));
    dispatcher.requestClose();
    dispatcher.join();
    EXPECT_TRUE(dispatcher.isStopped());
}

TEST(SelectorThreadSpin, IsOffUnlessAskedFor) {
    EXPECT_EQ(SelectorThreadOptions().spin, 0ns);
    EXPECT_EQ(SelectorThreadOptions().moderation, 0ns);
}

// So long that it spins whatever else the machine has to do.
TEST(SelectorThreadSpin, DoesNotCountAsBusy) {
    SelectorThread dispatcher(spinningFor(1s));
    dispatcher.start();
    std::chrono::nanoseconds used{0}, busy{0};
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (busy >= used && Clock::now() < end) {
        ASSERT_TRUE(dispatcher.invokeAndWait([&] {
            used = kernel::cpuTimeOf(kernel::threadCpuClock());
            busy = dispatcher.life().busyTime();
        }));
    }
    EXPECT_LT(busy, used);
}

}  // namespace
}  // namespace nio
