#include "echo_client/payload/StampedExchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/payload/Conversation.h"
#include "echo_client/payload/WrongAnswer.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// A stream, or packets.
class StampedExchangeOver : public testing::TestWithParam<apps::Framing> {
  protected:
    const apps::Framing framing = GetParam();
    const std::size_t smallest = Payload::stampBytes(framing);
    Conversation talk{framing, "100"};

    bool answer(Conversation& with, const nio::Bytes& message, nio::TimePoint at) {
        return framing == apps::Framing::raw ? with.answer(message, at)
                                             : with.answerPacket(message, at);
    }
    bool answer(const nio::Bytes& message, nio::TimePoint at = Conversation::now) {
        return answer(talk, message, at);
    }
    std::size_t outstanding() const { return talk.exchange->outstanding(); }
};

INSTANTIATE_TEST_SUITE_P(Framings, StampedExchangeOver,
                         testing::Values(apps::Framing::raw, apps::Framing::length,
                                         apps::Framing::lines));

TEST_P(StampedExchangeOver, CountsEachAnswerWithItsOwnTimes) {
    talk.ask(3);
    EXPECT_EQ(outstanding(), 3u);
    EXPECT_TRUE(answer(talk.messages[0], talk.start + 7us));
    EXPECT_TRUE(answer(talk.messages[1], talk.start + 8us));
    EXPECT_TRUE(answer(talk.messages[2], talk.start + 7us));
    EXPECT_EQ(outstanding(), 0u);
    EXPECT_EQ(talk.tally.figures().latency.max(), 7us);
    EXPECT_EQ(talk.tally.figures().latency.min(), 5us);
    EXPECT_EQ(talk.tally.figures().bytes, 300u);
    EXPECT_EQ(talk.counts(), "answered 3");
}

TEST_P(StampedExchangeOver, KeepsThePlannedTimeAndTheOneOfSendingApart) {
    Tally open(true);
    open.measure(nio::TimePoint::min(), nio::TimePoint::max());
    const auto exchange = talk.payload.newExchange(1, 0, open);
    const nio::Bytes message = nio::copyOf(exchange->ask(talk.start, talk.start + 3us));
    framing == apps::Framing::raw ? exchange->answer(message, talk.start + 10us)
                                  : exchange->answerPacket(message, talk.start + 10us);
    EXPECT_EQ(open.figures().latency.max(), 10us);
    EXPECT_EQ(open.figures().service.max(), 7us);
}

TEST_P(StampedExchangeOver, WorksWithMessagesThatAreAStampAndNothingElse) {
    for (const std::size_t size : {smallest, smallest + 1}) {
        Conversation small(framing, std::to_string(size));
        for (int i = 0; i < 100; ++i) ASSERT_TRUE(answer(small, small.ask(), small.now));
        EXPECT_EQ(small.counts(), "answered 100");
    }
}

TEST_P(StampedExchangeOver, WorksAtAnyDepth) {
    for (const std::size_t depth : {1u, 2u, 31u, 1000u}) {
        Conversation deep(framing, "32-200");
        for (int round = 0; round < 3; ++round) {
            const std::size_t first = deep.messages.size();
            deep.ask(depth);
            ASSERT_EQ(deep.exchange->outstanding(), depth);
            for (std::size_t i = first; i < first + depth; ++i) {
                ASSERT_TRUE(answer(deep, deep.messages[i], deep.now));
            }
            ASSERT_EQ(deep.exchange->outstanding(), 0u);
        }
        EXPECT_EQ(deep.counts(), "answered " + std::to_string(3 * depth));
    }
}

TEST_P(StampedExchangeOver, NoLongerWaitsForMessagesThatOthersHaveOvertaken) {
    talk.ask(4);
    answer(talk.messages[2]);
    EXPECT_EQ(outstanding(), 1u);
    EXPECT_EQ(talk.counts(), "answered 1");
    talk.exchange->end(false);
    EXPECT_EQ(outstanding(), 0u);
    EXPECT_EQ(talk.counts(), "lost 2, timed out 1, answered 1");
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                "connection 3, message 0: never answered, but a later one was");
}

