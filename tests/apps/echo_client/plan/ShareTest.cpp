#include "echo_client/plan/Share.h"

#include <vector>

#include <gtest/gtest.h>

namespace load {
namespace {

// Whose each of `all` things is, by the workers' own numbers.
std::vector<std::size_t> timesTaken(std::size_t all, std::size_t workers) {
    std::vector<std::size_t> times(all);
    for (std::size_t worker = 0; worker < workers; ++worker) {
        const Share share{worker, workers};
        for (std::size_t i = 0; i < share.of(all); ++i) ++times.at(share.at(i));
    }
    return times;
}

TEST(Share, OfAllWorkersIsEverythingOnce) {
    for (const std::size_t all : {0u, 1u, 2u, 7u, 8u, 9u, 100u}) {
        for (const std::size_t workers : {1u, 2u, 3u, 8u, 200u}) {
            EXPECT_EQ(timesTaken(all, workers), std::vector<std::size_t>(all, 1))
                << all << " for " << workers;
        }
    }
}

TEST(Share, DiffersByOneAtMostAndIsLargestForTheFirst) {
    for (const std::size_t all : {0u, 1u, 7u, 8u, 9u}) {
        const std::size_t largest = Share{0, 4}.of(all);
        for (const std::size_t worker : {1u, 2u, 3u}) {
            const std::size_t mine = Share{worker, 4}.of(all);
            EXPECT_TRUE(mine == largest || mine + 1 == largest) << worker << " of " << all;
        }
    }
}

TEST(Share, FindsItsOwnByTheirNumbers) {
    const Share share{2, 5};
    EXPECT_EQ(share.at(3), 17u);
    EXPECT_EQ(share.indexOf(17), 3u);
}

}  // namespace
}  // namespace load
