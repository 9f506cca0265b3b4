#include <gmock/gmock.h>

#include "apps/echo_client/misbehave/Victim.h"
#include "echo_client/report/MisbehaviourReport.h"

namespace {

using apps::Framing;
using load::Misbehaviour;
using load::MisbehaviourReport;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;
using testing::MatchesRegex;

class OneByteFraming : public testing::TestWithParam<Framing> {};

TEST_P(OneByteFraming, FindsRightAnswersRight) {
    Victim victim(GetParam());
    victim.echoes();
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte, 5, GetParam());
    options.size = load::SizeDistribution::parse("10-40").orThrow();
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() >= 5'000; }));
    const auto result = victim.end(run);
    EXPECT_GE(result.total.echoes, 5'000u / 40 - 5);
    EXPECT_EQ(result.total.wrongAnswers, 0u);
    EXPECT_EQ(result.total.unanswered, 0u);
    EXPECT_EQ(result.total.keptToTheEnd, 5u);
    EXPECT_EQ(result.total.bytesSent, result.total.bytesReceived);
    EXPECT_EQ(victim.listener().disconnected, 5u);
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, OneByteFraming,
                         testing::Values(Framing::raw, Framing::stxEtx, Framing::lines,
                                         Framing::length));

TEST(OneByte, SendsEveryByteInASegmentOfItsOwn) {
    Victim victim;
    victim.echoes();
    // So few that none has to wait for an acknowledgement.
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte);
    options.size = load::SizeDistribution(5);
    options.selector = nio::SelectorKind::epoll;  // of io_uring a turn may send two in one
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.bytesSeen() >= 2'000; }));
    const auto result = victim.end(run);
    EXPECT_EQ(result.total.largestQueue, 1u);
    EXPECT_GE(victim.segments, result.total.bytesSent);
}

TEST(OneByte, HasOneMessageUnderWayAtATime) {
    Victim victim(Framing::length);
    victim.onPacket = [](support::PacketChannel&, std::string_view) {};
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte, 5, Framing::length);
    options.answerTimeout = std::chrono::seconds(1);
    MisbehaviourRun run(options, victim.server.address());
    const auto result = victim.ended(run);  // no answer comes
    EXPECT_EQ(victim.listener().packets, 5u);
    EXPECT_EQ(result.total.unanswered, 5u);
    EXPECT_EQ(result.total.echoes, 0u);
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 1);
}

TEST(OneByte, FindsAChangedByte) {
    Victim victim(Framing::length);
    // By peer: another connection may get the place in memory of one that is over.
    std::map<std::string, int> packets;
    victim.onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        std::string copy(packet);
        const std::string peer = channel.channel().peerAddress().orThrow().toString();
        if (++packets[peer] >= 3) copy[7] ^= 1;
        channel.send(copy);
    };
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte, 5, Framing::length);
    MisbehaviourRun run(options, victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.wrongAnswers, 5u);
    EXPECT_EQ(result.total.echoes, 10u);
    const MisbehaviourReport report(options, result);
    EXPECT_EQ(report.exitCode(), 3);
    EXPECT_THAT(report.complaint(), MatchesRegex("wrong answer: connection [0-4], message 2: byte "
                                                 "11 is 0x[0-9a-f]+ instead of 0x[0-9a-f]+"));
}

TEST(OneByte, FindsAnAnswerTooMany) {
    Victim victim;
    victim.onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        channel.send(packet);
        channel.send(packet);
    };
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte);
    options.size = load::SizeDistribution(1);
    MisbehaviourRun run(options, victim.server.address());
    EXPECT_EQ(victim.ended(run).total.wrongAnswers, 5u);
}

TEST(OneByte, FindsTheAnswerOfAnotherConnection) {
    Victim victim(Framing::length);
    std::string first;
    victim.onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        if (first.empty()) first = packet;
        channel.send(first);
    };
    MisbehaviourRun run(misbehaving(Misbehaviour::oneByte, 5, Framing::length),
                        victim.server.address());
    EXPECT_EQ(victim.ended(run).total.wrongAnswers, 5u);
}

TEST(OneByte, TakesItForTheServersRightToClose) {
    Victim victim;
    victim.onPacket = [](support::PacketChannel& channel, std::string_view) {
        nio::onDispatcher.assertCurrent();
        channel.closeAfterFlush();
    };
    load::LoadOptions options = misbehaving(Misbehaviour::oneByte);
    MisbehaviourRun run(options, victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(result.total.closedByServer + result.total.resetByServer, 5u);
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 0);
}

}  // namespace
