#include "echo_client/load/LocalCrew.h"

#include <gtest/gtest.h>

namespace load {
namespace {

LoadOptions optionsWith(std::size_t connections, std::size_t threads) {
    LoadOptions options;
    options.connections = connections;
    options.threads = threads;
    return options;
}

TEST(LocalCrew, HasNoWorkerWithoutAConnection) {
    const LoadPlan plan(optionsWith(5, 3), nio::SocketAddress::loopback4(1));
    EXPECT_EQ(LocalCrew(plan).size(), 3u);
    EXPECT_EQ(LocalCrew(plan, 0, 2).size(), 3u);
    EXPECT_EQ(LocalCrew(plan, 1, 2).size(), 2u);
}

TEST(LocalCrew, HasAWorkerEvenWhereNoConnectionIsLeftForIt) {
    const LoadPlan plan(optionsWith(2, 2), nio::SocketAddress::loopback4(1));
    EXPECT_EQ(LocalCrew(plan, 2, 3).size(), 1u);
}

}  // namespace
}  // namespace load
