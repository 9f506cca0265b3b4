#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "apps/echo_client/report/page/PageReader.h"
#include "echo_client/report/page/Page.h"

namespace {

using namespace load;
using namespace page_reader;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LoadReport searchOf(std::vector<SearchStep> steps) {
    LoadReport searched;
    searched.options.findMax = Requirement::parse("p99<5ms").orThrow();
    searched.search = std::move(steps);
    return searched;
}

std::string pageOf(const LoadReport& report) {
    return "<html>" + page::search(report) + "</html>";
}

TEST(SearchPath, IsEmptyWithoutASearch) {
    EXPECT_EQ(page::search(LoadReport()), "");
}

TEST(SearchPath, ShowsTheRunsInOrder) {
    LoadReport searched =
        searchOf({{1000, 999, "p99 = 1 ms", true, "", false, 1e6},
                  {2000, 1999, "p99 = 1 ms", true, "", false, 1e6},
                  {4000, 3000, "p99 = 9 ms", false, "rate <missed>", false, 9e6}});
    const std::string html = pageOf(searched);
    EXPECT_EQ(countOf("<g class=\"mark met\">", html), 2U);
    EXPECT_EQ(countOf("<g class=\"mark failed\">", html), 1U);
    EXPECT_THAT(html, HasSubstr(": 2,000 per second."));
    EXPECT_THAT(html, HasSubstr("<td>rate &lt;missed&gt;</td>"));
    searched.search = {{1000, 999, "p99 = 9 ms", false, "", false, 9e6}};
    EXPECT_EQ(brokenNesting(pageOf(searched)), "");
    EXPECT_THAT(pageOf(searched), HasSubstr("No rate met"));
}

TEST(SearchPath, DrawsTheFigureAgainstTheRate) {
    const std::string html = pageOf(searchOf({{1000, 999, "p99 = 1 ms", true, "", false, 1e6},
                                              {4000, 3000, "p99 = 9 ms", false, "", false, 1e7},
                                              {2000, 1999, "p99 = 2 ms", true, "", false, 1e6}}));
    // From 0 to 4,000 per second and from 1 ms to 10 ms.
    EXPECT_THAT(tagsOf(html, "p99").at(0), HasSubstr("d=\"M250 1000L500 1000L1000 0\""));
    EXPECT_THAT(tagsOf(html, "p99&lt;5ms"), testing::SizeIs(1));
    EXPECT_THAT(tagsOf(html, "best").at(0), HasSubstr("d=\"M500 1000L500 0\""));
    EXPECT_THAT(html, AllOf(HasSubstr("p99 against rate: 3 runs, best 2,000 per second"),
                            HasSubstr("<title>run 2, 4,000/s: p99 = 9 ms, missed</title>"),
                            Not(HasSubstr("At the top"))));
}

TEST(SearchPath, TellsApartWhatALateGeneratorSpoiled) {
    const std::string html =
        pageOf(searchOf({{1000, 999, "p99 = 1 ms", true, "", false, 1e6},
                         {2000, 1999, "p99 = 9 ms", false, "late", true, 9e6}}));
    EXPECT_EQ(countOf("<g class=\"mark unknown\">", html), 1U);
    EXPECT_EQ(countOf("<g class=\"mark failed\">", html), 0U);
    EXPECT_EQ(linesOf(html, "p99").at(0), (Drawn{1, 1}));
    EXPECT_THAT(html, HasSubstr("<td>⚠ unknown</td><td>late</td>"));
}

TEST(SearchPath, DrawsAFigureOfNothingAtTheBottom) {
    const std::string html = pageOf(searchOf({{1000, 999, "p99 = 1 ms", true, "", false, 1e6},
                                              {2000, 1999, "p99 = 0 ns", true, "", false, 0}}));
    EXPECT_EQ(linesOf(html, "p99").at(0), (Drawn{2, 2}));
    EXPECT_THAT(html, Not(HasSubstr("At the top")));
}

TEST(SearchPath, MarksWhatWasNotAllAnsweredAtTheTop) {
    const std::string html = pageOf(searchOf(
        {{1000, 999, "p99 = 1 ms", true, "", false, 1e6},
         {2000, 90, "p99 = never", false, "", false, std::numeric_limits<double>::infinity()},
         {3000, 0, "p99 = none", false, "", false, std::numeric_limits<double>::quiet_NaN()}}));
    EXPECT_EQ(brokenNesting(html), "");
    EXPECT_FALSE(hasWord(html, "nan") || hasWord(html, "inf"));
    EXPECT_EQ(linesOf(html, "p99").at(0), (Drawn{1, 1}));
    EXPECT_EQ(countOf("y=\"0.00%\" overflow=\"visible\"><g class=\"mark failed\">", html), 2U);
    EXPECT_THAT(html, HasSubstr(" At the top: messages without an answer."));
}

}  // namespace
