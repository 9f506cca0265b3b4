#include "smpp_bench/SequenceWindow.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using smppbench::SequenceWindow;

TEST(SequenceWindow, NumbersRequestsFromOne) {
    SequenceWindow<std::string> window;
    EXPECT_EQ(window.nextSequence(), 1u);
    EXPECT_EQ(window.add("a"), 1u);
    EXPECT_EQ(window.add("b"), 2u);
    EXPECT_EQ(window.size(), 2u);
}

TEST(SequenceWindow, GivesEachRequestOnceInAnyOrder) {
    SequenceWindow<std::string> window;
    for (const char* text : {"a", "b", "c"}) window.add(text);
    EXPECT_EQ(window.take(2), "b");
    EXPECT_EQ(window.take(2), std::nullopt);
    EXPECT_EQ(window.take(1), "a");
    EXPECT_EQ(window.take(3), "c");
    EXPECT_EQ(window.size(), 0u);
    EXPECT_EQ(window.nextSequence(), 4u);
}

TEST(SequenceWindow, KnowsNothingOfNumbersThatWereNotGiven) {
    SequenceWindow<std::string> window;
    window.add("a");
    for (const std::uint32_t sequence : {0u, 2u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
        EXPECT_EQ(window.take(sequence), std::nullopt) << sequence;
    }
    EXPECT_EQ(window.size(), 1u);
}

TEST(SequenceWindow, ShowsTheOldestThatStillWaits) {
    SequenceWindow<std::string> window;
    EXPECT_EQ(window.oldest(), nullptr);
    for (const char* text : {"a", "b", "c"}) window.add(text);
    window.take(1);
    ASSERT_NE(window.oldest(), nullptr);
    EXPECT_EQ(*window.oldest(), "b");
    EXPECT_EQ(window.takeOldest(), "b");
    EXPECT_EQ(window.takeOldest(), "c");
    EXPECT_EQ(window.takeOldest(), std::nullopt);
}

}  // namespace
