// What a dispatcher counts about itself. That the steady state stays free of locks and allocations
// with it is in tests/steady.
#include <nio/connection/StreamHandler.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/TestDispatcher.h"

namespace {

using nio::CloseReason;
using nio::DispatcherMetrics;
using support::Journal;
using support::Link;
using support::makeLink;
using support::TestDispatcher;

class Echo final : public nio::StreamHandler {
  public:
    explicit Echo(nio::SocketChannel channel)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()) {}
    using StreamHandler::end;

  protected:
    void bytesArrived(nio::ByteView bytes) override { sendThrough(bytes); }
};

class SelectorThreadMetrics : public testing::Test {
  protected:
    Echo& addEcho() { return addEcho(link); }
    Echo& addEcho(Link& on) {
        return dispatcher.add(std::make_unique<Echo>(std::move(on.channel)), nio::Interest::read);
    }
    DispatcherMetrics now() { return dispatcher->metrics(); }
    bool turnUntilClosed() {
        return dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; });
    }

    Journal journal;
    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    TestDispatcher dispatcher{"some"};
};

TEST_F(SelectorThreadMetrics, BeginWithNothing) {
    const DispatcherMetrics metrics = now();
    EXPECT_EQ(metrics.dispatcher, "some");
    EXPECT_EQ(metrics.turns, 0U);
    EXPECT_EQ(metrics.events, 0U);
    EXPECT_EQ(metrics.tasks, 0U);
    EXPECT_EQ(metrics.connections, 0U);
    EXPECT_EQ(metrics.callbackTimes.total(), 0U);
}

TEST_F(SelectorThreadMetrics, CountTurnsAndTheEventsOfEach) {
    dispatcher.turns(3);
    EXPECT_EQ(now().turns, 3U);
    EXPECT_EQ(now().events, 0U);
    addEcho();
    const DispatcherMetrics before = now();
    link.peer.send("hello");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return now().events > before.events; }));
    EXPECT_EQ(now().events, before.events + 1);
    EXPECT_EQ(now().eventsPerTurn.counts[nio::Histogram::bucketOf(1)], 1U);
    EXPECT_EQ(now().eventsPerTurn.total(), now().turns);
    EXPECT_EQ(now().callbackTimes.total(), before.callbackTimes.total() + 1);
}

TEST_F(SelectorThreadMetrics, CountBytesInAndOut) {
    addEcho();
    link.peer.send("hello");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return now().bytesOut == 5; }));
    EXPECT_EQ(now().bytesIn, 5U);
    EXPECT_EQ(link.peer.receive(5), "hello");
}

TEST_F(SelectorThreadMetrics, CountAReceiveThatFindsNothing) {
    auto& handler = dispatcher.add(link, "handler", journal, nio::Interest::none);
    dispatcher.inTurn([&] { (void)handler.channel().receive(); });
    EXPECT_EQ(now().receivesInVain, 1U);
    EXPECT_EQ(now().bytesIn, 0U);
}

TEST_F(SelectorThreadMetrics, KnowWhatWaitsForTheKernelAndForgetItWhenItHasLeft) {
    Echo& echo = addEcho();
    const std::string much(8 * 1024 * 1024, 'x');
    dispatcher.inTurn([&] { echo.send(nio::asBytes(much)); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return now().sendsHeldUp > 0; }));
    const std::size_t waiting = echo.pendingBytes();
    ASSERT_GT(waiting, 0U);
    EXPECT_GE(now().bufferedBytes, waiting);
    EXPECT_LE(now().bufferedBytes, much.size() + 64 * 1024) << "whole chunks";
    std::size_t received = 0;
    ASSERT_TRUE(dispatcher.turnUntil([&] {
        received += link.peer.receiveWhatIsThere().size();
        return received == much.size();
    }));
    dispatcher.turns(2);
    EXPECT_EQ(now().bufferedBytes, 0U);
    EXPECT_EQ(now().bytesOut, much.size());
}

TEST_F(SelectorThreadMetrics, ForgetWhatWaitedForAConnectionThatEnds) {
    Echo& echo = addEcho();
    const std::string much(8 * 1024 * 1024, 'x');
    dispatcher.inTurn([&] { echo.send(nio::asBytes(much)); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return now().bufferedBytes > 0; }));
    dispatcher.inTurn([&] { echo.abort(); });
    EXPECT_EQ(now().bufferedBytes, 0U);
    EXPECT_EQ(now().closesFor(CloseReason::cancelled), 1U);
}

