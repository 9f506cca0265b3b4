#include "echo_client/payload/OneWayExchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;

class OneWayExchangeTest : public testing::Test {
  protected:
    OneWayExchangeTest() { tally.measure(nio::TimePoint::min(), nio::TimePoint::max()); }

    OneWayExchange exchange(const Dialogue* dialogue = nullptr) {
        return {dialogue, pattern_, sizes_, Random(1, 2), 3, 0, tally};
    }

    static constexpr nio::TimePoint start{std::chrono::hours(1)};
    Tally tally{true, 1s};

  private:
    const Pattern pattern_{Pattern::Alphabet::anyByte, 10};
    const SizeDistribution sizes_{10};
};

TEST_F(OneWayExchangeTest, EndsAMessageWhenTheKernelHasTakenIt) {
    OneWayExchange one = exchange();
    EXPECT_EQ(one.ask(start, start + 1ms).size(), 10u);
    (void)one.ask(start, start + 1ms);
    EXPECT_EQ(one.outstanding(), 2u);
    one.taken(start + 3ms);
    EXPECT_EQ(one.outstanding(), 0u);
    EXPECT_EQ(tally.figures().answeredBytes, 20u);
    EXPECT_EQ(tally.figures().latency.min(), 3ms);
    EXPECT_EQ(tally.figures().service.max(), 2ms);
}

TEST_F(OneWayExchangeTest, IgnoresWhatTheServerSends) {
    OneWayExchange one = exchange();
    (void)one.ask(start, start);
    EXPECT_TRUE(one.answer(nio::asBytes(std::string_view("what?")), start + 1ms));
    EXPECT_EQ(one.outstanding(), 1u);
    EXPECT_EQ(tally.errors().total(), 0u);
}

TEST_F(OneWayExchangeTest, CountsWhatTheKernelHasNotTaken) {
    for (const bool broken : {true, false}) {
        OneWayExchange one = exchange();
        (void)one.ask(start, start);
        one.end(broken);
    }
    EXPECT_EQ(tally.errors().timedOut, 1u) << "a broken connection is an error of its own";
    EXPECT_EQ(tally.figures().unanswered, 2u);
}

TEST_F(OneWayExchangeTest, SendsTheMessagesOfADialogue) {
    Dialogue dialogue;
    dialogue.firstMessage = Template::parse("HELLO\\n").orThrow();
    dialogue.turns.push_back({Template::parse("{conn} {seq}\\n").orThrow(), {}, 1});
    OneWayExchange one = exchange(&dialogue);
    EXPECT_EQ(nio::asText(one.greet(start)), "HELLO\n");
    EXPECT_EQ(nio::asText(one.ask(start, start)), "3 0\n");
    EXPECT_EQ(nio::asText(one.ask(start, start)), "3 1\n");
}

}  // namespace
}  // namespace load
