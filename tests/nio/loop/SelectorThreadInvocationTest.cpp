// invokeLater and invokeAndWait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <nio/tasks/Completion.h>

#include "support/AtThreadEnd.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(InvokeLater, AlwaysQueuesAlsoOnItsOwnThread) {
    TestDispatcher dispatcher;
    std::vector<std::string> order;
    dispatcher.inTurn([&] {
        ASSERT_TRUE(dispatcher->invokeLater([&] { order.push_back("later"); }));
        order.push_back("now");
    });
    EXPECT_THAT(order, ElementsAre("now"));
    dispatcher.turn();
    EXPECT_THAT(order, ElementsAre("now", "later"));
}

TEST(InvokeLater, ReportsAnExceptionAndGoesOn) {
    TestDispatcher dispatcher;
    bool ran = false;
    ASSERT_TRUE(dispatcher->invokeLater([] { throw std::runtime_error("oh"); }));
    ASSERT_TRUE(dispatcher->invokeLater([&] { ran = true; }));
    EXPECT_TRUE(dispatcher.turn());
    EXPECT_TRUE(ran) << "in the same turn";
    EXPECT_THAT(dispatcher.failures, ElementsAre("task::invokeLater: oh"));
}

TEST(InvokeAndWait, GivesBackTheValueThatItsTaskReturned) {
    SelectorThread dispatcher;
    dispatcher.start();
    const SelectorThread* where = nullptr;
    const Result<std::string> result = dispatcher.invokeAndWait([&] {
        if (dispatcher.isCurrent()) where = &dispatcher;
        return std::string("value");
    });
    ASSERT_TRUE(result);
    EXPECT_EQ(result.value(), "value");
    EXPECT_EQ(where, &dispatcher);
}

TEST(InvokeAndWait, GivesBackWhatCanOnlyBeMoved) {
    SelectorThread dispatcher;
    dispatcher.start();
    auto result = dispatcher.invokeAndWait([] { return std::make_unique<int>(3); });
    ASSERT_TRUE(result);
    EXPECT_EQ(*result.value(), 3);
}

TEST(InvokeAndWait, GivesAnExceptionToItsCallerAndToNobodyElse) {
    std::vector<Failure> failures;
    SelectorThreadOptions options;
    options.onFailure = [&](const Failure& failure) { failures.push_back(failure); };
    SelectorThread dispatcher(options);
    dispatcher.start();
    EXPECT_THROW((void)dispatcher.invokeAndWait([] { throw std::out_of_range("mine"); }),
                 std::out_of_range);
    EXPECT_TRUE(dispatcher.invokeAndWait([] {}));
    EXPECT_THAT(failures, IsEmpty());
}

TEST(InvokeAndWait, RunsInPlaceOnItsOwnThread) {
    bool later = false;
    TestDispatcher dispatcher;
    dispatcher.inTurn([&] {
        ASSERT_TRUE(dispatcher->invokeLater([&] { later = true; }));
        const Result<int> result = dispatcher->invokeAndWait([] { return 4; });
        ASSERT_TRUE(result);
        EXPECT_EQ(result.value(), 4);
        EXPECT_FALSE(later) << "what was queued before is not run by the way";
        EXPECT_THROW((void)dispatcher->invokeAndWait([] { throw 1; }), int);
    });
}

TEST(InvokeAndWait, IsRefusedByADispatcherThatNeverMadeATurn) {
    SelectorThread dispatcher;
    bool ran = false;
    const Result<void> result = dispatcher.invokeAndWait([&] { ran = true; });
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is(Errc::notStarted));
    EXPECT_FALSE(ran);
}

TEST(InvokeAndWait, IsRefusedByADispatcherThatHasStopped) {
    TestDispatcher dispatcher;
    dispatcher->requestClose();
    dispatcher.turn();
    const Result<int> result = dispatcher->invokeAndWait([] { return 1; });
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().is(Errc::stopped));
}

TEST(InvokeAndWait, IsRefusedByAFullQueue) {
    SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    TestDispatcher dispatcher("small", options);
    dispatcher.turn();
    ASSERT_TRUE(dispatcher->invokeLater([] {}));
    std::thread([&] {
        const Result<void> result = dispatcher->invokeAndWait([] {});
        ASSERT_FALSE(result);
        EXPECT_TRUE(result.error().is(Errc::queueFull));
    }).join();
}

