#include <gtest/gtest.h>

#include "apps/echo_client/misbehave/Victim.h"

namespace {

using apps::Framing;
using load::Misbehaviour;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;

load::LoadOptions halfMessage() {
    load::LoadOptions options = misbehaving(Misbehaviour::halfMessage);
    options.size = load::SizeDistribution(300'000);
    return options;
}

TEST(HalfMessage, SendsHalfAMessageAndThenNothingUntilTheEnd) {
    Victim victim;
    victim.echoes();
    MisbehaviourRun run(halfMessage(), victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() >= 5 * 150'000; }));
    EXPECT_TRUE(victim.serves("is anybody there?"));
    ASSERT_TRUE(victim.server.until([&] { return victim.listener().finished == 1; }));
    for (const auto& channel : victim.open) EXPECT_EQ(victim.seen[channel].size(), 150'000u);
    const auto result = victim.end(run);
    EXPECT_EQ(result.total.bytesSent, 5 * 150'000u);
    EXPECT_EQ(result.total.bytesReceived, 0u);
    EXPECT_EQ(result.total.keptToTheEnd, 5u);
    EXPECT_LE(result.total.largestQueue, 64u * 1024);
    // The one who has finished was the honest one.
    EXPECT_EQ(victim.listener().finished, 1u);
    EXPECT_EQ(victim.resets, 5u);
}

TEST(HalfMessage, LeavesAPacketHalfDone) {
    Victim victim(Framing::lines);
    load::LoadOptions options = halfMessage();
    options.framing = Framing::lines;
    options.size = load::SizeDistribution(1000);
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] {
        std::size_t halves = 0;
        for (const auto& channel : victim.open) halves += channel->remains().unreadBytes == 500;
        return halves == 5;
    }));
    EXPECT_EQ(victim.listener().packets, 0u);
    (void)victim.end(run);
}

// The echo that nobody reads lies before the FIN.
TEST(HalfMessage, SeesWithoutReadingThatTheServerHasClosed) {
    Victim victim;
    victim.onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        nio::onDispatcher.assertCurrent();
        channel.send(packet);
        channel.shutdownWrite();
    };
    load::LoadOptions options = halfMessage();
    options.size = load::SizeDistribution(100);
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() == 5 * 50; }));
    const auto result = victim.end(run);
    EXPECT_EQ(result.total.closedByServer, 5u);
    EXPECT_EQ(result.total.bytesReceived, 0u);
    EXPECT_EQ(victim.resets, 5u);
}

TEST(HalfMessage, EndsWhenTheServerHasResetEveryConnection) {
    Victim victim;
    victim.onPacket = [](support::PacketChannel& channel, std::string_view) {
        nio::onDispatcher.assertCurrent();
        channel.abort();
    };
    MisbehaviourRun run(halfMessage(), victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.resetByServer, 5u);
    EXPECT_EQ(result.total.keptToTheEnd, 0u);
    EXPECT_FALSE(result.interrupted);
}

}  // namespace
