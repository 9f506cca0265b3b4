#include "echo_client/payload/InFlight.h"

#include <gtest/gtest.h>

namespace load {
namespace {

constexpr nio::TimePoint at(int millisecond) {
    return nio::TimePoint(std::chrono::milliseconds(millisecond));
}

void push(InFlight& inFlight, int count) {
    for (int i = 0; i < count; ++i) {
        const auto number = static_cast<int>(inFlight.next());
        inFlight.push({at(number), at(number), static_cast<std::uint32_t>(100 + number)});
    }
}

TEST(InFlight, GivesMessagesBackInTheirOrderHoweverManyThereAre) {
    for (const int depth : {1, 2, 31, 32, 33, 1000}) {
        InFlight inFlight;
        for (int round = 0; round < 5; ++round) {
            push(inFlight, depth);
            for (int i = 0; i < depth; ++i) {
                ASSERT_EQ(inFlight.front().bytes, 100 + inFlight.first()) << depth;
                inFlight.popFront();
            }
            ASSERT_TRUE(inFlight.empty());
        }
    }
}

TEST(InFlight, TakesNoMoreMemoryThanWasEverUnderWay) {
    InFlight inFlight;
    for (int i = 0; i < 10'000; ++i) {
        push(inFlight, 30);
        while (!inFlight.empty()) inFlight.popFront();
    }
    EXPECT_EQ(inFlight.capacity(), 32u);
    push(inFlight, 33);
    EXPECT_EQ(inFlight.capacity(), 64u);
}

TEST(InFlight, NoLongerCountsAsWaitingWhatIsOverdue) {
    InFlight inFlight;
    push(inFlight, 5);
    inFlight.expire(at(2));
    EXPECT_EQ(inFlight.waiting(), 3u);
    EXPECT_TRUE(inFlight.frontIsOverdue());
    inFlight.popFront();
    inFlight.popFront();
    EXPECT_FALSE(inFlight.frontIsOverdue());
    EXPECT_EQ(inFlight.waiting(), 3u);
}

TEST(InFlight, KeepsWhatIsOverdueWhereTheLimitComesBack) {
    InFlight inFlight;
    push(inFlight, 5);
    inFlight.expire(at(3));
    inFlight.expire(at(1));
    EXPECT_EQ(inFlight.waiting(), 2u);
}

TEST(InFlight, RemembersForAWhileHowLongAMessageWas) {
    InFlight inFlight;
    push(inFlight, 1);
    inFlight.popFront();
    EXPECT_EQ(inFlight.bytesOf(0), 100u);
    push(inFlight, 31);
    EXPECT_EQ(inFlight.bytesOf(0), 100u);
    push(inFlight, 1);
    EXPECT_EQ(inFlight.bytesOf(0), 0u);
    EXPECT_EQ(inFlight.bytesOf(1), 101u);
}

TEST(InFlight, NeverMistakesALengthForThatOfAnother) {
    InFlight inFlight;
    for (int round = 0; round < 300; ++round) {
        push(inFlight, round % 7 + 1);
        if (round % 3 != 0) inFlight.popFront();
        for (std::uint64_t i = 0; i < inFlight.next(); ++i) {
            const std::uint32_t bytes = inFlight.bytesOf(i);
            ASSERT_TRUE(bytes == 100 + i || (bytes == 0 && i < inFlight.first())) << i;
        }
    }
}

}  // namespace
}  // namespace load
