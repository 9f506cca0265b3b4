// What a StampedExchange does only to a stream, or only to packets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/payload/Conversation.h"

namespace load {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(StampedPackets, WantsAPacketOfTheRightLength) {
    for (const std::size_t size : {0u, 1u, 15u, 31u, 60u, 99u, 101u, 5000u}) {
        Conversation talk(apps::Framing::length, "100");
        nio::Bytes packet = talk.ask();
        packet.resize(size);
        EXPECT_TRUE(talk.answerPacket(packet));
        EXPECT_EQ(talk.counts(), "corrupted 1, answered 0");
        EXPECT_EQ(talk.exchange->outstanding(), 0u);
        EXPECT_EQ(talk.errors().wrongAnswerExample, "connection 3, message 0: a packet of " +
                                                        std::to_string(size) +
                                                        " bytes instead of 100");
    }
}

// Where all have one length, that of a message long forgotten is known, too.
TEST(StampedStream, KnowsAnOldMessageThatComesAgainInPieces) {
    Conversation talk(apps::Framing::raw, "100");
    for (int i = 0; i < 1000; ++i) talk.answer(talk.ask());
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[5]).subspan(i, 1)));
    }
    EXPECT_EQ(talk.counts(), "duplicated 1, answered 1000");
}

TEST(StampedStream, WaitsForTheRestOfAMessage) {
    Conversation talk(apps::Framing::raw, "100");
    talk.ask();
    for (std::size_t i = 0; i < 99; ++i) {
        EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[0]).subspan(i, 1)));
        EXPECT_EQ(talk.exchange->outstanding(), 1u);
    }
    EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[0]).subspan(99)));
    EXPECT_EQ(talk.counts(), "answered 1");
}

TEST(StampedStream, FindsItsWayAfterAMessageThatLostItsEnd) {
    Conversation talk(apps::Framing::raw, "100");
    talk.ask();
    EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[0]).first(60)));
    talk.exchange->expire(talk.now);
    EXPECT_EQ(talk.exchange->outstanding(), 0u);
    talk.answer(talk.ask());
    talk.answer(talk.ask());
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 2");
}

TEST(StampedStream, ThrowsAwayRubbishUpToALimit) {
    Conversation talk(apps::Framing::raw, "100");
    talk.ask(2);
    const nio::Bytes rubbish(1024, nio::Byte{7});
    for (int i = 0; i < 1024; ++i) ASSERT_TRUE(talk.answer(rubbish)) << i;
    EXPECT_FALSE(talk.answer(rubbish));
    EXPECT_FALSE(talk.answer(talk.messages[0]));
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "corrupted 2, answered 0");
}

TEST(StampedStream, MayThrowAwayALargeMessageAndGoOn) {
    Conversation talk(apps::Framing::raw, "3000000");
    nio::Bytes changed = talk.ask();
    changed[3] ^= nio::Byte{1};
    EXPECT_TRUE(talk.answer(changed));
    EXPECT_TRUE(talk.answer(talk.ask()));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 1");
}

TEST(StampedStream, KeepsNoMoreThanAPartOfALargeWrongAnswer) {
    Conversation talk(apps::Framing::raw, "3000000");
    nio::Bytes changed = talk.ask();
    changed[2'000'000] ^= nio::Byte{1};
    EXPECT_TRUE(talk.answer(changed));
    EXPECT_THAT(talk.errors().wrongAnswerExample, HasSubstr("message 0: byte 2000000 is 0x"));
    EXPECT_THAT(talk.errors().badFrame,
                AllOf(HasSubstr("got, 3000000 bytes:\n... "), HasSubstr("\n001e8480  ")));
    EXPECT_LT(talk.errors().badFrame.size(), 1'000'000u);
}

// A stamp that has lost its first byte reads as one of a message long gone, with a length that
// another message could have: it must not be waited for.
TEST(StampedStream, DoesNotWaitForAMessageThatAShiftedStampPromises) {
    const SizeDistribution sizes = SizeDistribution::parse("64:99,60000:1").orThrow();
    Payload payload(apps::Framing::raw, sizes, 1);
    Tally tally(false);
    const auto exchange = payload.newExchange(0, 0, tally);
    for (int i = 0; i < 3000; ++i) {
        nio::Bytes message = nio::copyOf(exchange->ask({}, {}));
        const bool isDamaged = i % 50 == 49 && message.size() == 64;
        if (isDamaged) message.erase(message.begin());
        ASSERT_TRUE(exchange->answer(message, {}));
        ASSERT_EQ(exchange->outstanding(), 0u) << i;
    }
    EXPECT_GT(tally.errors().corrupted, 50u);
    EXPECT_EQ(tally.errors().corrupted + tally.figures().answered, 3000u);
}

}  // namespace
}  // namespace load
