#include "echo_client/options/LoadOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/sys/Kernel.h>

namespace load {
namespace {

TEST(LoadOptions, HasNoMoreDispatchersThanConnections) {
    LoadOptions options;
    options.threads = 8;
    options.connections = 3;
    EXPECT_EQ(options.dispatchers(), 3u);
    options.connections = 100;
    EXPECT_EQ(options.dispatchers(), 8u);
    options.threads = 0;
    EXPECT_GE(options.dispatchers(), 1u);
}

TEST(LoadOptions, KnowsWhatEachFramingCanCarry) {
    EXPECT_EQ(largestMessage(apps::Framing::raw), 16u * 1024 * 1024);
    for (const apps::Framing framing :
         {apps::Framing::stxEtx, apps::Framing::lines, apps::Framing::length}) {
        EXPECT_EQ(largestMessage(framing), apps::makeDecoder(framing)->maximumPacketBytes());
    }
}

TEST(LoadOptions, ReportsMoreConnectionsThanDescriptors) {
    LoadOptions options;
    options.connections = nio::kernel::descriptorLimit();
    ASSERT_TRUE(lacksDescriptors(options));
    EXPECT_THAT(*lacksDescriptors(options), testing::HasSubstr("(ulimit -n) allows only "));
    options.connections = 1;
    EXPECT_FALSE(lacksDescriptors(options));
    options.beside = {Misbehaviour::slowloris, nio::kernel::descriptorLimit()};
    ASSERT_TRUE(lacksDescriptors(options));
    EXPECT_THAT(*lacksDescriptors(options), testing::HasSubstr("1 --beside slowloris:"));
}

TEST(LoadOptions, LacksNoneWhereOthersHaveTheConnections) {
    LoadOptions options;
    options.connections = nio::kernel::descriptorLimit();
    options.agents.emplace_back();
    EXPECT_FALSE(lacksDescriptors(options));
}

}  // namespace
}  // namespace load
