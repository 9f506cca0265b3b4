#include "echo_client/Exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr nio::TimePoint start{};

class ExchangeTest : public testing::Test {
  protected:
    // What a right server would send back for `count` messages.
    nio::Bytes ask(std::size_t count, nio::TimePoint now = start) {
        nio::Bytes all;
        for (std::size_t i = 0; i < count; ++i) {
            const nio::ByteView message = exchange.ask(now);
            all.insert(all.end(), message.begin(), message.end());
        }
        return all;
    }
    bool answer(nio::ByteView bytes, nio::TimePoint now = start) {
        return exchange.answer(bytes, now, latency);
    }

    const Pattern pattern{Pattern::Alphabet::anyByte, 100};
    Exchange exchange{pattern, 5, 100, 4};
    LatencyHistogram latency;
};

TEST_F(ExchangeTest, MayAskAsOftenAsItsDepthAndAgainForEachAnswer) {
    const nio::Bytes bytes = ask(4);
    EXPECT_FALSE(exchange.mayAsk());
    EXPECT_TRUE(answer(nio::ByteView(bytes).first(100)));
    EXPECT_TRUE(exchange.mayAsk());
    EXPECT_EQ(exchange.outstanding(), 3u);
}

TEST_F(ExchangeTest, TakesAnswersInAnyPieces) {
    for (std::size_t piece = 1; piece <= 400; piece += 7) {
        const nio::Bytes bytes = ask(4);
        for (nio::ByteView rest(bytes); !rest.empty();) {
            const std::size_t count = std::min(piece, rest.size());
            ASSERT_TRUE(answer(rest.first(count))) << exchange.mistake();
            rest = rest.subspan(count);
        }
        ASSERT_EQ(exchange.outstanding(), 0u);
    }
}

TEST_F(ExchangeTest, TimesEachMessageFromItsOwnBeginningToItsLastByte) {
    const nio::Bytes first = ask(1, start);
    const nio::Bytes second = ask(1, start + 300ns);
    EXPECT_TRUE(answer(nio::ByteView(first).first(99), start + 400ns));
    EXPECT_EQ(latency.count(), 0u);
    EXPECT_TRUE(answer(nio::ByteView(first).subspan(99), start + 500ns));
    EXPECT_TRUE(answer(second, start + 700ns));
    EXPECT_EQ(latency.count(), 2u);
    EXPECT_EQ(latency.max(), 500ns);
    EXPECT_EQ(latency.min(), 400ns);
}

TEST_F(ExchangeTest, FindsAChangedByteAndSaysWhere) {
    nio::Bytes bytes = ask(3);
    bytes[142] ^= nio::Byte{1};
    EXPECT_TRUE(answer(nio::ByteView(bytes).first(120)));
    EXPECT_FALSE(answer(nio::ByteView(bytes).subspan(120)));
    EXPECT_THAT(exchange.mistake(), HasSubstr("connection 5, message 1: byte 42 is 0x"));
    EXPECT_EQ(latency.count(), 1u);
}

TEST_F(ExchangeTest, FindsALostByte) {
    nio::Bytes bytes = ask(2);
    bytes.erase(bytes.begin() + 50);
    EXPECT_FALSE(answer(bytes));
}

TEST_F(ExchangeTest, FindsSwappedMessages) {
    nio::Bytes bytes = ask(2);
    std::rotate(bytes.begin(), bytes.begin() + 100, bytes.end());
    EXPECT_FALSE(answer(bytes));
}

TEST_F(ExchangeTest, FindsAMessageOfAnotherConnection) {
    Exchange other(pattern, 6, 100, 4);
    const nio::ByteView foreign = other.ask(start);
    ask(1);
    EXPECT_FALSE(answer(foreign));
}

TEST_F(ExchangeTest, RefusesBytesThatNobodyAskedFor) {
    nio::Bytes bytes = ask(1);
    bytes.push_back(nio::Byte{0});
    EXPECT_FALSE(answer(bytes));
    EXPECT_THAT(exchange.mistake(), HasSubstr("more came back than was sent"));
}

TEST_F(ExchangeTest, WantsAWholeMessageInEachPacket) {
    const nio::Bytes bytes = ask(2);
    const nio::ByteView view(bytes);
    EXPECT_TRUE(exchange.answerPacket(view.first(100), start, latency));
    EXPECT_FALSE(exchange.answerPacket(view.subspan(100, 60), start, latency));
    EXPECT_THAT(exchange.mistake(), HasSubstr("a packet of 60 bytes instead of 100"));
}

}  // namespace
}  // namespace load
