#include "echo_client/plan/Lifetime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace load {
namespace {

using namespace std::chrono_literals;

TEST(Lifetime, IsUnlimitedUnlessToldOtherwise) {
    EXPECT_FALSE(Lifetime().isLimited());
    EXPECT_EQ(Lifetime().toString(), "");
}

TEST(Lifetime, IsATimeOrMessagesOrBoth) {
    const Lifetime time = Lifetime::parse("500ms").orThrow();
    EXPECT_TRUE(time.isLimited());
    EXPECT_EQ(time.time, 500ms);
    EXPECT_EQ(time.messages, 0u);
    const Lifetime messages = Lifetime::parse("10kmsg").orThrow();
    EXPECT_TRUE(messages.isLimited());
    EXPECT_EQ(messages.time, 0ns);
    EXPECT_EQ(messages.messages, 10'000u);
    const Lifetime both = Lifetime::parse("100msg,2").orThrow();
    EXPECT_EQ(both.time, 2s);
    EXPECT_EQ(both.messages, 100u);
}

TEST(Lifetime, IsWrittenSoThatItCanBeReadAgain) {
    for (const char* text : {"500ms", "100msg", "2s,100msg"}) {
        EXPECT_EQ(Lifetime::parse(text).orThrow().toString(), text);
    }
}

TEST(Lifetime, RefusesWhatIsNone) {
    for (const char* text :
         {"", "0", "0s", "0msg", "msg", "1.5msg", "-1", "1s,2s", "1msg,2msg", "1s,", "long"}) {
        const auto lifetime = Lifetime::parse(text);
        ASSERT_FALSE(lifetime) << text;
        EXPECT_EQ(lifetime.error().context().find(std::string("'") + text + "' "), 0u);
    }
}

std::map<CloseWay, int> drawn(const CloseMix& mix, int times) {
    Random random(3, 4);
    std::map<CloseWay, int> counts;
    for (int i = 0; i < times; ++i) ++counts[mix.draw(random)];
    return counts;
}

TEST(CloseMix, IsCleanUnlessToldOtherwise) {
    EXPECT_EQ(drawn(CloseMix(), 1'000)[CloseWay::clean], 1'000);
    EXPECT_EQ(CloseMix().toString(), "clean");
}

TEST(CloseMix, ClosesInOneWayWhereOneIsWritten) {
    EXPECT_EQ(drawn(CloseMix::parse("rst").orThrow(), 1'000)[CloseWay::reset], 1'000);
    EXPECT_EQ(drawn(CloseMix::parse("half:3").orThrow(), 1'000)[CloseWay::half], 1'000);
}

TEST(CloseMix, ClosesByWeight) {
    constexpr int times = 30'000;
    auto counts = drawn(CloseMix::parse("rst:20,clean:50,half:30").orThrow(), times);
    for (const auto& [way, share] :
         {std::pair(CloseWay::clean, 0.5), {CloseWay::reset, 0.2}, {CloseWay::half, 0.3}}) {
        EXPECT_NEAR(counts[way], times * share, 5 * std::sqrt(times * share * (1 - share)));
    }
}

TEST(CloseMix, IsWrittenSoThatItCanBeReadAgain) {
    for (const char* text : {"clean", "rst", "half", "clean:80,rst:20", "clean:1,rst:2,half:0.5"}) {
        EXPECT_EQ(CloseMix::parse(text).orThrow().toString(), text);
    }
}

TEST(CloseMix, RefusesWhatIsNoMix) {
    for (const char* text : {"", "fin", "clean:0", "clean,rst:20", "clean:80,"}) {
        const auto mix = CloseMix::parse(text);
        ASSERT_FALSE(mix) << text;
        EXPECT_FALSE(mix.error().context().empty());
    }
}

}  // namespace
}  // namespace load
