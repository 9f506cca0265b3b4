#include "echo_client/misbehave/Script.h"

#include <gtest/gtest.h>

namespace {

using apps::Framing;
using load::LoadOptions;
using load::Script;

LoadOptions with(Framing framing, const std::string& size) {
    LoadOptions options;
    options.framing = framing;
    options.size = load::SizeDistribution::parse(size).orThrow();
    return options;
}

// The sizes of the packets in it.
std::vector<std::size_t> packetsIn(Framing framing, nio::ByteView bytes) {
    std::vector<std::size_t> sizes;
    const auto decoder = apps::makeDecoder(framing);
    while (!bytes.empty()) {
        const nio::Decoded decoded = decoder->decode(bytes);
        EXPECT_NE(decoded.kind, nio::Decoded::Kind::error);
        if (decoded.kind != nio::Decoded::Kind::packet) break;
        sizes.push_back(decoded.packet.size());
        bytes = bytes.subspan(decoded.consumed);
    }
    return sizes;
}

class ScriptFraming : public testing::TestWithParam<Framing> {};

TEST_P(ScriptFraming, HasWholeMessagesOfTheSizesAskedFor) {
    const Script script = Script::messages(with(GetParam(), "50-60"));
    for (std::size_t i = 0; i < script.messageCount(); ++i) {
        const auto message = script.at(script.beginOf(i), script.sizeOf(i));
        const auto packets = packetsIn(GetParam(), message);
        ASSERT_EQ(packets.size(), 1u) << i;
        ASSERT_GE(packets.front(), 50u);
        ASSERT_LE(packets.front(), 60u);
    }
}

class ScriptPackets : public testing::TestWithParam<Framing> {};

TEST_P(ScriptPackets, NeverCompletesAnEndlessMessage) {
    const Script script = Script::endlessMessage(with(GetParam(), "64"));
    nio::Bytes all;
    for (auto next = script.at(0, 4096); !next.empty(); next = script.at(all.size(), 4096)) {
        all.insert(all.end(), next.begin(), next.end());
    }
    EXPECT_GE(all.size(), load::largestMessage(GetParam()));
    EXPECT_TRUE(packetsIn(GetParam(), all).empty());
}

TEST_P(ScriptFraming, CutsAMessageInTwo) {
    const Script script = Script::halfMessage(with(GetParam(), "100"));
    const auto half = script.at(0, 1000);
    EXPECT_GE(half.size(), 50u);
    EXPECT_LE(half.size(), 55u);
    EXPECT_TRUE(script.at(half.size(), 1).empty());
    if (GetParam() == Framing::raw) return;
    EXPECT_TRUE(packetsIn(GetParam(), half).empty());
}

INSTANTIATE_TEST_SUITE_P(All, ScriptFraming,
                         testing::Values(Framing::raw, Framing::stxEtx, Framing::lines,
                                         Framing::length));

INSTANTIATE_TEST_SUITE_P(All, ScriptPackets,
                         testing::Values(Framing::stxEtx, Framing::lines, Framing::length));

TEST(Script, GoesRoundWithoutAnEnd) {
    const Script script = Script::messages(with(Framing::raw, "1000"));
    const std::size_t round = script.beginOf(script.messageCount() - 1) + 1000;
    const auto first = script.at(0, 1000);
    const auto again = script.at(7 * round, 1000);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), again.begin(), again.end()));
    EXPECT_EQ(script.at(round - 1, 1000).size(), 1u);
    EXPECT_EQ(script.beginOf(script.messageCount()), 0u);
}

TEST(Script, IsTheSameForTheSameSeedAndAnotherForAnother) {
    LoadOptions options = with(Framing::raw, "64-4096");
    const Script one = Script::messages(options);
    const Script same = Script::messages(options);
    options.seed = 2;
    const Script other = Script::messages(options);
    const auto text = [](const Script& script) { return nio::asText(script.at(0, 64)); };
    EXPECT_EQ(text(one), text(same));
    EXPECT_NE(text(one), text(other));
}

}  // namespace
