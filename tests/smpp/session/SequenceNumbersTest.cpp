#include <smpp/session/SequenceNumbers.h>

#include <gtest/gtest.h>

#include <set>

namespace smpp {
namespace {

const auto nothingWaits = [](std::uint32_t) { return false; };

TEST(SequenceNumbers, BeginWithTheFirstAndCount) {
    SequenceNumbers numbers(1);
    EXPECT_EQ(numbers.next(nothingWaits), 1u);
    EXPECT_EQ(numbers.next(nothingWaits), 2u);
}

TEST(SequenceNumbers, WrapBehindTheLastOfTheSpecification) {
    SequenceNumbers numbers(0x7FFFFFFE);
    EXPECT_EQ(numbers.next(nothingWaits), 0x7FFFFFFEu);
    EXPECT_EQ(numbers.next(nothingWaits), 0x7FFFFFFFu);
    EXPECT_EQ(numbers.next(nothingWaits), 1u);
}

TEST(SequenceNumbers, LeaveOutThoseThatWait) {
    const std::set<std::uint32_t> waiting{0x7FFFFFFF, 1, 2, 4};
    const auto waits = [&](std::uint32_t number) { return waiting.contains(number); };
    SequenceNumbers numbers(0x7FFFFFFE);
    EXPECT_EQ(numbers.next(waits), 0x7FFFFFFEu);
    EXPECT_EQ(numbers.next(waits), 3u);
    EXPECT_EQ(numbers.next(waits), 5u);
}

}  // namespace
}  // namespace smpp