TEST_P(StampedExchangeOver, CountsEachMeasuredMessageThatHasNoAnswerInTheEnd) {
    talk.tally.measure(talk.sentAt(1), talk.sentAt(7));
    talk.ask(8);
    talk.exchange->expire(talk.sentAt(3));
    answer(talk.messages[4]);
    answer(talk.messages[0]);
    EXPECT_EQ(talk.tally.figures().unanswered, 0u);
    talk.exchange->end(true);
    EXPECT_EQ(talk.tally.figures().unanswered, 5u) << "1, 2, 3, 5 and 6";
}

TEST_P(StampedExchangeOver, CountsALateAnswerAsTimedOutBeforeTheSweep) {
    Conversation late(framing, "100", 1, 0, 5us);
    late.ask(2);
    answer(late, late.messages[0], late.sentAt(0) + 5us);
    answer(late, late.messages[1], late.sentAt(1) + 6us);
    EXPECT_EQ(late.counts(), "timed out 1, answered 2");
}

TEST_P(StampedExchangeOver, CountsWhatWasLostEvenIfTheConnectionBroke) {
    talk.ask(4);
    answer(talk.messages[2]);
    talk.exchange->end(true);
    EXPECT_EQ(talk.counts(), "lost 2, answered 1");
}

TEST_P(StampedExchangeOver, CountsAnOvertakenOneThatComesAsReordered) {
    talk.ask(4);
    for (const std::size_t i : {3u, 1u, 0u, 2u}) EXPECT_TRUE(answer(talk.messages[i]));
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "reordered 3, answered 4");
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                "connection 3, message 1: answered after a later one");
    EXPECT_THAT(talk.errors().badFrame, HasSubstr("\ngot, 100 bytes:\n00000000  "));
}

TEST_P(StampedExchangeOver, CountsASecondAnswerAsDuplicatedHoweverOldItIs) {
    talk.ask();
    answer(talk.messages[0]);
    answer(talk.messages[0]);
    EXPECT_EQ(talk.counts(), "duplicated 1, answered 1");
    for (int i = 0; i < 1000; ++i) answer(talk.ask());
    answer(talk.messages[0]);
    talk.ask();
    answer(talk.messages[7]);
    EXPECT_EQ(outstanding(), 1u);
    EXPECT_EQ(talk.counts(), "duplicated 3, answered 1001");
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                "connection 3, message 0: answered more than once");
}

TEST_P(StampedExchangeOver, KeepsTheFirstBadFrameEvenIfTheFirstMistakeHadNone) {
    talk.ask(3);
    answer(talk.messages[1]);
    talk.exchange->expire(talk.sentAt(1));
    answer(talk.messages[1]);
    EXPECT_THAT(talk.errors().wrongAnswerExample, StartsWith("connection 3, message 0: never"));
    EXPECT_THAT(talk.errors().badFrame, StartsWith("connection 3, message 1: answered more"));
}

TEST_P(StampedExchangeOver, CountsASecondAnswerOfALateOneAsDuplicated) {
    talk.ask(2);
    for (const std::size_t i : {1u, 0u, 0u}) answer(talk.messages[i]);
    EXPECT_EQ(talk.counts(), "duplicated 1, reordered 1, answered 2");
}

TEST_P(StampedExchangeOver, SaysWhichByteIsWrong) {
    talk.ask(3);
    answer(talk.messages[0]);
    nio::Bytes changed = talk.messages[1];
    changed[61] = changed[61] == nio::Byte{0x40} ? nio::Byte{0x41} : nio::Byte{0x40};
    EXPECT_TRUE(answer(changed));
    EXPECT_TRUE(answer(talk.messages[2]));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 2");
    EXPECT_THAT(talk.errors().wrongAnswerExample,
                StartsWith("connection 3, message 1: byte 61 is 0x4"));
    EXPECT_EQ(talk.errors().badFrame, talk.errors().wrongAnswerExample + "\ngot, 100 bytes:\n" +
                                          hexDump(changed) + "expected, 100 bytes:\n" +
                                          hexDump(talk.messages[1]));
}

