#include "echo_client/payload/DialogueExchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class DialogueExchangeTest : public testing::Test {
  protected:
    void talk(std::vector<std::pair<std::string, std::string>> turns) {
        dialogue_.turns.clear();
        for (const auto& [message, answer] : turns) {
            dialogue_.turns.push_back(
                {Template::parse(message).orThrow(), Expectation::parse(answer).orThrow(), 1});
        }
        tally.measure(nio::TimePoint::min(), nio::TimePoint::max());
        exchange_.emplace(dialogue_, 3, Random(1, 2), tally);
    }
    // Before talk().
    void greet(const std::string& message, const std::string& answer) {
        dialogue_.firstMessage = Template::parse(message).orThrow();
        if (!answer.empty()) dialogue_.firstAnswer = Expectation::parse(answer).orThrow();
    }
    std::string greeting() {
        const nio::ByteView first = exchange_->greet(start);
        return {reinterpret_cast<const char*>(first.data()), first.size()};
    }
    std::string ask() {
        const nio::ByteView asked = exchange_->ask(start, start);
        return {reinterpret_cast<const char*>(asked.data()), asked.size()};
    }
    bool answer(const std::string& bytes) {
        return exchange_->answer(nio::asBytes(bytes), start + 1ms);
    }
    DialogueExchange& exchange() { return *exchange_; }

    static constexpr nio::TimePoint start{std::chrono::hours(1)};
    Tally tally{false, 1s};

  private:
    Dialogue dialogue_;
    std::optional<DialogueExchange> exchange_;
};

TEST_F(DialogueExchangeTest, TakesAnswersInAnyPieces) {
    talk({{"GET {seq}\\n", "VALUE {seq}\\n"}});
    EXPECT_EQ(ask(), "GET 0\n");
    EXPECT_EQ(ask(), "GET 1\n");
    EXPECT_TRUE(answer("VAL"));
    EXPECT_EQ(exchange().outstanding(), 2u);
    EXPECT_TRUE(answer("UE 0\nVALUE 1"));
    EXPECT_EQ(exchange().outstanding(), 1u);
    EXPECT_TRUE(answer("\n"));
    EXPECT_EQ(exchange().outstanding(), 0u);
    EXPECT_EQ(tally.figures().answered, 2u);
    EXPECT_EQ(tally.figures().answeredBytes, 16u);
}

TEST_F(DialogueExchangeTest, ShowsAWrongAnswerBesideTheExpectedOne) {
    talk({{"PING", "PONG"}});
    ask();
    EXPECT_FALSE(answer("PING"));
    EXPECT_EQ(tally.errors().corrupted, 1u);
    EXPECT_EQ(tally.errors().wrongAnswerExample,
              "connection 3, message 0: byte 1 is 0x49 instead of 0x4f");
    EXPECT_THAT(tally.errors().badFrame, HasSubstr("expected, 4 bytes"));
}

TEST_F(DialogueExchangeTest, TakesAnAnswerToNoMessageForWrong) {
    talk({{"PING", "PONG"}});
    EXPECT_FALSE(answer("220 hello"));
    EXPECT_EQ(tally.errors().corrupted, 1u);
    EXPECT_THAT(tally.errors().wrongAnswerExample, HasSubstr("an answer to no message"));
}

TEST_F(DialogueExchangeTest, CountsWhatComesTooLateAsTimedOut) {
    talk({{"a", "length:1"}});
    ask();
    exchange().expire(start + 1ns);
    EXPECT_EQ(exchange().outstanding(), 0u);
    EXPECT_TRUE(answer("x"));
    EXPECT_EQ(tally.errors().timedOut, 1u);
    ask();
    exchange().end(false);
    EXPECT_EQ(tally.errors().timedOut, 2u);
    EXPECT_EQ(tally.figures().unanswered, 1u);
}

