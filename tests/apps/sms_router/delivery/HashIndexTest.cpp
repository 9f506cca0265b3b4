#include "sms_router/delivery/HashIndex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "support/FailingMemory.h"

namespace router {
namespace {

using Index = HashIndex<const int>;

std::vector<const int*> found(const Index& index, std::size_t hash) {
    std::vector<const int*> items;
    index.each(hash, [&](const int& item) { items.push_back(&item); });
    std::sort(items.begin(), items.end());
    return items;
}

TEST(HashIndex, OfNothingFindsNothing) {
    const int item = 0;
    Index index;
    EXPECT_TRUE(found(index, 0).empty());
    index.erase(0, item);
    EXPECT_EQ(index.size(), 0u);
}

TEST(HashIndex, FindsAllOfOneHashAndNoOthers) {
    const std::array<int, 3> items{};
    Index index;
    index.insert(5, items[0]);
    index.insert(5, items[1]);
    index.insert(5 + (std::size_t{1} << 32), items[2]);
    EXPECT_EQ(found(index, 5), (std::vector{&items[0], &items[1]}));
    EXPECT_EQ(found(index, 5 + (std::size_t{1} << 32)), std::vector{&items[2]});
    EXPECT_TRUE(found(index, 6).empty());
}

TEST(HashIndex, GrowsAtTheShareThatItWasGiven) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "memory cannot fail here";
    const int item = 0;
    for (const double share : {0.375, 0.5, Index::largestShare}) {
        Index index;
        index.growAt(share);
        for (std::size_t hash = 0; hash < 16; ++hash) index.insert(hash, item);
        const auto noGrowth = support::FailingMemory::from(128 * 2 * sizeof(void*));
        const auto insertAll = [&] {
            for (std::size_t hash = 16; true; ++hash) index.insert(hash, item);
        };
        EXPECT_THROW(insertAll(), std::bad_alloc);
        EXPECT_EQ(static_cast<double>(index.size()), 64 * share);
    }
}

TEST(HashIndex, ErasesThatItemOnly) {
    const std::array<int, 2> items{};
    Index index;
    index.insert(7, items[0]);
    index.insert(7, items[1]);
    index.erase(7, items[0]);
    index.erase(7, items[0]);
    EXPECT_EQ(found(index, 7), std::vector{&items[1]});
    EXPECT_EQ(index.size(), 1u);
}

// Few hashes in few places: they stand in each other's way, also past the end of the table.
class Crowded : public testing::TestWithParam<std::size_t> {};

TEST_P(Crowded, FindsWhatAMultimapFinds) {
    const std::vector<int> items(2000);
    std::mt19937 random(7);
    Index index;
    std::multimap<std::size_t, const int*> expected;
    const auto anyHash = [&] { return static_cast<std::size_t>(0) - random() % GetParam(); };
    for (const int& item : items) {
        const std::size_t hash = anyHash();
        index.insert(hash, item);
        expected.emplace(hash, &item);
        if (random() % 3 == 0 || expected.size() > 200) {
            const auto gone = std::next(expected.begin(),
                                        static_cast<std::ptrdiff_t>(random() % expected.size()));
            index.erase(gone->first, *gone->second);
            expected.erase(gone);
        }
        const std::size_t asked = anyHash();
        std::vector<const int*> all;
        const auto [first, last] = expected.equal_range(asked);
        for (auto each = first; each != last; ++each) all.push_back(each->second);
        std::sort(all.begin(), all.end());
        ASSERT_EQ(found(index, asked), all);
        ASSERT_EQ(index.size(), expected.size());
    }
}

INSTANTIATE_TEST_SUITE_P(HashIndex, Crowded, testing::Values(1, 8, 64, 100'000));

}  // namespace
}  // namespace router