TEST_P(StampedExchangeOver, KeepsTheFirstWrongAnswerOnly) {
    talk.ask(3);
    answer(talk.messages[2]);
    answer(talk.messages[0]);
    const std::string first = talk.errors().badFrame;
    answer(talk.messages[1]);
    answer(talk.messages[1]);
    EXPECT_THAT(first, StartsWith("connection 3, message 0: "));
    EXPECT_EQ(talk.errors().badFrame, first);
}

TEST_P(StampedExchangeOver, FreesThePlaceOfADamagedMessageAtOnce) {
    for (std::size_t at = 0; at < 100; ++at) {
        nio::Bytes changed = talk.ask();
        changed[at] ^= nio::Byte{1};
        EXPECT_TRUE(answer(changed));
        ASSERT_EQ(outstanding(), 0u) << at;
        EXPECT_TRUE(answer(talk.ask()));
    }
    EXPECT_EQ(talk.counts(), "corrupted 100, answered 100");
}

// The exhaustive form of "a flipped byte is corrupted 1 and nothing else".
TEST_P(StampedExchangeOver, CountsAFlippedBitAnywhereAsOneCorruptedMessage) {
    for (std::size_t bit = 0; bit < 8 * 100; ++bit) {
        Conversation three(framing, "100");
        three.ask(3);
        three.messages[1][bit / 8] ^= static_cast<nio::Byte>(1u << bit % 8);
        for (const nio::Bytes& each : three.messages) ASSERT_TRUE(answer(three, each, three.now));
        three.exchange->end(false);
        ASSERT_EQ(three.counts(), "corrupted 1, answered 2") << bit;
    }
}

TEST_P(StampedExchangeOver, GoesOnWhenEachAndEveryStampIsDamaged) {
    for (int i = 0; i < 100; ++i) {
        nio::Bytes changed = talk.ask();
        changed[1] ^= nio::Byte{1};
        EXPECT_TRUE(answer(changed));
        ASSERT_EQ(outstanding(), 0u) << i;
    }
    EXPECT_EQ(talk.counts(), "corrupted 100, answered 0");
}

TEST_P(StampedExchangeOver, TakesAWrongAnswerForTheExpectedOneUntilThatComes) {
    talk.ask(3);
    Conversation other(framing, "100", 1, 1);
    other.exchange = other.payload.newExchange(9, 0, other.tally);
    EXPECT_TRUE(answer(other.ask()));
    EXPECT_EQ(outstanding(), 2u);
    for (const nio::Bytes& each : talk.messages) EXPECT_TRUE(answer(each));
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 3");
}

TEST_P(StampedExchangeOver, DetectsMessagesOfAnEarlierConnection) {
    for (const char* sizes : {"40", "100", "40-200"}) {
        Conversation before(framing, sizes, 1, 0);
        Conversation after(framing, sizes, 1, 1);
        before.ask(20);
        after.ask(20);
        for (const nio::Bytes& each : before.messages) answer(after, each, after.now);
        EXPECT_EQ(after.answered(), 0u) << sizes;
        // In a stream what has gone by is told from its bytes, and those are not as many.
        EXPECT_GE(after.errors().corrupted, 15u) << sizes;
        EXPECT_EQ(after.errors().total(), after.errors().corrupted) << sizes;
    }
}

TEST_P(StampedExchangeOver, CountsAnAnswerToWhatWasNotSentAsCorrupted) {
    Conversation ahead(framing, "100");
    ahead.ask(5);
    talk.ask(2);
    EXPECT_TRUE(answer(ahead.messages[4]));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 0");
    EXPECT_EQ(outstanding(), 1u);
}

TEST_P(StampedExchangeOver, CountsAnAnswerBeforeTheFirstMessageAsCorrupted) {
    Conversation ahead(framing, "100");
    EXPECT_TRUE(answer(ahead.ask()));
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 0");
    EXPECT_EQ(outstanding(), 0u);
    EXPECT_TRUE(answer(talk.ask()));
    EXPECT_EQ(talk.answered(), 1u);
}