TEST(InvokeAndWait, IsAnsweredAlsoByADispatcherThatIsClosing) {
    for (int round = 0; round < 100; ++round) {
        SelectorThread dispatcher;
        dispatcher.start();
        std::thread closer([&] { dispatcher.requestClose(); });
        const Result<int> result = dispatcher.invokeAndWait([] { return 1; });
        EXPECT_TRUE(result || result.error().is(Errc::stopped));
        closer.join();
    }
}

TEST(InvokeAndWait, IsRefusedBetweenTwoThatWouldWaitForEachOther) {
    SelectorThread a({.name = "a"}), b({.name = "b"});
    a.start();
    b.start();
    Result<void> back;
    const Result<void> there = a.invokeAndWait(
        [&] { (void)b.invokeAndWait([&] { back = a.invokeAndWait([] {}); }).ok(); });
    EXPECT_TRUE(there);
    ASSERT_FALSE(back);
    EXPECT_TRUE(back.error().is(Errc::waitCycle));
    EXPECT_TRUE(b.invokeAndWait([&] { EXPECT_TRUE(a.invokeAndWait([] {})); }))
        << "the refused wait has left nothing behind";
}

TEST(InvokeAndWait, IsRefusedInACycleOfThree) {
    SelectorThread a({.name = "a"}), b({.name = "b"}), c({.name = "c"});
    for (SelectorThread* each : {&a, &b, &c}) each->start();
    Result<void> back;
    const Result<void> there = a.invokeAndWait([&] {
        EXPECT_TRUE(b.invokeAndWait(
            [&] { EXPECT_TRUE(c.invokeAndWait([&] { back = a.invokeAndWait([] {}); })); }));
    });
    EXPECT_TRUE(there);
    ASSERT_FALSE(back);
    EXPECT_TRUE(back.error().is(Errc::waitCycle));
}

// Two that begin to wait for each other at the same time: one of them at least is refused.
TEST(InvokeAndWait, NeverDeadlocksInARaceForTheCycle) {
    SelectorThread a({.name = "a"}), b({.name = "b"});
    a.start();
    b.start();
    for (int round = 0; round < 200; ++round) {
        Completion one, two;
        ASSERT_TRUE(a.invokeLater([&] { (void)b.invokeAndWait([] {}).ok(), one.finish(); }));
        ASSERT_TRUE(b.invokeLater([&] { (void)a.invokeAndWait([] {}).ok(), two.finish(); }));
        one.wait();
        two.wait();
    }
}

TEST(InvokeAndWait, KnowsThatATurnInsideATurnWaits) {
    TestDispatcher outer("outer"), inner("inner");
    inner.turn();
    outer.inTurn([&] {
        inner.inTurn([&] {
            const Result<void> result = outer->invokeAndWait([] {});
            ASSERT_FALSE(result);
            EXPECT_TRUE(result.error().is(Errc::waitCycle));
        });
    });
}

TEST(InvokeAndWait, KnowsThatATurnInsideATurnWaitsAlsoByAnother) {
    TestDispatcher outer("outer"), inner("inner");
    SelectorThread third({.name = "third"});
    third.start();
    outer.inTurn([&] {
        inner.inTurn([&] {
            Result<void> back;
            EXPECT_TRUE(third.invokeAndWait([&] { back = outer->invokeAndWait([] {}); }));
            ASSERT_FALSE(back);
            EXPECT_TRUE(back.error().is(Errc::waitCycle));
        });
    });
}

TEST(InvokeAndWait, WorksAtTheEndOfAnyThread) {
    SelectorThread dispatcher;
    dispatcher.start();
    Result<int> told = Errc::cancelled;
    std::thread([&] {
        thread_local support::AtThreadEnd last;
        last.run = [&] { told = dispatcher.invokeAndWait([] { return 3; }); };
        ASSERT_TRUE(dispatcher.invokeAndWait([] {}));
    }).join();
    EXPECT_EQ(std::move(told).orThrow(), 3);
}

TEST(InvokeAndWait, WorksAtTheEndOfADispatchersThread) {
    SelectorThread other, dispatcher;
    other.start();
    dispatcher.start();
    Result<int> elsewhere = Errc::cancelled;
    Result<void> here;
    ASSERT_TRUE(dispatcher.invokeAndWait([&] {
        thread_local support::AtThreadEnd last;
        last.run = [&] {
            elsewhere = other.invokeAndWait([] { return 3; });
            here = dispatcher.invokeAndWait([] {});
        };
    }));
    dispatcher.requestClose();
    dispatcher.join();
    EXPECT_EQ(std::move(elsewhere).orThrow(), 3);
    EXPECT_TRUE(here.error().is(Errc::stopped));
}

}  // namespace
}  // namespace nio
