// From fresh to stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <thread>

#include "support/RefusedCall.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(SelectorThreadLife, RunsWhatWasQueuedBeforeItsStart) {
    SelectorThread dispatcher;
    std::vector<int> ran;
    for (int i = 1; i <= 3; ++i) {
        ASSERT_TRUE(dispatcher.invokeLater([&ran, i] { ran.push_back(i); }));
    }
    dispatcher.start();
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { EXPECT_THAT(ran, ElementsAre(1, 2, 3)); }));
}

TEST(SelectorThreadLife, NamesTheThreadThatCannotBeMade) {
    SelectorThreadOptions options;
    options.name = "some";
    SelectorThread dispatcher(options);
    support::withRefusedCall(SYS_clone3, EPERM, [&] {
        try {
            dispatcher.start();
            ADD_FAILURE() << "it has a thread";
        } catch (const std::system_error& error) {
            EXPECT_STREQ(error.what(), "a thread for dispatcher 'some': Operation not permitted");
        }
    });
    dispatcher.start();
    EXPECT_TRUE(dispatcher.invokeAndWait([] {}));
}

TEST(SelectorThreadLife, ItsDestructorRunsQueuedTasksIfItNeverRan) {
    Journal journal;
    Link link = makeLink();
    {
        SelectorThread dispatcher;
        ASSERT_TRUE(dispatcher.invokeLater([&] { journal.push_back("task"); }));
        ASSERT_TRUE(dispatcher.registerChannelLater(
            std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal),
            Interest::read));
        EXPECT_THAT(journal, IsEmpty());
    }
    EXPECT_THAT(journal, ElementsAre("task", "a destroyed"));
}

TEST(SelectorThreadLife, ItsDestructorRunsMoreTasksThanOneTurnMay) {
    SelectorThreadOptions options;
    options.maxTasksPerTurn = 2;
    int ran = 0;
    {
        SelectorThread dispatcher(options);
        for (int i = 0; i < 7; ++i) ASSERT_TRUE(dispatcher.invokeLater([&] { ++ran; }));
    }
    EXPECT_EQ(ran, 7);
}

TEST(SelectorThreadLife, MayBeWaitedForBySeveralThreads) {
    for (int round = 0; round < 50; ++round) {
        SelectorThread dispatcher;
        dispatcher.start();
        std::thread first([&] { dispatcher.join(); });
        std::thread second([&] { dispatcher.join(); });
        dispatcher.requestClose(DrainOptions::atOnce());
        first.join();
        second.join();
        EXPECT_TRUE(dispatcher.isStopped());
    }
}

TEST(SelectorThreadLife, ALimitOfNoTaskPerTurnIsRefused) {
    SelectorThreadOptions options;
    options.maxTasksPerTurn = 0;
    EXPECT_THROW(SelectorThread dispatcher(options), std::system_error);
}

TEST(SelectorThreadLife, CanBeStartedOnce) {
    SelectorThread dispatcher;
    dispatcher.start();
    EXPECT_THROW(dispatcher.start(), std::logic_error);
}

TEST(SelectorThreadLife, RunReturnsOnceItIsClosed) {
    SelectorThread dispatcher;
    std::thread other([&] { dispatcher.requestClose(); });
    dispatcher.run();
    other.join();
    EXPECT_TRUE(dispatcher.isStopped());
    EXPECT_FALSE(dispatcher.turn(0ns));
}

TEST(SelectorThreadLife, StopsInTheTurnThatHearsOfItWhenThereIsNoChannel) {
    TestDispatcher dispatcher;
    dispatcher->requestClose();
    EXPECT_FALSE(dispatcher->isStopped());
    EXPECT_FALSE(dispatcher.turn());
    EXPECT_TRUE(dispatcher->isStopped());
    dispatcher->requestClose();
    dispatcher->join();
}

TEST(SelectorThreadLife, RunsEveryTaskThatItTookBeforeItStops) {
    SelectorThreadOptions options;
    options.maxTasksPerTurn = 1;
    TestDispatcher dispatcher("test", options);
    int ran = 0;
    dispatcher->requestClose();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(dispatcher->invokeLater([&] { ++ran; }));
    while (dispatcher.turn()) {
    }
    EXPECT_EQ(ran, 5);
}

