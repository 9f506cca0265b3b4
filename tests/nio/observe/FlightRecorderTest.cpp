#include <nio/observe/FlightRecorder.h>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/TestDispatcher.h"

namespace {

using nio::FlightRecorder;
using nio::IoCounters;

TEST(FlightRecorder, HasNothingAtFirst) {
    const IoCounters io;
    const FlightRecorder recorder(16, io);
    EXPECT_EQ(recorder.look().number, 0U);
    EXPECT_FALSE(recorder.look().selects);
    EXPECT_FALSE(recorder.find(0));
    EXPECT_FALSE(recorder.find(1));
}

TEST(FlightRecorder, RoundsItsSizeUpAndKeepsNothingWithoutOne) {
    const IoCounters io;
    EXPECT_EQ(FlightRecorder(1, io).capacity(), 2U);
    EXPECT_EQ(FlightRecorder(1000, io).capacity(), 1024U);
    FlightRecorder none(0, io);
    EXPECT_EQ(none.capacity(), 0U);
    none.turns(1, 2);
    EXPECT_EQ(none.look().number, 0U);
    EXPECT_FALSE(none.find(1));
}

TEST(FlightRecorder, RemembersWhatBeganAndWhatHadBeenMovedBefore) {
    IoCounters io;
    FlightRecorder recorder(16, io);
    io.bytesIn.add(7);
    io.bytesHandedOver.add(5);
    recorder.begins(FlightRecorder::inDeadline, 3, 44, 1234);
    const auto record = recorder.find(1);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->number, 1U);
    EXPECT_EQ(record->began, 1234U);
    EXPECT_STREQ(record->what, "expire");
    EXPECT_EQ(record->slot, 3U);
    EXPECT_EQ(record->detail, 44U);
    EXPECT_EQ(record->bytesIn, 7U);
    EXPECT_EQ(record->bytesOut, 5U);
    EXPECT_FALSE(record->isCallback());
}

TEST(FlightRecorder, ForgetsTheOldest) {
    const IoCounters io;
    FlightRecorder recorder(4, io);
    for (int i = 0; i < 10; ++i) recorder.turns(0, 0);
    EXPECT_EQ(recorder.look().number, 10U);
    EXPECT_FALSE(recorder.find(7));  // it may be being written over
    EXPECT_TRUE(recorder.find(8));
    EXPECT_TRUE(recorder.find(10));
    EXPECT_FALSE(recorder.find(11));
    EXPECT_EQ(recorder.find(8)->detail, 8U);
}

TEST(FlightRecorder, SelectsUntilTheNextRecord) {
    const IoCounters io;
    FlightRecorder recorder(4, io);
    recorder.turns(0, 0);
    recorder.selects();
    EXPECT_TRUE(recorder.look().selects);
    EXPECT_EQ(recorder.look().number, 1U);
    recorder.turns(0, 0);
    EXPECT_FALSE(recorder.look().selects);
}

TEST(FlightRecorder, ATaskIsNotTheOneBeforeIt) {
    const IoCounters io;
    FlightRecorder recorder(4, io);
    recorder.tasksBegin(2, 0);
    recorder.taskBegins();
    const auto first = recorder.look();
    recorder.taskBegins();
    EXPECT_EQ(recorder.look().number, first.number);
    EXPECT_NE(recorder.look().tasks, first.tasks);
}

TEST(FlightRecorder, NamesTheRunningCallbackAlsoAfterANestedOne) {
    support::Journal journal;
    support::Link link = support::makeLink();
    support::TestDispatcher dispatcher;
    auto& handler = dispatcher.add(link, "handler", journal);
    std::vector<std::string> seen;
    const auto lookNow = [&] {
        nio::onDispatcher.assertCurrent();
        const FlightRecorder& recorder = dispatcher->observer().recorder();
        const auto record = recorder.find(recorder.look().number);
        ASSERT_TRUE(record);
        seen.emplace_back(record->what);
        EXPECT_TRUE(record->isCallback());
        EXPECT_EQ(*record->handler(), typeid(support::RecordingHandler));
        EXPECT_EQ(record->descriptor, handler.channel().fd());
    };
    handler.onFlush = lookNow;
    handler.onRead = [&] {
        nio::onDispatcher.assertCurrent();
        lookNow();
        {
            const FlightRecorder::Inside inside(
                dispatcher->observer().recorder(),
                static_cast<nio::Registration&>(*handler.channel().registration()).callee(),
                "inner");
            lookNow();
        }
        lookNow();
        handler.keepWhatIsThere();
        dispatcher->flushLater(handler.channel());
    };
    link.peer.send("x");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 4; }));
    EXPECT_EQ(seen, (std::vector<std::string>{"handleRead", "inner", "handleRead", "handleFlush"}));
}

TEST(FlightRecorder, OfADispatcherThatKeepsNoneIsInNobodysWay) {
    support::Journal journal;
    support::Link link = support::makeLink();
    nio::SelectorThreadOptions options;
    options.flightRecords = 0;
    options.stallLimit = std::chrono::milliseconds::zero();
    support::TestDispatcher dispatcher("test", options);
    dispatcher.add(link, "handler", journal);
    link.peer.send("x");
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil(
        [&] { return !journal.empty() && journal.back() == "handler destroyed"; }));
    dispatcher.inTurn([&] { EXPECT_EQ(dispatcher->observer().recorder().capacity(), 0U); });
}

TEST(FlightRecorder, IsNeverSeenHalfWritten) {
    constexpr std::uint64_t many = 200'000;
    const IoCounters io;
    FlightRecorder recorder(4, io);
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (std::uint64_t i = 1; i <= many; ++i) {
            recorder.begins(FlightRecorder::inDeadline, static_cast<std::uint32_t>(i), i, i);
        }
        done.store(true);
    });
    std::uint64_t found = 0;
    while (!done.load() || found == 0) {
        const std::uint64_t newest = recorder.look().number;
        for (std::uint64_t number = newest > 3 ? newest - 3 : 1; number <= newest; ++number) {
            const auto record = recorder.find(number);
            if (!record) continue;
            ++found;
            ASSERT_EQ(record->number, number);
            ASSERT_EQ(record->began, number);
            ASSERT_EQ(record->detail, number);
            ASSERT_EQ(record->slot, static_cast<std::uint32_t>(number));
        }
    }
    writer.join();
}

}  // namespace
