// Threads that come with the work, and those that cannot be had.
#include <gtest/gtest.h>
#include <nio/base/Log.h>
#include <nio/loop/SelectorThread.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <thread>

#include "support/Engines.h"
#include "support/LogCapture.h"
#include "support/RefusedCall.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;

SelectorThreadOptions lazy() {
    SelectorThreadOptions options;
    options.lazyStart = true;
    return options;
}

TEST(LazyStart, MakesItsThreadWithTheFirstPost) {
    std::atomic<int> started{0};
    SelectorThreadOptions options = lazy();
    options.threadStarted = [&] { ++started; };
    SelectorThread dispatcher(options);
    dispatcher.start();
    EXPECT_THROW(dispatcher.start(), std::logic_error);
    EXPECT_EQ(started, 0);
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_EQ(started, 1);
}

TEST(LazyStart, MakesItAtOnceForWhatWaits) {
    std::atomic<int> started{0};
    SelectorThreadOptions options = lazy();
    options.threadStarted = [&] { ++started; };
    SelectorThread dispatcher(options);
    std::promise<void> ran;
    ASSERT_TRUE(dispatcher.invokeLater([&] { ran.set_value(); }));
    dispatcher.start();
    EXPECT_EQ(ran.get_future().wait_for(kerneltest::patience), std::future_status::ready);
}

TEST(LazyStart, StopsWithoutEverHavingServed) {
    const SelectorThreadOptions options = lazy();
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
    std::atomic<int> started{0};
    SelectorThreadOptions options = lazy();
    options.threadStarted = [&] { ++started; };
    SelectorThread dispatcher(options);
    dispatcher.start();
    std::atomic<int> ran{0};
    {
        const support::LogCapture log;
        support::withRefusedCall(SYS_clone3, EPERM,
                                 [&] { EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; })); });
        EXPECT_EQ(log.lines().size(), 1u);
    }
    EXPECT_EQ(started, 0);
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { EXPECT_EQ(ran, 1); }).ok());
}

TEST(LazyStart, EndsWithoutAThread) {
    const SelectorThreadOptions options = lazy();
    int ran = 0;
    const support::LogCapture log;
    support::withRefusedCall(SYS_clone3, EPERM, [&] {
        SelectorThread dispatcher(options);
        dispatcher.start();
        EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; }));
    });
    EXPECT_EQ(ran, 1);
}

TEST(LazyStart, InvokeAndWaitSaysThatThereIsNoThread) {
    const SelectorThreadOptions options = lazy();
    SelectorThread dispatcher(options);
    dispatcher.start();
    {
        const support::LogCapture log;
        support::withRefusedCall(SYS_clone3, EPERM, [&] {
            for (int i = 0; i < 2; ++i) {
                const Result<void> waited = dispatcher.invokeAndWait([] { ADD_FAILURE(); });
                ASSERT_FALSE(waited.ok());
                EXPECT_TRUE(waited.error().is(std::errc::resource_unavailable_try_again));
            }
        });
    }
    EXPECT_TRUE(dispatcher.invokeAndWait([] {}).ok());
}

TEST(LazyStart, JoinWaitsForTheRequestToClose) {
    const SelectorThreadOptions options = lazy();
    SelectorThread dispatcher(options);
    dispatcher.start();
    {
        const support::LogCapture log;
        support::withRefusedCall(SYS_clone3, EPERM,
                                 [&] { EXPECT_TRUE(dispatcher.invokeLater([] {})); });
    }
    auto joined = std::async(std::launch::async, [&] {
        dispatcher.join();
        return dispatcher.isStopped();
    });
    EXPECT_EQ(joined.wait_for(20ms), std::future_status::timeout);
    dispatcher.requestClose();
    EXPECT_TRUE(joined.get());
}

TEST(LazyStart, NoThreadComesIntoTurnsByHand) {
    const SelectorThreadOptions options = lazy();
    std::promise<SelectorThread*> begun;
    std::promise<void> posted;
    int ran = 0;
    std::thread poster([&] {
        SelectorThread* dispatcher = begun.get_future().get();
        EXPECT_TRUE(dispatcher->invokeLater([&] { ++ran; }));
        posted.set_value();
    });
    const support::LogCapture log;
    support::withRefusedCall(SYS_clone3, EPERM, [&] {
        SelectorThread dispatcher(options);
        dispatcher.start();
        EXPECT_TRUE(dispatcher.invokeLater([&] {
            begun.set_value(&dispatcher);
            posted.get_future().wait();
        }));
    });
    poster.join();
    EXPECT_EQ(ran, 1);
}

TEST(LazyStart, ALoggerMayPostToOneWithoutAThread) {
    const SelectorThreadOptions options = lazy();
    SelectorThread dispatcher(options);
    dispatcher.start();
    std::atomic<int> lines{0};
    std::atomic<int> ran{0};
    setLogger([&](LogLevel, std::string_view) {
        ++lines;
        EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; }));
    });
    support::withRefusedCall(SYS_clone3, EPERM,
                             [&] { EXPECT_TRUE(dispatcher.invokeLater([&] { ++ran; })); });
    setLogger({});
    EXPECT_EQ(lines, 1);
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { EXPECT_EQ(ran, 2); }).ok());
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
