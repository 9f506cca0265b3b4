// Dispatchers that end when they are idle, and threads that come again.
#include <gtest/gtest.h>

#include <nio/group/Ask.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include "support/AtThreadEnd.h"
#include "support/Engines.h"
#include "support/MovingHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::MovingHandler;
using support::RecordingHandler;

// What the threads of a dispatcher have done so far.
struct Threads {
    std::atomic<int> started{0};

    SelectorThreadOptions options(SelectorKind kind = SelectorKind::automatic) {
        SelectorThreadOptions options = support::with(kind);
        options.threadStarted = [this] { ++started; };
        return options;
    }
};

class IdleStop : public testing::TestWithParam<SelectorKind> {
  protected:
    SelectorThreadOptions options(std::chrono::milliseconds idleStop) {
        SelectorThreadOptions options = threads_.options(GetParam());
        options.idleStop = idleStop;
        return options;
    }
    static std::thread::id threadOf(SelectorThread& dispatcher) {
        return dispatcher.invokeAndWait([] { return std::this_thread::get_id(); }).orThrow();
    }

    Threads threads_;
};

TEST_P(IdleStop, RunReturnsWhenNothingIsRegistered) {
    Journal journal;
    SelectorThread dispatcher(options(0ms));
    dispatcher.run();
    for (int round = 1; round <= 3; ++round) {
        Link link = makeLink();
        auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal);
        handler->onRead = [&channel = handler->channel()] { channel.close(); };
        ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), Interest::read));
        link.peer.send("x");
        dispatcher.run();
        EXPECT_FALSE(dispatcher.isStopped());
        EXPECT_EQ(dispatcher.connectionCount(), 0u);
        EXPECT_EQ(std::count(journal.begin(), journal.end(), "a destroyed"), round);
    }
}

TEST_P(IdleStop, RunWaitsForTasksAndDeadlines) {
    SelectorThread dispatcher(options(0ms));
    bool ran = false;
    std::optional<Deadline> deadline;
    ASSERT_TRUE(dispatcher.invokeLater([&] {
        onDispatcher.assertCurrent();
        deadline.emplace(dispatcher.deadlines(), [&] { ran = true; });
        deadline->wakeAfter(20ms);
    }));
    dispatcher.run();
    EXPECT_TRUE(ran);
}

TEST_P(IdleStop, APostMakesAThreadAgain) {
    SelectorThread dispatcher(options(0ms));
    dispatcher.start();
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    }
    dispatcher.requestClose();
    dispatcher.join();
    EXPECT_TRUE(dispatcher.isStopped());
    EXPECT_GE(threads_.started, 1);
}

TEST_P(IdleStop, NoPostOfManyThreadsIsLost) {
    constexpr int posters = 4;
    constexpr int posts = 300;
    SelectorThread dispatcher(options(0ms));
    dispatcher.start();
    std::atomic<int> ran{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < posters; ++i) {
        threads.emplace_back([&] {
            for (int post = 0; post < posts; ++post) {
                EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; }));
                if (post % 10 > 0) continue;
                EXPECT_TRUE(dispatcher.invokeAndWait([] {}).ok());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_EQ(ran, posters * posts);
}

TEST_P(IdleStop, KeepsItsThreadWhileAConnectionIsOpen) {
    Journal journal;
    std::promise<void> read;
    SelectorThread dispatcher(options(0ms));
    Link link = makeLink();
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal);
    handler->onRead = [&, &channel = handler->channel()] {
        (void)channel.receive();
        read.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), Interest::read));
    dispatcher.start();
    const auto first = threadOf(dispatcher);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(threadOf(dispatcher), first);
    link.peer.send("x");
    EXPECT_EQ(read.get_future().wait_for(kerneltest::patience), std::future_status::ready);
    EXPECT_EQ(threads_.started, 1);
}

TEST_P(IdleStop, ServesAConnectionOnANewThread) {
    Journal journal;
    SelectorThread dispatcher(options(0ms));
    dispatcher.start();
    for (int round = 0; round < 3; ++round) {
        Link link = makeLink();
        auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal);
        handler->onRead = [&channel = handler->channel()] {
            (void)channel.receive();
            (void)channel.write(asBytes("answer"));
            channel.close();
        };
        ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), Interest::read));
        link.peer.send("x");
        EXPECT_EQ(link.peer.receiveAll(), "answer");
    }
}

