#include <gtest/gtest.h>

#include <algorithm>

#include "apps/echo_client/misbehave/Victim.h"

namespace {

using apps::Framing;
using load::Misbehaviour;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;

TEST(NeverRead, LeavesTheServerUnableToWriteAndItsOwnMemoryBounded) {
    Victim victim;
    victim.echoes();
    MisbehaviourRun run(misbehaving(Misbehaviour::neverRead, 3), victim.server.address());
    const auto isStuck = [](support::PacketChannel* channel) {
        return channel->pendingBytes() > channel->options().outputHighMark;
    };
    ASSERT_TRUE(victim.server.until([&] {
        return victim.open.size() == 3 &&
               std::all_of(victim.open.begin(), victim.open.end(), isStuck);
    }));
    EXPECT_TRUE(victim.serves("is anybody there?"));
    const auto result = victim.end(run);
    EXPECT_EQ(result.total.bytesReceived, 0u);
    EXPECT_GT(result.total.largestQueue, 0u);
    EXPECT_LE(result.total.largestQueue, 64u * 1024);
    EXPECT_EQ(result.total.keptToTheEnd, 3u);
    EXPECT_EQ(victim.resets, 3u);
}

TEST(NeverRead, SendsWholeMessagesForAsLongAsTheServerTakesThem) {
    Victim victim(Framing::length);
    std::set<std::size_t> sizes;
    victim.onPacket = [&](support::PacketChannel&, std::string_view packet) {
        sizes.insert(packet.size());
    };
    load::LoadOptions options = misbehaving(Misbehaviour::neverRead, 5, Framing::length);
    options.size = load::SizeDistribution(100);
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() > 1'000'000; }));
    const auto result = victim.end(run);
    EXPECT_EQ(sizes, std::set<std::size_t>{100});
    EXPECT_GE(result.total.bytesSent, 1'000'000u);
}

TEST(NeverRead, NoticesThatTheServerResetsIt) {
    Victim victim;
    victim.onPacket = [](support::PacketChannel& channel, std::string_view) {
        nio::onDispatcher.assertCurrent();
        channel.abort();
    };
    MisbehaviourRun run(misbehaving(Misbehaviour::neverRead), victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.resetByServer, 5u);
    EXPECT_TRUE(result.total.errors.empty());
}

}  // namespace
