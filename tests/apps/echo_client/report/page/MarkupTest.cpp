#include "echo_client/report/page/Markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace load::page;
using testing::HasSubstr;
using testing::Not;

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

TEST(Markup, EscapesWhatWouldLeaveTextOrAttribute) {
    EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    EXPECT_EQ(escape("µ ✓"), "µ ✓");
}

TEST(Markup, ReplacesControlCharacters) {
    EXPECT_EQ(escape(std::string_view("a\0b\x1b", 4)), "a\uFFFDb\uFFFD");
    EXPECT_EQ(escape("a\n\tb"), "a\n\tb");
}

TEST(Markup, ClosesAnElementByItsNameAlone) {
    EXPECT_EQ(element("p class=\"x\"", "y"), "<p class=\"x\">y</p>");
}

TEST(Markup, GroupsLongNumbers) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Markup, WritesRatesTimesAndTicksShort) {
    EXPECT_EQ(rateText(12.5), "12.5");
    EXPECT_EQ(rateText(12345.4), "12,345");
    EXPECT_EQ(timeText(31200), "31.2 µs");
    EXPECT_EQ(tickNumber(2500), "2.5k");
    EXPECT_EQ(tickNumber(0.3), "0.3");
    EXPECT_EQ(tickNumber(1e7), "10M");
    EXPECT_EQ(tickTime(10'000), "10 µs");
    EXPECT_EQ(tickTime(5e8), "500 ms");
    EXPECT_EQ(percentText(0.125, 1), "12.5 %");
}

TEST(Markup, HasADashForWhatIsNoNumber) {
    for (const double value : {notANumber, endless, -endless}) {
        EXPECT_EQ(rateText(value), "–");
        EXPECT_EQ(timeText(value), value == endless ? "> 60 s" : "–");
        EXPECT_EQ(tickNumber(value), "–");
        EXPECT_EQ(percentText(value, 0), "–");
    }
    EXPECT_THAT(rateText(1e300), Not(HasSubstr("-")));
    EXPECT_THAT(timeText(1e300), Not(HasSubstr("-")));
}

TEST(MarkupTable, NamesColumnsAndRowsForThoseWhoHearIt) {
    const std::string table = Table("Cap<", {"a&b", ""}).row({"first", "<2>"}).toString();
    EXPECT_THAT(table, HasSubstr("<caption>Cap&lt;</caption>"));
    EXPECT_THAT(table, HasSubstr("<th scope=\"col\">a&amp;b</th><td></td>"));
    EXPECT_THAT(table, HasSubstr("<th scope=\"row\">first</th><td>&lt;2&gt;</td>"));
}

TEST(MarkupTable, MarksYesAndNo) {
    const std::string table = Table("", {}).row({"a", "✓ met", "✗ missed"}).toString();
    EXPECT_THAT(table, HasSubstr("<td class=\"yes\">✓ met</td><td class=\"no\">✗ missed</td>"));
    EXPECT_THAT(table, Not(HasSubstr("thead")));
}

}  // namespace
