#include <gmock/gmock.h>

#include <algorithm>

#include "apps/echo_client/misbehave/Victim.h"

namespace {

using apps::Framing;
using load::Misbehaviour;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;

TEST(Slowloris, SendsEveryByteByItself) {
    Victim victim;
    // So slow that none has to wait for an acknowledgement.
    load::LoadOptions options = misbehaving(Misbehaviour::slowloris);
    options.every = std::chrono::milliseconds(20);
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() >= 30; }));
    const auto result = victim.end(run);
    EXPECT_EQ(victim.seen.size(), 5u);
    EXPECT_EQ(victim.bytesSeen(), result.total.bytesSent);
    // A segment that is sent twice counts twice, but none has two bytes.
    EXPECT_GE(victim.segments, victim.bytesSeen());
    EXPECT_EQ(result.total.keptToTheEnd, 5u);
    EXPECT_EQ(victim.listener().disconnected, 5u);
}

class SlowlorisFraming : public testing::TestWithParam<Framing> {};

TEST_P(SlowlorisFraming, NeverSendsAWholeMessage) {
    Victim victim(GetParam());
    victim.echoes();
    MisbehaviourRun run(misbehaving(Misbehaviour::slowloris, 5, GetParam()),
                        victim.server.address());
    const auto hasMany = [](support::PacketChannel* channel) {
        return channel->remains().unreadBytes >= 20;
    };
    ASSERT_TRUE(victim.server.until([&] {
        return victim.open.size() == 5 &&
               std::all_of(victim.open.begin(), victim.open.end(), hasMany);
    }));
    const auto result = victim.end(run);
    EXPECT_EQ(victim.listener().packets, 0u);
    EXPECT_GE(result.total.bytesSent, 100u);
    EXPECT_EQ(result.total.bytesReceived, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, SlowlorisFraming,
                         testing::Values(Framing::stxEtx, Framing::lines, Framing::length));

TEST(Slowloris, LeavesAnHonestClientItsAnswer) {
    Victim victim(Framing::lines);
    victim.echoes();
    MisbehaviourRun run(misbehaving(Misbehaviour::slowloris, 50, Framing::lines),
                        victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.open.size() == 50; }));
    EXPECT_TRUE(victim.serves("is anybody there?\n"));
    EXPECT_EQ(victim.end(run).total.keptToTheEnd, 50u);
}

TEST(Slowloris, EndsWhenTheServerHasClosedEveryConnection) {
    support::ServerSetup setup;
    setup.stream.idleTimeout = std::chrono::milliseconds(500);
    Victim victim(Framing::raw, setup);
    load::LoadOptions options = misbehaving(Misbehaviour::slowloris);
    options.every = std::chrono::minutes(10);
    MisbehaviourRun run(options, victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.closedByServer, 5u);
    EXPECT_EQ(result.total.keptToTheEnd, 0u);
    EXPECT_EQ(result.total.bytesSent, 5u);
    EXPECT_FALSE(result.interrupted);
}

}  // namespace
