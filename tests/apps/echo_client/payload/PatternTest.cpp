#include "echo_client/payload/Pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace load {
namespace {

bool equal(nio::ByteView a, nio::ByteView b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(Pattern, RepeatsAfterItsPeriod) {
    const Pattern pattern(Pattern::Alphabet::anyByte, 4096);
    const nio::ByteView acrossTheEnd = pattern.view(pattern.period() - 100, 4096);
    EXPECT_TRUE(equal(acrossTheEnd.first(100), pattern.view(pattern.period() - 100, 100)));
    EXPECT_TRUE(equal(acrossTheEnd.subspan(100), pattern.view(0, 3996)));
    EXPECT_EQ(pattern.after(pattern.period() - 100, 4096), 3996u);
}

TEST(Pattern, ShowsAViewLongerThanItsPeriodFromAnywhere) {
    constexpr std::size_t bytes = 1'000'000;
    const Pattern pattern(Pattern::Alphabet::anyByte, bytes);
    const nio::ByteView view = pattern.view(pattern.period() - 1, bytes);
    EXPECT_EQ(view[0], pattern.view(pattern.period() - 1, 1)[0]);
    EXPECT_EQ(view[bytes - 1], pattern.view((bytes - 2) % pattern.period(), 1)[0]);
}

TEST(Pattern, HasNoPeriodThatDividesAMessage) {
    for (const std::size_t size : {1u, 64u, 4096u, 65'519u, 65'521u, 131'042u, 1u << 20}) {
        const Pattern pattern(Pattern::Alphabet::anyByte, size);
        EXPECT_NE(size % pattern.period(), 0u) << size;
    }
}

TEST(Pattern, StaysClearOfWhatFramingsUseWhereItIsPrintable) {
    const Pattern pattern(Pattern::Alphabet::printable, 1);
    for (const nio::Byte byte : pattern.view(0, pattern.period())) {
        const auto value = static_cast<unsigned>(byte);
        ASSERT_TRUE(value >= '!' && value <= '~') << value;
    }
}

TEST(Pattern, UsesEveryByteWhereAnyMayBe) {
    const Pattern pattern(Pattern::Alphabet::anyByte, 1);
    std::set<nio::Byte> seen;
    for (const nio::Byte byte : pattern.view(0, pattern.period())) seen.insert(byte);
    EXPECT_EQ(seen.size(), 256u);
}

TEST(Pattern, TellsAMessageFromItsNeighboursAndFromShiftedOnes) {
    for (const auto alphabet : {Pattern::Alphabet::anyByte, Pattern::Alphabet::printable}) {
        const Pattern pattern(alphabet, 64);
        const std::size_t start = pattern.startOf(3);
        const nio::ByteView message = pattern.view(start, 64);
        for (std::size_t shift = 1; shift < pattern.period(); ++shift) {
            ASSERT_FALSE(equal(message, pattern.view(pattern.after(start, shift), 64))) << shift;
        }
    }
}

TEST(Pattern, GivesEachConnectionABeginningOfItsOwn) {
    const Pattern pattern(Pattern::Alphabet::anyByte, 64);
    std::set<std::size_t> starts;
    for (std::size_t i = 0; i < 50'000; ++i) starts.insert(pattern.startOf(i));
    EXPECT_EQ(starts.size(), 50'000u);
    EXPECT_LT(*starts.rbegin(), pattern.period());
}

}  // namespace
}  // namespace load