TEST_P(IdleStop, KeepsItsThreadForWhatHoldsUpNoDrain) {
    struct Quiet : support::RecordingBase<ReadWriteSelectorHandler, SocketChannel> {
        using RecordingBase::RecordingBase;
        void handleRead() override NIO_REQUIRES(onDispatcher) {}
        void handleWrite() override NIO_REQUIRES(onDispatcher) {}
        bool countsAsConnection() const override { return false; }
        bool holdsUpDrain() const override { return false; }
    };
    Journal journal;
    SelectorThread dispatcher(options(0ms));
    Link link = makeLink();
    auto handler = std::make_unique<Quiet>(std::move(link.channel), "a", journal);
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), Interest::read));
    dispatcher.start();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_EQ(threads_.started, 1);
}

TEST_P(IdleStop, ADrainEndsThoughAChannelIsAway) {
    Journal journal;
    Link link = makeLink();
    SelectorThread there(support::with(GetParam()));
    SelectorThread dispatcher(options(0ms));
    there.start();
    dispatcher.start();
    auto handler = std::make_unique<MovingHandler>(std::move(link.channel), "c", journal);
    const ChannelHandle handle =
        dispatcher
            .invokeAndWait([&] {
                onDispatcher.assertCurrent();
                return dispatcher.registerChannelNow(std::move(handler), Interest::read).orThrow();
            })
            .orThrow();
    ASSERT_TRUE(dispatcher.moves().moveLater(handle, there));
    while (there.connectionCount() == 0 || dispatcher.connectionCount() > 0) {
        std::this_thread::sleep_for(1ms);
    }
    DrainOptions options;
    options.deadline = 50ms;
    dispatcher.requestClose(options);
    dispatcher.join();
    EXPECT_TRUE(dispatcher.isStopped());
}

TEST_P(IdleStop, RunWaitsForAnswers) {
    SelectorThread there(support::with(GetParam()));
    there.start();
    SelectorThread dispatcher(options(0ms));
    int answered = 0;
    ASSERT_TRUE(dispatcher.invokeLater([&] {
        onDispatcher.assertCurrent();
        const auto slow = [] {
            std::this_thread::sleep_for(20ms);
            return 1;
        };
        ask(there, slow, [&](Result<int> answer) { answered = std::move(answer).orThrow(); });
    }));
    dispatcher.run();
    EXPECT_EQ(answered, 1);
}

// The thread before ends its duty only when the watchdog's report is over.
TEST_P(IdleStop, TheWatchdogsReportMayPost) {
    SelectorThreadOptions watched = options(0ms);
    watched.stallLimit = 1h;
    SelectorThread dispatcher(watched);
    std::promise<void> stalled;
    std::promise<void> posted;
    std::atomic<bool> isFirst{true};
    std::atomic<bool> ran{false};
    SelectorThreadOptions stalling = support::with(GetParam());
    stalling.stallLimit = 10ms;
    stalling.onStall = [&](const Stall&) {
        if (!isFirst.exchange(false)) return;
        stalled.set_value();
        while (dispatcher.life().runs()) std::this_thread::sleep_for(1ms);
        EXPECT_TRUE(dispatcher.invokeLater([&] { ran = true; }));
        posted.set_value();
    };
    SelectorThread other(stalling);
    dispatcher.start();
    std::promise<void> begun;
    ASSERT_TRUE(dispatcher.invokeLater([&] {
        begun.set_value();
        stalled.get_future().wait();
    }));
    begun.get_future().wait();
    other.start();
    ASSERT_TRUE(other.invokeLater([&] { posted.get_future().wait(); }));
    ASSERT_TRUE(other.invokeAndWait([] {}).ok());
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_TRUE(ran);
}

TEST_P(IdleStop, AThreadMayPostWhileItEnds) {
    std::promise<void> ran;
    SelectorThread dispatcher(options(0ms));
    dispatcher.start();
    ASSERT_TRUE(dispatcher.invokeLater([&] {
        thread_local support::AtThreadEnd last;
        last.run = [&] { EXPECT_TRUE(dispatcher.invokeLater([&] { ran.set_value(); })); };
    }));
    EXPECT_EQ(ran.get_future().wait_for(kerneltest::patience), std::future_status::ready);
}

// The thread that would run the task waits for the end of this one.
TEST_P(IdleStop, AThreadThatEndsMayNotWaitForItself) {
    std::promise<Result<void>> told;
    SelectorThread dispatcher(options(0ms));
    dispatcher.start();
    ASSERT_TRUE(dispatcher.invokeLater([&] {
        thread_local support::AtThreadEnd last;
        last.run = [&] { told.set_value(dispatcher.invokeAndWait([] {}, {.timeout = 100ms})); };
    }));
    EXPECT_TRUE(told.get_future().get().error().is(Errc::waitCycle));
}

INSTANTIATE_TEST_SUITE_P(Each, IdleStop, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
}  // namespace nio
