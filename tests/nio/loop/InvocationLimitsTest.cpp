// invokeAndWait with a time limit or a stop token, and waits that nobody would end without one.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "nio/sys/KernelTesting.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::TestDispatcher;

template <class F>
void yieldUntil(F&& done) {
    const TimePoint end = Clock::after(kerneltest::patience);
    while (!done() && Clock::now() < end) std::this_thread::yield();
}

// A dispatcher whose turns were made by a thread that has ended.
void driveElsewhere(TestDispatcher& dispatcher) {
    std::thread([&] { dispatcher.turns(2); }).join();
}

TEST(InvocationLimits, WhatIsAnsweredInTimeIsNotTouched) {
    SelectorThread dispatcher;
    dispatcher.start();
    std::stop_source source;
    const Result<int> result =
        dispatcher.invokeAndWait([] { return 4; }, {.timeout = 1h, .stop = source.get_token()});
    ASSERT_TRUE(result);
    EXPECT_EQ(result.value(), 4);
    EXPECT_THROW((void)dispatcher.invokeAndWait([] { throw std::out_of_range("mine"); },
                                                {.stop = source.get_token()}),
                 std::out_of_range);
}

TEST(InvocationLimits, ATaskWhoseCallerGaveUpNeverRuns) {
    TestDispatcher dispatcher;
    driveElsewhere(dispatcher);
    auto local = std::make_unique<bool>(false);
    const Result<void> result =
        dispatcher->invokeAndWait([ran = local.get()] { *ran = true; }, {.timeout = 1ms});
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is(Errc::timedOut));
    EXPECT_FALSE(*local);
    local.reset();
    dispatcher.turns(2);
    EXPECT_EQ(dispatcher->queue()->size(), 0u) << "it was there, and has passed";
}

TEST(InvocationLimits, ATaskThatHasBegunIsWaitedFor) {
    SelectorThread dispatcher;
    dispatcher.start();
    std::stop_source source;
    std::atomic<bool> goesOn{false};
    std::thread late([&] {
        yieldUntil([&] { return source.stop_requested(); });
        goesOn = true;
    });
    const Result<int> result = dispatcher.invokeAndWait(
        [&] {
            source.request_stop();
            yieldUntil([&] { return goesOn.load(); });
            return 7;
        },
        {.timeout = 1h, .stop = source.get_token()});
    late.join();
    ASSERT_TRUE(result) << "its references are lent while it runs";
    EXPECT_EQ(result.value(), 7);
}

TEST(InvocationLimits, AStopRequestEndsTheWait) {
    TestDispatcher dispatcher;
    driveElsewhere(dispatcher);
    std::stop_source source;
    std::thread stopper([&] {
        yieldUntil([&] { return dispatcher->queue()->size() == 1; });
        source.request_stop();
    });
    const Result<void> result = dispatcher->invokeAndWait([] {}, {.stop = source.get_token()});
    stopper.join();
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is(Errc::cancelled));
}

TEST(InvocationLimits, ADriverThatHasStoppedIsNotWaitedForForEver) {
    SelectorThreadOptions options;
    options.handDrivenWait = 20ms;
    TestDispatcher dispatcher("by hand", options);
    driveElsewhere(dispatcher);
    bool ran = false;
    const Result<void> result = dispatcher->invokeAndWait([&] { ran = true; });
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is(Errc::timedOut));
    EXPECT_FALSE(ran);
}

TEST(InvocationLimits, OneThatRunsIsWaitedForWithoutALimit) {
    for (const bool runs : {false, true}) {
        SelectorThread dispatcher({.handDrivenWait = 1ms});
        std::thread runner;
        runs ? static_cast<void>(runner = std::thread([&] { dispatcher.run(); }))
             : dispatcher.start();
        yieldUntil([&] { return dispatcher.life().runs(); });
        std::atomic<bool> began{false};
        std::atomic<bool> goesOn{false};
        ASSERT_TRUE(dispatcher.invokeLater([&] {
            began = true;
            yieldUntil([&] { return goesOn.load(); });
        }));
        yieldUntil([&] { return began.load(); });  // so that what follows is in another batch
        std::thread late([&] {
            yieldUntil([&] { return dispatcher.queue()->size() == 1; });
            const TimePoint past = Clock::after(5ms);  // the limit that is not in force
            yieldUntil([&] { return Clock::now() > past; });
            goesOn = true;
        });
        EXPECT_TRUE(dispatcher.invokeAndWait([] {}));
        late.join();
        dispatcher.requestClose();
        if (runs) runner.join();
    }
}

// glibc gives a new thread the stack, and so the id, of one that has ended.
TEST(InvocationLimits, AThreadWithTheIdOfADeadDriverMayWait) {
    TestDispatcher dispatcher;
    std::thread::id driver;
    std::thread([&] {
        driver = std::this_thread::get_id();
        dispatcher.turns(2);
    }).join();
    bool isSame = false;
    for (int tries = 0; tries < 100 && !isSame; ++tries) {
        std::thread([&] {
            isSame = std::this_thread::get_id() == driver;
            if (!isSame) return;
            const Result<void> result = dispatcher->invokeAndWait([] {}, {.timeout = 1ms});
            ASSERT_FALSE(result);
            EXPECT_TRUE(result.error().is(Errc::timedOut)) << result.error().message();
        }).join();
    }
    if (!isSame) GTEST_SKIP() << "no thread got the id again";
}

// No graph knows that the dispatcher waits for a thread that waits for it.
TEST(InvocationLimits, ATimeoutEndsACycleThroughAPlainThread) {
    SelectorThread dispatcher;
    dispatcher.start();
    Result<void> inner;
    const Result<void> outer = dispatcher.invokeAndWait([&] {
        std::thread([&] { inner = dispatcher.invokeAndWait([] {}, {.timeout = 1ms}); }).join();
    });
    EXPECT_TRUE(outer);
    ASSERT_FALSE(inner);
    EXPECT_TRUE(inner.error().is(Errc::timedOut));
}

TEST(InvocationLimits, AWaitThatWasGivenUpLeavesNoEdge) {
    SelectorThread a({.name = "a"});
    a.start();
    TestDispatcher b("b");
    driveElsewhere(b);
    EXPECT_TRUE(a.invokeAndWait([&] {
        EXPECT_TRUE(b->invokeAndWait([] {}, {.timeout = 1ms}).error().is(Errc::timedOut));
    }));
    Result<void> back;
    b.inTurn([&] { back = a.invokeAndWait([] {}); });
    EXPECT_TRUE(back) << "a does not wait for b any more";
}

}  // namespace
}  // namespace nio
