#include "echo_client/payload/PatternExchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/payload/Conversation.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct PatternConversation : Conversation {
    explicit PatternConversation(const std::string& sizeText,
                                 apps::Framing framing = apps::Framing::lines)
        : Conversation(framing, sizeText) {
        EXPECT_FALSE(payload.isStamped());
    }
};

TEST(PatternExchange, TakesAnswersInAnyPieces) {
    for (const char* size : {"1", "15", "1-15", "1-4000"}) {
        for (std::size_t piece = 1; piece <= 400; piece += 7) {
            PatternConversation talk(size, apps::Framing::raw);
            talk.ask(30);
            const nio::Bytes all = joined(talk.messages);
            for (nio::ByteView rest(all); !rest.empty();) {
                const std::size_t count = std::min(piece, rest.size());
                ASSERT_TRUE(talk.answer(rest.first(count))) << size;
                rest = rest.subspan(count);
            }
            ASSERT_EQ(talk.exchange->outstanding(), 0u);
            ASSERT_EQ(talk.counts(), "answered 30");
        }
    }
}

TEST(PatternExchange, TimesEachMessageFromItsOwnBeginningToItsLastByte) {
    PatternConversation talk("10");
    talk.ask(2);
    EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[0]).first(9), talk.start + 4us));
    EXPECT_EQ(talk.answered(), 0u);
    EXPECT_TRUE(talk.answer(nio::ByteView(talk.messages[0]).subspan(9), talk.start + 5us));
    EXPECT_TRUE(talk.answer(talk.messages[1], talk.start + 5us));
    EXPECT_EQ(talk.tally.figures().latency.max(), 5us);
    EXPECT_EQ(talk.tally.figures().latency.min(), 4us);
    EXPECT_EQ(talk.tally.figures().bytes, 20u);
}

TEST(PatternExchange, CountsEachMeasuredMessageThatHasNoAnswerInTheEnd) {
    PatternConversation talk("10");
    talk.tally.measure(talk.sentAt(1), talk.sentAt(5));
    talk.ask(6);
    EXPECT_TRUE(talk.answer(nio::ByteView(joined(talk.messages)).first(25)));
    talk.exchange->expire(talk.sentAt(4));
    talk.exchange->end(true);
    EXPECT_EQ(talk.tally.figures().unanswered, 3u) << "2, 3 and 4";
}

TEST(PatternExchange, CountsALateAnswerAsTimedOutBeforeTheSweep) {
    Conversation late(apps::Framing::length, "10", 1, 0, 5us);
    late.ask(2);
    late.answerPacket(late.messages[0], late.sentAt(0) + 5us);
    late.answerPacket(late.messages[1], late.sentAt(1) + 6us);
    EXPECT_EQ(late.counts(), "timed out 1, answered 2");
}

TEST(PatternExchange, FindsAChangedByteAndSaysWhere) {
    PatternConversation talk("10");
    talk.ask(3);
    nio::Bytes all = joined(talk.messages);
    all[17] ^= nio::Byte{1};
    EXPECT_TRUE(talk.answer(nio::ByteView(all).first(12)));
    EXPECT_FALSE(talk.answer(nio::ByteView(all).subspan(12)));
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                HasSubstr("connection 3, message 1: byte 7 is 0x"));
    EXPECT_THAT(talk.errors().badFrame, HasSubstr("\ngot, 10 bytes:\n00000000  "));
    EXPECT_THAT(talk.errors().badFrame, HasSubstr("\nexpected, 10 bytes:\n00000000  "));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 1");
}

TEST(PatternExchange, IsOfNoUseOnceAByteWasWrong) {
    PatternConversation talk("10");
    talk.ask(3);
    nio::Bytes wrong = talk.messages[0];
    wrong[0] ^= nio::Byte{1};
    EXPECT_FALSE(talk.answer(wrong));
    EXPECT_FALSE(talk.answer(talk.messages[1]));
    EXPECT_FALSE(talk.answerPacket(talk.messages[1]));
    EXPECT_FALSE(talk.answerPacket(nio::ByteView(talk.messages[1]).first(3)));
    EXPECT_EQ(talk.exchange->outstanding(), 2u);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 0");
}

TEST(PatternExchange, LeavesTheFirstWrongAnswerOfItsWorkerAsItIs) {
    PatternConversation talk("10");
    const auto other = talk.payload.newExchange(4, 0, talk.tally);
    talk.ask();
    EXPECT_FALSE(other->answer(nio::asBytes("first"), talk.now));
    const std::string first = talk.errors().badFrame;
    EXPECT_FALSE(talk.answer(nio::asBytes("\n")));
    EXPECT_THAT(talk.errors().wrongAnswerExample, HasSubstr("connection 4, message 0: "));
    EXPECT_EQ(talk.errors().badFrame, first);
}

TEST(PatternExchange, FindsALostByte) {
    PatternConversation talk("10");
    talk.ask(3);
    nio::Bytes all = joined(talk.messages);
    all.erase(all.begin() + 5);
    EXPECT_FALSE(talk.answer(all));
}

TEST(PatternExchange, FindsSwappedMessages) {
    PatternConversation talk("10");
    talk.ask(2);
    std::swap(talk.messages[0], talk.messages[1]);
    EXPECT_FALSE(talk.answer(joined(talk.messages)));
}

TEST(PatternExchange, RefusesBytesThatNobodyAskedFor) {
    PatternConversation talk("10");
    nio::Bytes bytes = talk.ask();
    bytes.push_back(nio::Byte{0});
    EXPECT_FALSE(talk.answer(bytes));
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                HasSubstr("message 1: more bytes were received than sent"));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 1");
}

TEST(PatternExchange, WantsAWholeMessageInEachPacket) {
    PatternConversation talk("10");
    talk.ask(2);
    EXPECT_TRUE(talk.answerPacket(talk.messages[0]));
    EXPECT_FALSE(talk.answerPacket(nio::ByteView(talk.messages[1]).first(6)));
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                HasSubstr("message 1: a packet of 6 bytes instead of 10"));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 1");
}

TEST(PatternExchange, RefusesAPacketThatNobodyAskedFor) {
    PatternConversation talk("10");
    EXPECT_FALSE(talk.answerPacket(nio::asBytes("what?")));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 0");
}

TEST(PatternExchange, NoLongerWaitsForWhatHasExpiredButTakesIt) {
    PatternConversation talk("10");
    talk.ask(3);
    talk.exchange->expire(talk.sentAt(2));
    EXPECT_EQ(talk.exchange->outstanding(), 1u);
    EXPECT_TRUE(talk.answer(talk.messages[0]));
    EXPECT_EQ(talk.counts(), "timed out 1, answered 1");
    talk.exchange->end(false);
    EXPECT_EQ(talk.exchange->outstanding(), 0u);
    EXPECT_EQ(talk.counts(), "timed out 3, answered 1");
}

TEST(PatternExchange, BlamesNoMessageForABrokenConnection) {
    PatternConversation talk("10");
    talk.ask(3);
    talk.exchange->end(true);
    EXPECT_EQ(talk.counts(), "answered 0");
    EXPECT_EQ(talk.exchange->outstanding(), 0u);
}

TEST(PatternExchange, CountsWhatTimedOutBeforeItsConnectionBroke) {
    PatternConversation talk("10");
    talk.ask(4);
    EXPECT_TRUE(talk.answer(talk.messages[0]));
    talk.exchange->expire(talk.sentAt(3));
    talk.exchange->end(true);
    talk.exchange->end(true);
    EXPECT_EQ(talk.counts(), "timed out 2, answered 1");
}

}  // namespace
}  // namespace load
