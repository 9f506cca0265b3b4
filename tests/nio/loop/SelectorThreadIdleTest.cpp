// Dispatchers that end when they are idle, and threads that come with the work.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include "support/Engines.h"
#include "support/LogCapture.h"
#include "support/RefusedCall.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
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

INSTANTIATE_TEST_SUITE_P(Each, IdleStop, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST(LazyStart, MakesItsThreadWithTheFirstPost) {
    Threads threads;
    SelectorThreadOptions options = threads.options();
    options.lazyStart = true;
    SelectorThread dispatcher(options);
    dispatcher.start();
    EXPECT_THROW(dispatcher.start(), std::logic_error);
    EXPECT_EQ(threads.started, 0);
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_EQ(threads.started, 1);
}

TEST(LazyStart, MakesItAtOnceForWhatWaits) {
    Threads threads;
    SelectorThreadOptions options = threads.options();
    options.lazyStart = true;
    SelectorThread dispatcher(options);
    std::promise<void> ran;
    ASSERT_TRUE(dispatcher.invokeLater([&] { ran.set_value(); }));
    dispatcher.start();
    EXPECT_EQ(ran.get_future().wait_for(kerneltest::patience), std::future_status::ready);
}

TEST(LazyStart, StopsWithoutEverHavingServed) {
    SelectorThreadOptions options;
    options.lazyStart = true;
    {
        SelectorThread dispatcher(options);
        dispatcher.start();
        dispatcher.requestClose();
        dispatcher.join();
        EXPECT_TRUE(dispatcher.isStopped());
    }
    SelectorThread destroyed(options);
    destroyed.start();
}

TEST(LazyStart, ATaskWithoutAThreadWaitsForTheNextPost) {
    Threads threads;
    SelectorThreadOptions options = threads.options();
    options.lazyStart = true;
    SelectorThread dispatcher(options);
    dispatcher.start();
    std::atomic<int> ran{0};
    {
        const support::LogCapture log;
        support::withRefusedCall(SYS_clone3, EPERM,
                                 [&] { EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; })); });
        EXPECT_EQ(log.lines().size(), 1u);
    }
    EXPECT_EQ(threads.started, 0);
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { EXPECT_EQ(ran, 1); }).ok());
}

TEST(LazyStart, EndsWithoutAThread) {
    SelectorThreadOptions options;
    options.lazyStart = true;
    int ran = 0;
    const support::LogCapture log;
    support::withRefusedCall(SYS_clone3, EPERM, [&] {
        SelectorThread dispatcher(options);
        dispatcher.start();
        EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; }));
    });
    EXPECT_EQ(ran, 1);
}

TEST(ThreadStarted, IsCalledOnTheNewThread) {
    std::promise<std::thread::id> told;
    SelectorThreadOptions options;
    options.threadStarted = [&] { told.set_value(std::this_thread::get_id()); };
    SelectorThread dispatcher(options);
    dispatcher.start();
    const auto id = dispatcher.invokeAndWait([] { return std::this_thread::get_id(); }).orThrow();
    EXPECT_EQ(told.get_future().get(), id);
}

}  // namespace
}  // namespace nio
