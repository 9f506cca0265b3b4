#include "echo_client/payload/Payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apps/echo_client/payload/Conversation.h"
#include "echo_client/payload/Stamp.h"

namespace load {
namespace {

constexpr nio::TimePoint start{};

bool isStamped(apps::Framing framing, std::size_t bytes) {
    const SizeDistribution sizes(bytes);
    return Payload(framing, sizes, 1).isStamped();
}

std::vector<nio::Bytes> asked(const std::string& sizes, std::uint64_t seed,
                              std::uint64_t incarnation) {
    Conversation talk(apps::Framing::raw, sizes, seed, incarnation);
    talk.ask(100);
    return talk.messages;
}

std::vector<std::size_t> sizesOf(const std::vector<nio::Bytes>& messages) {
    std::vector<std::size_t> sizes;
    for (const nio::Bytes& each : messages) sizes.push_back(each.size());
    return sizes;
}

TEST(Payload, StampsMessagesThatHaveRoomForIt) {
    for (const auto framing : {apps::Framing::raw, apps::Framing::length}) {
        EXPECT_EQ(Payload::stampBytes(framing), 16u);
        EXPECT_FALSE(isStamped(framing, 15));
        EXPECT_TRUE(isStamped(framing, 16));
    }
    for (const auto framing : {apps::Framing::lines, apps::Framing::stxEtx}) {
        EXPECT_EQ(Payload::stampBytes(framing), 32u);
        EXPECT_FALSE(isStamped(framing, 31));
        EXPECT_TRUE(isStamped(framing, 32));
    }
}

TEST(Payload, LooksAtTheSmallestMessage) {
    EXPECT_FALSE(Conversation(apps::Framing::raw, "15-4096").payload.isStamped());
    EXPECT_TRUE(Conversation(apps::Framing::raw, "16-4096").payload.isStamped());
}

TEST(Payload, HasSizesAsTheyWereWished) {
    for (const char* text : {"1-40", "40-80"}) {
        Conversation talk(apps::Framing::raw, text);
        talk.ask(2000);
        std::set<std::size_t> seen;
        for (const nio::Bytes& each : talk.messages) seen.insert(each.size());
        EXPECT_EQ(*seen.begin(), talk.sizes.smallest());
        EXPECT_EQ(*seen.rbegin(), talk.sizes.largest());
        EXPECT_EQ(seen.size(), talk.sizes.largest() - talk.sizes.smallest() + 1);
    }
}

TEST(Payload, IsPrintableWhereTheFramingIsText) {
    for (const auto framing : {apps::Framing::lines, apps::Framing::stxEtx}) {
        for (const char* size : {"8", "300"}) {
            Conversation talk(framing, size);
            talk.ask(100);
            for (const nio::Byte byte : joined(talk.messages)) {
                const auto value = static_cast<unsigned>(byte);
                ASSERT_TRUE(value >= '!' && value <= '~') << value;
            }
        }
    }
}

TEST(Payload, NumbersTheMessagesOfEachConnectionFromZero) {
    const SizeDistribution sizes(64);
    Payload payload(apps::Framing::length, sizes, 1);
    Tally tally(false);
    const auto three = payload.newExchange(3, 0, tally);
    const auto four = payload.newExchange(4, 0, tally);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto stamp = readStamp(StampForm::binary, three->ask(start, start));
        EXPECT_EQ(stamp->connection, 3u);
        EXPECT_EQ(stamp->sequence, i);
        EXPECT_EQ(stamp->length, 64u);
    }
    EXPECT_EQ(readStamp(StampForm::binary, four->ask(start, start))->connection, 4u);
}

TEST(Payload, IsTheSameAgainForTheSameSeed) {
    EXPECT_EQ(asked("16-4096", 7, 2), asked("16-4096", 7, 2));
    EXPECT_EQ(asked("1-15", 7, 2), asked("1-15", 7, 2));
    EXPECT_NE(sizesOf(asked("16-4096", 7, 2)), sizesOf(asked("16-4096", 8, 2)));
}

TEST(Payload, IsAnotherForEachIncarnationOfAConnection) {
    for (const char* sizes : {"16-4096", "1-400"}) {
        EXPECT_NE(sizesOf(asked(sizes, 7, 0)), sizesOf(asked(sizes, 7, 1)));
    }
    for (const char* sizes : {"64", "15"}) EXPECT_NE(asked(sizes, 7, 0)[0], asked(sizes, 7, 1)[0]);
}

TEST(Payload, GivesEachMessageABodyOfItsOwn) {
    std::set<std::string> bodies;
    for (const nio::Bytes& each : asked("64", 7, 0)) {
        bodies.emplace(nio::asText(each).substr(16, 8));
    }
    EXPECT_EQ(bodies.size(), 100u);
}

}  // namespace
}  // namespace load