TEST_F(DialogueExchangeTest, ShowsWhatNeverBecameTheAnswer) {
    talk({{"a", "/ok\\n/"}});
    ask();
    EXPECT_TRUE(answer("no\n"));
    exchange().end(false);
    EXPECT_EQ(tally.errors().corrupted, 1u);
    EXPECT_THAT(tally.errors().badFrame, HasSubstr("no."));
}

TEST_F(DialogueExchangeTest, CountsHalfARightAnswerAsTimedOut) {
    for (const char* expected : {"12345", "length:5", "until:5", "lines:1"}) {
        talk({{"a", expected}});
        ask();
        const auto before = tally.errors().timedOut;
        EXPECT_TRUE(answer("123"));
        exchange().end(false);
        EXPECT_EQ(tally.errors().timedOut, before + 1) << expected;
    }
    EXPECT_EQ(tally.errors().corrupted, 0u);
}

// Were all of it copied or searched for each piece, this would not come to an end.
TEST_F(DialogueExchangeTest, TakesALongAnswerByteByByte) {
    const std::string line = std::string(1023, 'x') + "\n";
    for (const char* expected : {"length:512Ki", "lines:512", "until:y"}) {
        talk({{"a", expected}});
        ask();
        for (int i = 0; i < 512; ++i) {
            for (const char c : line) EXPECT_TRUE(answer(std::string(1, c)));
        }
        answer("y");
        EXPECT_EQ(exchange().outstanding(), 0u) << expected;
    }
}

TEST_F(DialogueExchangeTest, ChoosesAllItsMessages) {
    talk({{"a", "length:1"}, {"b", "length:1"}});
    std::string all;
    for (int i = 0; i < 100; ++i) all += ask();
    EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), 'a')), 50, 25);
}

TEST_F(DialogueExchangeTest, BoundsTheAnswerOfARegularExpression) {
    talk({{"a", "/x*END/"}});
    ask();
    EXPECT_TRUE(answer(std::string(Expectation::longestOfRegex, 'x')));
    EXPECT_FALSE(answer("x"));
    EXPECT_THAT(tally.errors().wrongAnswerExample,
                HasSubstr("the answer is longer than a regular expression may match: 1 MiB"));
}

TEST_F(DialogueExchangeTest, WaitsForTheFirstAnswerAndDoesNotMeasureIt) {
    greet("HELLO {conn}\\n", "until:\\n");
    talk({{"a{seq}", "b{seq}"}});
    EXPECT_EQ(greeting(), "HELLO 3\n");
    EXPECT_TRUE(exchange().isGreeting());
    EXPECT_TRUE(answer("WELC"));
    EXPECT_TRUE(exchange().isGreeting());
    EXPECT_TRUE(answer("OME\n"));
    EXPECT_FALSE(exchange().isGreeting());
    EXPECT_EQ(tally.figures().answered, 0u);
    EXPECT_EQ(ask(), "a0");
    EXPECT_TRUE(answer("b0"));
    EXPECT_EQ(tally.figures().answered, 1u);
}

TEST_F(DialogueExchangeTest, WaitsForNoFirstAnswerUnlessOneIsExpected) {
    greet("PREFACE", "");
    talk({{"a", "b"}});
    EXPECT_EQ(greeting(), "PREFACE");
    EXPECT_FALSE(exchange().isGreeting());
}

TEST_F(DialogueExchangeTest, CountsAFirstAnswerThatIsWrongOrMissing) {
    greet("HELLO", "WELCOME");
    talk({{"a", "b"}});
    (void)greeting();
    EXPECT_FALSE(answer("GO AWAY"));
    EXPECT_EQ(tally.errors().corrupted, 1u);
    EXPECT_EQ(tally.figures().unanswered, 0u) << "it is no message of the load";
    talk({{"a", "b"}});
    (void)greeting();
    exchange().end(false);
    EXPECT_EQ(tally.errors().timedOut, 1u);
}

}  // namespace
}  // namespace load
