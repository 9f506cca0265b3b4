#include <gtest/gtest.h>

#include "apps/echo_client/misbehave/Victim.h"

namespace {

using load::Misbehaviour;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;

TEST(RstStorm, ResetsAsManyConnectionsAsItMayMake) {
    Victim victim;
    victim.echoes();
    load::LoadOptions options = misbehaving(Misbehaviour::rstStorm, 7);
    options.count = 501;
    MisbehaviourRun run(options, victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.made(), 501u);
    EXPECT_EQ(result.total.over, 501u);
    EXPECT_EQ(result.total.connectsFailed, 0u);
    EXPECT_GT(result.connectsPerSecond(), 0);
    EXPECT_FALSE(result.interrupted);
    ASSERT_TRUE(victim.server.until([&] { return victim.listener().ended() == 501; }));
    EXPECT_EQ(victim.resets, 501u);
    EXPECT_EQ(victim.listener().packets, 0u);
    EXPECT_TRUE(victim.serves("is anybody there?"));
}

TEST(RstStorm, LeavesAnHonestClientItsAnswer) {
    Victim victim;
    victim.echoes();
    load::LoadOptions options = misbehaving(Misbehaviour::rstStorm);
    options.count = 1'000'000;
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.resets >= 20; }));
    EXPECT_TRUE(victim.serves("is anybody there?"));
    const auto result = victim.end(run);
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(result.total.made(), 1'000'000u);
    EXPECT_EQ(result.total.made(), result.total.over);
}

TEST(RstStorm, KeepsItsConnectionLimitWithMoreLinesThanThat) {
    Victim victim;
    load::LoadOptions options = misbehaving(Misbehaviour::rstStorm, 50);
    options.count = 3;
    MisbehaviourRun run(options, victim.server.address());
    EXPECT_EQ(victim.ended(run).total.made(), 3u);
}

}  // namespace