TEST_F(SelectorThreadMetrics, CountClosesByTheirReason) {
    Link second = makeLink();
    Link third = makeLink();
    addEcho();
    EXPECT_EQ(now().connections, 1U);
    link.peer.finish();
    ASSERT_TRUE(turnUntilClosed());
    EXPECT_EQ(now().closesFor(CloseReason::finished), 1U);
    Echo& failing = addEcho(second);
    dispatcher.inTurn([&] { failing.end(nio::Error(nio::Errc::malformedPacket), true); });
    EXPECT_EQ(now().closesFor(CloseReason::protocol), 1U);
    Echo& closed = addEcho(third);
    dispatcher.inTurn([&] { closed.channel().close(); });
    EXPECT_EQ(now().closesFor(CloseReason::other), 1U);
}

TEST_F(SelectorThreadMetrics, CountTasksAndThoseThatWait) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(dispatcher->invokeLater([] {}));
    EXPECT_EQ(now().tasksWaiting, 3U);
    EXPECT_EQ(now().tasks, 0U);
    dispatcher.turn();
    EXPECT_EQ(now().tasksWaiting, 0U);
    EXPECT_EQ(now().tasks, 3U);
    EXPECT_EQ(now().taskDelays.total(), 1U);
    EXPECT_GT(now().taskDelay.count(), 0);
}

TEST_F(SelectorThreadMetrics, CountDeadlines) {
    nio::Deadline soon(dispatcher->deadlines(), [] {});
    nio::Deadline late(dispatcher->deadlines(), [] {});
    dispatcher.inTurn([&] {
        soon.wakeAt(nio::TimePoint());
        late.wakeAfter(std::chrono::hours(1));
    });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return now().deadlinesExpired == 1; }));
    EXPECT_EQ(now().deadlines, 1U);
    dispatcher.inTurn([&] { late.cancel(); });
    EXPECT_EQ(now().deadlines, 0U);
}

TEST_F(SelectorThreadMetrics, ATaskThatIsSlowIsTimeInTasksAndNotInSelect) {
    const auto slow = std::chrono::milliseconds(5);
    const DispatcherMetrics before = now();
    dispatcher.inTurn([&] {
        const nio::TimePoint end = nio::Clock::now() + slow;
        while (nio::Clock::now() < end) {
        }
    });
    // Ticks may be off by a part in a thousand.
    EXPECT_GE(now().taskTime - before.taskTime, slow * 9 / 10);
}

TEST_F(SelectorThreadMetrics, ACallbackThatIsSlowIsCountedWhereItBelongs) {
    auto& handler = dispatcher.add(link, "handler", journal);
    handler.onRead = [&] {
        const nio::TimePoint end = nio::Clock::now() + std::chrono::milliseconds(5);
        while (nio::Clock::now() < end) {
        }
        handler.keepWhatIsThere();
    };
    link.peer.send("x");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return handler.kept == "x"; }));
    dispatcher.turn();
    const DispatcherMetrics metrics = now();
    EXPECT_GE(metrics.callbackTime, std::chrono::milliseconds(4));
    EXPECT_GE(metrics.callbackTimes.percentile(1), 4e6);
}

TEST_F(SelectorThreadMetrics, AWaitUnderWayCountsUpToNow) {
    nio::SelectorThread sleeper;
    sleeper.start();
    const auto select = [&] { return sleeper.metrics().selectTime; };
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    while (select() < std::chrono::milliseconds(5) && nio::Clock::now() < end) {
        std::this_thread::yield();
    }
    EXPECT_GE(select(), std::chrono::milliseconds(5));
    EXPECT_LE(sleeper.metrics().turns, 2U);
}

TEST_F(SelectorThreadMetrics, AreReadWhileTheDispatcherWorks) {
    nio::SelectorThread worker;
    worker.start();
    std::atomic<bool> done{false};
    std::atomic<std::uint64_t> reads{0};
    std::thread reader([&] {
        std::uint64_t last = 0;
        while (!done.load()) {
            const std::uint64_t tasks = worker.metrics().tasks;
            EXPECT_GE(tasks, last);
            last = tasks;
            ++reads;
        }
    });
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    while (reads.load() == 0 && nio::Clock::now() < end) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(worker.invokeAndWait([] {}).ok());
    // The count of a batch follows its last task.
    const auto counted = [&] { return worker.metrics().tasks >= 1000; };
    while (!counted() && nio::Clock::now() < end) std::this_thread::yield();
    done.store(true);
    reader.join();
    EXPECT_TRUE(counted());
    EXPECT_GT(reads.load(), 0U);
}

}  // namespace
