#include "bench/models/Work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nio/sys/Clock.h>

#include "bench/models/ModelOptions.h"

namespace {

using models::parseWork;
using models::Work;
using testing::ElementsAre;
using namespace std::chrono_literals;

std::vector<std::string> pieces(Work& work, std::string_view bytes) {
    std::vector<std::string> all;
    work.onEach(nio::asBytes(bytes), [&](nio::ByteView p) { all.emplace_back(nio::asText(p)); });
    return all;
}

TEST(Work, AnswersAllAtOnceWhereThereIsNone) {
    Work work({0us, 2});
    EXPECT_THAT(pieces(work, "abcde"), ElementsAre("abcde"));
}

TEST(Work, AnswersEachMessageByItself) {
    Work work({1us, 2});
    EXPECT_THAT(pieces(work, "aabbc"), ElementsAre("aa", "bb", "c"));
    EXPECT_THAT(pieces(work, "cdd"), ElementsAre("c", "dd"));
}

TEST(Work, IsDoneBeforeTheLastByteOfAMessageIsAnswered) {
    Work work({20ms, 3});
    const nio::TimePoint before = nio::Clock::now();
    EXPECT_THAT(pieces(work, "abc"), ElementsAre("abc"));
    EXPECT_GE(nio::Clock::now() - before, 20ms);
}

TEST(ParseWork, KnowsNoneAndATimeToBlock) {
    EXPECT_EQ(parseWork("none"), 0us);
    EXPECT_EQ(parseWork("block:1ms"), 1000us);
    EXPECT_EQ(parseWork("block:250us"), 250us);
}

TEST(ParseWork, RefusesWhatIsNoTime) {
    for (const char* text : {"", "block", "block:", "block:ms", "block:1", "block:1s", "block:0ms",
                             "block:-1ms", "block:1msx", "none "}) {
        EXPECT_EQ(parseWork(text), std::nullopt) << text;
    }
}

}  // namespace