struct CarryingTask {
    std::unique_ptr<int> cargo;
    void operator()() {}
};

struct CarryingChannelTask {
    std::unique_ptr<int> cargo;
    void operator()(SelectorHandler&) {}
};

TEST(SelectorThreadLife, RefusesAfterStopAndLeavesItWithTheCaller) {
    Journal journal;
    TestDispatcher dispatcher;
    Link link = makeLink();
    ChannelHandle handle(*dispatcher, 0, 0);
    dispatcher->requestClose();
    dispatcher.turn();

    CarryingTask task{std::make_unique<int>(1)};
    EXPECT_FALSE(dispatcher->invokeLater(std::move(task)));
    EXPECT_NE(task.cargo, nullptr);

    CarryingChannelTask channelTask{std::make_unique<int>(1)};
    EXPECT_FALSE(dispatcher->invokeLater(handle, std::move(channelTask)));
    EXPECT_NE(channelTask.cargo, nullptr);

    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal);
    EXPECT_FALSE(dispatcher->registerChannelLater(std::move(handler), Interest::read));
    ASSERT_NE(handler, nullptr);
    EXPECT_TRUE(handler->channel().isOpen());
    EXPECT_EQ(dispatcher->connectionCount(), 0u);

    EXPECT_FALSE(dispatcher->addChannelInterestLater(handle, Interest::read));
    EXPECT_FALSE(dispatcher->removeChannelInterestLater(handle, Interest::read));
}

TEST(SelectorThreadLife, RefusesOverTheLimitAndLeavesItWithTheCaller) {
    SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    Journal journal;
    TestDispatcher dispatcher("small", options);
    Link link = makeLink();
    ASSERT_TRUE(dispatcher->invokeLater([] {}));

    CarryingTask task{std::make_unique<int>(1)};
    EXPECT_FALSE(dispatcher->invokeLater(std::move(task)));
    EXPECT_NE(task.cargo, nullptr);
    CarryingChannelTask channelTask{std::make_unique<int>(1)};
    EXPECT_FALSE(dispatcher->invokeLater(ChannelHandle{}, std::move(channelTask)));
    EXPECT_NE(channelTask.cargo, nullptr);
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal);
    EXPECT_FALSE(dispatcher->registerChannelLater(std::move(handler), Interest::read));
    ASSERT_NE(handler, nullptr);

    dispatcher.turn();
    EXPECT_TRUE(dispatcher->registerChannelLater(std::move(handler), Interest::read));
    dispatcher.turn();
    EXPECT_EQ(dispatcher->connectionCount(), 1u) << "there was room again";
}

TEST(SelectorThreadLife, DestroysHandlersThatArePostedButNeverRegistered) {
    Journal journal;
    Link link = makeLink();
    TestDispatcher dispatcher;
    bool refused = false;
    DrainOptions atOnce;
    atOnce.deadline = std::chrono::milliseconds::zero();
    dispatcher->requestClose(atOnce);
    // Behind the request: the dispatcher takes the task and refuses the channel.
    ASSERT_TRUE(dispatcher->invokeLater([&] {
        ASSERT_TRUE(dispatcher->registerChannelLater(
            std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal),
            Interest::read, [&](const Error& error) { refused = error.is(Errc::stopped); }));
    }));
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
    EXPECT_FALSE(dispatcher.turn());
    EXPECT_TRUE(refused);
    EXPECT_THAT(journal, ElementsAre("a destroyed"));
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

TEST(SelectorThreadLife, TellsWhichSelectorItUses) {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::poll;
    EXPECT_EQ(SelectorThread(options).registry().selectorName(), "poll");
    options.selector.kind = SelectorKind::epoll;
    EXPECT_EQ(SelectorThread(options).registry().selectorName(), "epoll");
}

TEST(SelectorThreadLife, ClosesListenersAlsoWhenItHasStoppedBefore) {
    TestDispatcher dispatcher;
    dispatcher->requestClose();
    dispatcher.turn();
    bool closed = false;
    dispatcher->draining().closeListenersLater([&] { closed = true; });
    EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace nio
