#include "echo_client/figures/HostFacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

TEST(HostFacts, TellsWhatEveryMachineHas) {
    const HostFacts facts = HostFacts::ofThisMachine();
    EXPECT_THAT(facts.kernel, testing::StartsWith("Linux "));
    EXPECT_THAT(facts.machine, testing::Not(testing::IsEmpty()));
    EXPECT_GE(facts.cpus, 1u);
    EXPECT_GE(facts.descriptors, 3u);
}

}  // namespace
}  // namespace load
