#include "common/Quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apps {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::HasSubstr;

TEST(Quantity, ReadsATimeInAnyUnitAndAPlainNumberAsSeconds) {
    const std::pair<const char*, nanoseconds> times[] = {
        {"3", 3s},      {"0.5", 500ms}, {"1.5s", 1500ms}, {"500ms", 500ms},
        {"50us", 50us}, {"50µs", 50us}, {"800ns", 800ns}, {"2m", 2min},
        {"2min", 2min}, {"1h", 1h},     {"0", 0ns},       {"0s", 0ns},
        {".5", 500ms},  {"1e-3", 1ms},  {"0.3", 300ms},   {"1000000", 1'000'000s},
        {"2d", 48h}};
    for (const auto& [text, time] : times) {
        const auto parsed = parseDuration(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(parsed.value(), time) << text;
    }
}

TEST(Quantity, KeepsATimeThatIsNotZeroAboveZero) {
    EXPECT_EQ(parseDuration("0.0000000001").value(), 1ns);
}

TEST(Quantity, ReadsARateWithAndWithoutPerSecond) {
    const std::pair<const char*, double> rates[] = {{"1000", 1e3}, {"1k", 1e3},    {"2.5M", 2.5e6},
                                                    {"5k/s", 5e3}, {"0.5/s", 0.5}, {"1G", 1e9},
                                                    {"1e3/s", 1e3}};
    for (const auto& [text, rate] : rates) {
        const auto parsed = parseRate(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_DOUBLE_EQ(parsed.value(), rate) << text;
    }
}

TEST(Quantity, ReadsACountInThousandsAndInPowersOfTwo) {
    const std::pair<const char*, std::uint64_t> counts[] = {{"0", 0},
                                                            {"010", 10},
                                                            {"64", 64},
                                                            {"4k", 4'000},
                                                            {"4Ki", 4'096},
                                                            {"2.3k", 2'300},
                                                            {"1M", 1'000'000},
                                                            {"1Mi", 1'048'576},
                                                            {"1.5k", 1'500},
                                                            {"2G", 2'000'000'000},
                                                            {"1Gi", 1'073'741'824},
                                                            {"9007199254740992", 1ull << 53}};
    for (const auto& [text, count] : counts) {
        const auto parsed = parseCount(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(parsed.value(), count) << text;
    }
}

TEST(Quantity, ReadsANumber) {
    EXPECT_EQ(parseNumber("0").value(), 0);
    EXPECT_EQ(parseNumber("0.25").value(), 0.25);
    EXPECT_EQ(parseNumber("10k").value(), 10'000);
}

template <class T>
void expectRefused(nio::Result<T> (*parse)(const std::string&), const std::string& text) {
    const auto parsed = parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.error().is(std::errc::invalid_argument) ||
                parsed.error().is(std::errc::result_out_of_range));
    EXPECT_THAT(parsed.error().context(), HasSubstr("'" + text + "'"));
}

TEST(Quantity, RefusesWhatIsNoQuantityAndQuotesIt) {
    for (const char* text : {"", " 1", "1 ", "-1", "+1", "nan", "inf", "0x10", "1e400", "s", "k",
                             "1x", "1kk", "1,5", "ten"}) {
        expectRefused(&parseDuration, text);
        expectRefused(&parseRate, text);
        expectRefused(&parseCount, text);
        expectRefused(&parseNumber, text);
    }
}

TEST(Quantity, RefusesTheUnitsOfOtherQuantities) {
    for (const char* text : {"1k", "1M", "1/s", "1S", "1msg"}) expectRefused(&parseDuration, text);
    for (const char* text : {"1s", "1ms", "1Ki", "1/m", "/s"}) expectRefused(&parseRate, text);
    for (const char* text : {"1s", "1/s", "1.5", "1.0005k"}) expectRefused(&parseCount, text);
    for (const char* text : {"1ms", "1/s", "1Ki"}) expectRefused(&parseNumber, text);
}

TEST(Quantity, RefusesWhatIsOutsideTheBoundsAndNamesThem) {
    EXPECT_EQ(parseDurationWithin(1ms, 2s, "1ms").value(), 1ms);
    EXPECT_EQ(parseDurationWithin(1ms, 2s, "2").value(), 2s);
    for (const char* text : {"999us", "2001ms", "366d"}) {
        EXPECT_EQ(parseDurationWithin(1ms, 2s, text).error().context(),
                  "'" + std::string(text) + "' is out of range: 1ms to 2s");
    }
    EXPECT_EQ(parseCountWithin(1, 10'000, "10k").value(), 10'000u);
    for (const char* text : {"0", "10001"}) {
        EXPECT_EQ(parseCountWithin(1, 10'000, text).error().context(),
                  "'" + std::string(text) + "' is out of range: 1 to 10000");
    }
    EXPECT_EQ(parseNumberWithin(1, 1e6, "1.5").value(), 1.5);
    for (const char* text : {"0.9", "2M"}) {
        EXPECT_EQ(parseNumberWithin(1, 1e6, text).error().context(),
                  "'" + std::string(text) + "' is out of range: 1 to 1M");
    }
}

TEST(Quantity, RefusesWhatIsOutOfItsRange) {
    expectRefused(&parseDuration, "36501d");
    expectRefused(&parseDuration, "1e18");
    expectRefused(&parseRate, "0");
    expectRefused(&parseRate, "1.1G");
    expectRefused(&parseCount, "9007199254740994");
    expectRefused(&parseNumber, "1e19");
}

TEST(Quantity, WritesATimeSoThatItCanBeReadAgain) {
    const std::pair<nanoseconds, const char*> times[] = {{0s, "0s"},         {90s, "90s"},
                                                         {1500ms, "1500ms"}, {20ms, "20ms"},
                                                         {150us, "150us"},   {7ns, "7ns"}};
    for (const auto& [time, text] : times) {
        EXPECT_EQ(writeDuration(time), text);
        EXPECT_EQ(parseDuration(text).value(), time);
    }
}

TEST(Quantity, WritesANumberSoThatItCanBeReadAgain) {
    const std::pair<double, const char*> numbers[] = {
        {0, "0"},       {0.5, "0.5"},      {999, "999"}, {1e3, "1k"},
        {2500, "2.5k"}, {1.25e6, "1.25M"}, {2e9, "2G"}};
    for (const auto& [number, text] : numbers) {
        EXPECT_EQ(writeNumber(number), text);
        EXPECT_EQ(parseNumber(text).value(), number);
    }
}

TEST(Quantity, NamesTheRangeOfTheOptionHoweverLargeTheValueIs) {
    EXPECT_THAT(parseCountWithin(0, 1'024, "1e17").error().context(), HasSubstr(": 0 to 1024"));
    EXPECT_THAT(parseDurationWithin(0s, 1h, "40000d").error().context(), HasSubstr("to 3600s"));
}

TEST(Quantity, TakesNoCountForItsNeighbour) {
    expectRefused(&parseCount, "9007199254740993");
    expectRefused(&parseCount, "1099511627776.5");
}

}  // namespace
}  // namespace apps