// --- time-outs --------------------------------------------------------------------------------

TEST_P(StampedExchangeOver, CountsWhatComesAfterItsTimeAsTimedOutAndTimesIt) {
    talk.ask(3);
    talk.exchange->expire(talk.sentAt(2));
    EXPECT_EQ(outstanding(), 1u);
    EXPECT_EQ(talk.counts(), "answered 0");
    answer(talk.messages[0], talk.start + 9us);
    EXPECT_EQ(outstanding(), 1u);
    EXPECT_EQ(talk.counts(), "timed out 1, answered 1");
    EXPECT_EQ(talk.tally.figures().latency.max(), 9us);
    answer(talk.messages[1]);
    answer(talk.messages[2]);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "timed out 2, answered 3");
}

TEST_P(StampedExchangeOver, CountsWhatNeverComesAsTimedOutAtTheEnd) {
    talk.ask(3);
    talk.exchange->expire(talk.sentAt(2));
    talk.exchange->expire(talk.sentAt(3));
    EXPECT_EQ(outstanding(), 0u);
    talk.exchange->end(false);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "timed out 3, answered 0");
}

TEST_P(StampedExchangeOver, BlamesNoMessageForABrokenConnection) {
    talk.ask(3);
    talk.exchange->end(true);
    EXPECT_EQ(talk.counts(), "answered 0");
}

TEST_P(StampedExchangeOver, CountsWhatTimedOutBeforeItsConnectionBroke) {
    talk.ask(4);
    answer(talk.messages[0]);
    talk.exchange->expire(talk.sentAt(3));
    talk.exchange->end(true);
    talk.exchange->end(true);
    EXPECT_EQ(talk.counts(), "timed out 2, answered 1");
}

TEST_P(StampedExchangeOver, GivesUpOvertakenMessagesWhenTheyExpire) {
    talk.ask(4);
    answer(talk.messages[3]);
    talk.exchange->expire(talk.sentAt(2));
    EXPECT_EQ(talk.counts(), "lost 2, answered 1");
    answer(talk.messages[2]);
    talk.exchange->expire(talk.now);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "lost 2, reordered 1, answered 2");
}

TEST_P(StampedExchangeOver, CountsALostOneThatComesAfterAllAsDuplicated) {
    talk.ask(2);
    answer(talk.messages[1]);
    talk.exchange->expire(talk.now);
    answer(talk.messages[0]);
    EXPECT_EQ(talk.counts(), "lost 1, duplicated 1, answered 1");
}

TEST_P(StampedExchangeOver, CountsAnOverdueOneThatIsOvertakenAsLost) {
    talk.ask();
    talk.exchange->expire(talk.now);
    EXPECT_EQ(outstanding(), 0u);
    answer(talk.ask());
    EXPECT_EQ(outstanding(), 0u);
    EXPECT_EQ(talk.counts(), "answered 1");
    talk.exchange->expire(talk.now);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "lost 1, answered 1");
}

TEST_P(StampedExchangeOver, CountsALateReorderedAnswerAsReorderedOnly) {
    talk.ask(2);
    talk.exchange->expire(talk.sentAt(1));
    answer(talk.messages[1]);
    answer(talk.messages[0]);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "reordered 1, answered 2");
}

TEST_P(StampedExchangeOver, CountsADamagedOverdueOneAsCorruptedOnly) {
    nio::Bytes changed = talk.ask();
    changed[90] ^= nio::Byte{1};
    talk.exchange->expire(talk.now);
    answer(changed);
    answer(talk.ask());
    talk.exchange->expire(talk.now);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "corrupted 1, answered 1");
}

TEST_P(StampedExchangeOver, LimitsWhatItRemembersOfOvertakenMessages) {
    for (int i = 0; i < 10'000; ++i) {
        talk.ask();
        answer(talk.ask());
    }
    EXPECT_GT(talk.errors().lost, 5000u);
    talk.exchange->end(false);
    EXPECT_EQ(talk.counts(), "lost 10000, answered 10000");
}

}  // namespace
}  // namespace load
