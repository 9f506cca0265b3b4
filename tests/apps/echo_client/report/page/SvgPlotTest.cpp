#include "echo_client/report/page/SvgPlot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace load::page;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using Ends = PlotScale::Ends;

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();

SvgPlot plot() {
    return {"A \"plot\"",
            {PlotScale::linear(0, 10, Ends::exact), "x <title>", {{0, "0"}, {10, "ten"}}},
            {PlotScale::logarithmic(1, 100, Ends::exact), "y", {{1, "1"}, {100, "100"}}}};
}

std::string after(SvgPlot changed, const auto& change) {
    change(changed);
    return changed.toString();
}

TEST(SvgPlot, DrawsALineThroughItsSpots) {
    const std::string svg = after(plot(), [](SvgPlot& p) {
        p.addLine("p99", "run0", {{0, 1}, {5, 10}, {10, 100}});
    });
    EXPECT_THAT(svg, HasSubstr("class=\"line run0\" data-name=\"p99\" data-points=\"3\" "
                               "d=\"M0 1000L500 500L1000 0\""));
}

TEST(SvgPlot, LeavesAGapWhereALineHasNoValue) {
    const std::string svg = after(plot(), [](SvgPlot& p) {
        p.addLine("l", "s", {{0, 1}, {1, 1}, {2, 0}, {3, noNumber}, {5, 10}, {10, 10}});
    });
    EXPECT_THAT(svg, HasSubstr("data-points=\"4\" d=\"M0 1000L100 1000M500 500L1000 500\""));
}

TEST(SvgPlot, DotsSpotsThatAreFewOrAlone) {
    std::vector<Spot> many;
    for (int i = 0; i < 50; ++i) many.push_back({i / 5.0, 10});
    const auto drawn = [&] { return after(plot(), [&](SvgPlot& p) { p.addLine("l", "", many); }); };
    EXPECT_THAT(drawn(), Not(HasSubstr("<circle")));
    many[10].y = many[12].y = 0;
    EXPECT_THAT(drawn(), HasSubstr("cx=\"22.00%\" cy=\"50.00%\""));
    many.resize(1);
    EXPECT_THAT(drawn(), HasSubstr("cx=\"0.00%\" cy=\"50.00%\""));
}

TEST(SvgPlot, StepsToTheRightEndOfEachSpot) {
    const std::string svg = after(plot(), [](SvgPlot& p) {
        p.addSteps("l", "s", {{5, 1}, {10, 100}});
    });
    EXPECT_THAT(svg, HasSubstr("data-points=\"2\" d=\"M0 1000H500V0H1000\""));
}

TEST(SvgPlot, FillsBetweenTwoLinesPieceByPiece) {
    const std::string svg = after(plot(), [](SvgPlot& p) {
        p.addBand("b", {{0, 10}, {1, 10}, {2, noNumber}, {10, 10}},
                  {{0, 1}, {1, 1}, {2, 1}, {10, 1}});
    });
    EXPECT_THAT(svg, HasSubstr("d=\"M0 500L100 500L100 1000L0 1000ZM1000 500L1000 1000Z\""));
}

TEST(SvgPlot, KeepsTheFiguresOfABar) {
    const std::string svg = after(plot(), [](SvgPlot& p) { p.addBar("run0", 1, 2, 10, "<b>"); });
    EXPECT_THAT(svg, HasSubstr("<rect class=\"bar run0\" x=\"100\" width=\"100\" y=\"500\" "
                               "height=\"500\" data-from=\"1.000\" data-to=\"2.000\" "
                               "data-value=\"10.000000\"><title>&lt;b&gt;</title></rect>"));
}

TEST(SvgPlot, SaysWhatItShowsToThoseWhoDoNotSeeIt) {
    EXPECT_THAT(plot().toString(), HasSubstr("role=\"img\" aria-label=\"A &quot;plot&quot;\""));
    EXPECT_THAT(plot().toString(), HasSubstr(">x &lt;title&gt;</text>"));
}

TEST(SvgPlot, LabelsItsTicksInTheirPlaces) {
    EXPECT_THAT(plot().toString(), HasSubstr("y=\"100%\" dy=\"18\" x=\"100.00%\">ten</text>"));
    EXPECT_THAT(plot().toString(), HasSubstr("dy=\"0.32em\" y=\"0.00%\">100</text>"));
}

TEST(SvgPlot, LeavesOutOverlappingLabels) {
    const auto labels = [](double low, double high, const std::vector<Tick>& ticks) {
        const PlotScale scale = PlotScale::logarithmic(low, high, Ends::exact);
        return SvgPlot("p", {scale, "x", ticks}, {scale, "y", {}}).toString();
    };
    const std::string crowded =
        labels(83, 483, {{100, "100 µs"}, {200, "200 µs"}, {300, "300 µs"}, {400, "400 µs"}});
    for (const char* shown : {"100 µs", "200 µs", "400 µs"}) {
        EXPECT_THAT(crowded, ContainsRegex("class=\"x\"[^>]*>" + std::string(shown)));
    }
    EXPECT_THAT(crowded, ContainsRegex("class=\"x spare\"[^>]*>300 µs"));
    const std::string roomy = labels(1, 10000, {{1, "1"}, {10, "2"}, {100, "3"}, {1000, "4"}});
    EXPECT_THAT(roomy, Not(HasSubstr("spare")));
}

}  // namespace
