#include "echo_client/report/LiveView.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "apps/echo_client/report/SomeSample.h"
#include "apps/echo_client/report/Terminal.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A screen on a terminal of that size.
class LiveScreenOn {
  public:
    LiveScreenOn(std::size_t columns, std::size_t rows, bool colours = false)
        : size_{columns, rows},
          terminal_(columns, rows),
          screen_(
              out_, [this] { return size_; }, colours) {}

    Terminal& after(const Sample& sample) {
        screen_.observed(sample);
        return take();
    }
    Terminal& over() {
        screen_.over();
        return take();
    }
    const std::string& written() const { return written_; }
    // The terminal is resized first: what was on its way to it is drawn for the old size.
    Terminal& resizeTerminal(std::size_t columns, std::size_t rows) {
        terminal_.resize(columns, rows);
        return terminal_;
    }
    void resize(std::size_t columns, std::size_t rows) {
        resizeTerminal(columns, rows);
        size_ = {columns, rows};
    }

  private:
    Terminal& take() {
        written_ = out_.str();
        out_.str("");
        terminal_.write(written_);
        return terminal_;
    }

    TerminalSize size_;
    Terminal terminal_;
    std::ostringstream out_;
    std::string written_;
    LiveScreen screen_;
};

TEST(LiveScreen, ShowsHowTheLoadGoes) {
    LiveScreenOn screen(80, 12);
    EXPECT_THAT(screen.after(halfDone()).lines(),
                ElementsAre("measuring   [###############               ]  50 %, 5.0 s left",
                            "echoes/s    1500        █", "MB/s        1.50 each way",
                            "latency     p50 40.0 µs  p90 40.0 µs  p99 40.0 µs  max 40.0 µs",
                            "connections 10 of 10", "errors      none",
                            "load-1      [########                      ]  25 % busy",
                            "load-2      [############################# ]  95 % busy",
                            "p50         40.0 µs     █", "p99         40.0 µs     █",
                            "≥ 39.8 µs   [##############################]  100.0 %"));
}

// A second in which 900 of 1,000 answers took 1 ms, and the others 20 ms.
Sample withATail(std::chrono::milliseconds tail = 20ms) {
    Sample sample = halfDone();
    sample.interval = 1s;
    sample.latency = {};
    sample.latency.recordTimes(1ms, 900);
    sample.latency.recordTimes(tail, 100);
    return sample;
}

TEST(LiveScreen, ShowsLatencyOverTimeWhereThereIsRoom) {
    LiveScreenOn screen(80, 40);
    screen.after(withATail(10ms));
    Sample unanswered = withATail();
    unanswered.latency = {};
    screen.after(unanswered);
    const auto lines = screen.after(withATail()).lines();
    EXPECT_EQ(lines[8], "p50         1.00 ms     █ █");
    EXPECT_EQ(lines[9], "p99         20.0 ms     ▅ █");
}

TEST(LiveScreen, ShowsAHistogramAsFineAsThereIsRoom) {
    const auto histogram = [](std::size_t rows) {
        LiveScreenOn screen(80, rows);
        const auto lines = screen.after(withATail()).lines();
        return std::vector<std::string>(lines.begin() + std::min<std::ptrdiff_t>(10, lines.size()),
                                        lines.end());
    };
    EXPECT_THAT(histogram(10), IsEmpty());
    EXPECT_THAT(histogram(12), IsEmpty()) << "two bins at least";
    EXPECT_THAT(histogram(13), ElementsAre("≥ 1.00 ms   [##############################]  90.0 %",
                                           "≥ 10.0 ms   [###                           ]  10.0 %"));
    const auto fine = histogram(60);
    ASSERT_THAT(fine, SizeIs(27));
    EXPECT_EQ(fine.front(), "≥ 1.00 ms   [##############################]  90.0 %");
    EXPECT_EQ(fine[1], "≥ 1.12 ms   [                              ]  0.0 %");
    EXPECT_EQ(fine.back(), "≥ 20.0 ms   [###                           ]  10.0 %");
}

TEST(LiveScreen, ShowsHowManyConnectionsThereAre) {
    LiveScreenOn screen(80, 24);
    EXPECT_THAT(screen.after(stillConnecting()).lines(),
                ElementsAre("connecting  [#####                         ]  17 of 100"));
}

TEST(LiveScreen, IsRedrawnInPlaceAndNeverScrolls) {
    LiveScreenOn screen(80, 24);
    screen.after(stillConnecting());
    const auto lines = screen.after(halfDone()).lines();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(screen.after(halfDone()).isCursorHome());
    EXPECT_EQ(screen.after(halfDone()).scrolled(), 0u);
    EXPECT_THAT(screen.after(halfDone()).lines(), SizeIs(lines.size()));
}

TEST(LiveScreen, LeavesNothingBehind) {
    LiveScreenOn screen(80, 24);
    screen.after(halfDone());
    EXPECT_THAT(screen.over().lines(), IsEmpty());
    EXPECT_TRUE(screen.over().isCursorHome());
    EXPECT_EQ(screen.written(), "");
}

TEST(LiveScreen, FitsIntoTheSmallestTerminal) {
    for (const std::size_t columns : {1u, 2u, 5u, 20u, 40u, 200u}) {
        for (const std::size_t rows : {1u, 2u, 5u, 9u}) {
            LiveScreenOn screen(columns, rows, true);
            for (int i = 0; i < 50; ++i) screen.after(halfDone());
            EXPECT_EQ(screen.after(halfDone()).scrolled(), 0u) << columns << " x " << rows;
            EXPECT_THAT(screen.after(halfDone()).lines(), SizeIs(testing::Lt(rows)));
        }
    }
}

TEST(LiveScreen, FollowsTheTerminalsSize) {
    LiveScreenOn screen(80, 24);
    screen.after(halfDone());
    screen.resize(20, 5);
    EXPECT_THAT(screen.after(halfDone()).lines(),
                ElementsAre("measuring   [######", "echoes/s    1500", "MB/s        1.50 ea",
                            "latency     p50 40."));
}

// The lines of a terminal that always had this size, after so many samples.
std::vector<std::string> linesOn(std::size_t columns, std::size_t rows, int samples) {
    LiveScreenOn screen(columns, rows);
    for (int i = 1; i < samples; ++i) screen.after(halfDone());
    return screen.after(halfDone()).lines();
}

TEST(LiveScreen, LeavesNoOldLineOnAResizedTerminal) {
    for (const std::size_t columns : {10u, 30u, 79u, 120u}) {
        for (const std::size_t rows : {3u, 10u, 40u}) {
            LiveScreenOn screen(80, 24);
            screen.after(halfDone());
            screen.resize(columns, rows);
            EXPECT_EQ(screen.after(halfDone()).lines(), linesOn(columns, rows, 2));
            screen.resize(80, 24);
            screen.after(halfDone());
            screen.resizeTerminal(columns, rows);
            screen.after(halfDone());
            screen.resize(columns, rows);
            EXPECT_EQ(screen.after(halfDone()).lines(), linesOn(columns, rows, 5));
        }
    }
}

TEST(LiveScreen, LeavesNothingOnATerminalResizedAtTheEnd) {
    LiveScreenOn screen(80, 24);
    screen.after(halfDone());
    screen.resizeTerminal(30, 24);
    screen.after(halfDone());
    screen.resize(30, 24);
    EXPECT_THAT(screen.over().lines(), IsEmpty());
}

TEST(LiveScreen, ShowsManyDispatchersAsFarAsThereIsRoom) {
    Sample sample = halfDone();
    sample.dispatchers.assign(64, {"load-1", 0.5});
    EXPECT_THAT(LiveScreenOn(80, 24).after(sample).lines(), SizeIs(23));
}

TEST(LiveScreen, ShowsTheDispatchersOfAgentsByTheirNames) {
    Sample sample = halfDone();
    sample.dispatchers = {{"10.0.0.9:7070 load-1", 0.5}, {"10.0.0.10:7070 load-1", 0.5}};
    LiveScreenOn screen(80, 24);
    const auto lines = screen.after(sample).lines();
    ASSERT_THAT(lines, SizeIs(testing::Gt(8)));
    EXPECT_EQ(lines[6], "10.0.0.9:7070 load-1  [###############               ]  50 % busy");
    EXPECT_EQ(lines[7], "10.0.0.10:7070 load-1 [###############               ]  50 % busy");
}

TEST(LiveScreen, ShowsTheLastSecondAndTheCurveOfAllSamples) {
    LiveScreenOn screen(80, 24);
    Sample sample = halfDone();
    sample.interval = 250ms;
    for (const std::uint64_t answered : {100u, 200u, 300u, 400u, 800u}) {
        sample.answered = answered;
        screen.after(sample);
    }
    EXPECT_EQ(screen.after(sample).lines()[1], "echoes/s    2300        ▂▃▄▅██");
}

TEST(LiveScreen, UsesColoursOnlyWhereTheyAreWanted) {
    LiveScreenOn plain(80, 24, false);
    plain.after(halfDone());
    EXPECT_THAT(plain.written(), Not(testing::ContainsRegex("\x1b\\[[0-9]*m")));
    LiveScreenOn coloured(80, 24, true);
    coloured.after(halfDone());
    EXPECT_THAT(coloured.written(), HasSubstr("\x1b[31m"));
    EXPECT_EQ(coloured.after(halfDone()).lines(), plain.after(halfDone()).lines());
}

TEST(LiveScreen, ShowsErrors) {
    Sample sample = halfDone();
    sample.errors = 12;
    EXPECT_EQ(LiveScreenOn(80, 24).after(sample).lines()[5], "errors      12");
}

TEST(LiveScreen, SaysWhatIsBeyondTheHistogramsRange) {
    Sample sample = halfDone();
    sample.latency.recordTimes(70s, 1000);
    EXPECT_EQ(LiveScreenOn(80, 24).after(sample).lines()[3],
              "latency     p50 40.0 µs  p90 > 60 s   p99 > 60 s   max 70.0 s");
    EXPECT_THAT(ProgressLine::toString(sample), HasSubstr("p99 > 60 s"));
}

TEST(LiveScreen, IsAProgressLineWhereThereIsNoTerminal) {
    std::ostringstream out;
    const auto view = makeLiveView(out, out, -1);
    EXPECT_NE(dynamic_cast<ProgressLine*>(view.get()), nullptr);
}

// --- where it is no terminal ---------------------------------------------------------------

TEST(ProgressLine, IsALineOfItsOwnEachSecond) {
    std::ostringstream out;
    {
        ProgressLine line(out);
        EXPECT_EQ(line.cadence(), 1s);
        line.observed(halfDone());
        line.observed(halfDone());
        line.over();
    }
    const std::string one =
        "echo-client: 50 %  1500 echoes/s  1.50 MB/s  p50 40.0 µs  p99 40.0 µs\n";
    EXPECT_EQ(out.str(), one + one);
}

TEST(ProgressLine, TellsWhatTheUserShouldSeeNow) {
    std::ostringstream out;
    ProgressLine line(out);
    line.told("waiting");
    EXPECT_EQ(out.str(), "echo-client: waiting\n");
}

TEST(ProgressLine, CountsConnectionsUntilTheyAreAllThere) {
    EXPECT_EQ(ProgressLine::toString(stillConnecting()), "connecting: 17 of 100 connections");
}

TEST(ProgressLine, KnowsNoLatencyWithoutAnAnswer) {
    Sample sample = halfDone();
    sample.answered = sample.bytes = 0;
    sample.latency = {};
    EXPECT_EQ(ProgressLine::toString(sample), "50 %  0 echoes/s  0.00 MB/s  no latency");
}

TEST(ProgressLine, CountsConnectsWithoutBytes) {
    Sample sample = halfDone();
    sample.noun = "connects";
    sample.ways = "";
    EXPECT_EQ(ProgressLine::toString(sample), "50 %  1500 connects/s  p50 40.0 µs  p99 40.0 µs");
    const auto lines = LiveScreenOn(80, 24).after(sample).lines();
    EXPECT_THAT(lines[1], testing::StartsWith("connects/s  1500"));
    EXPECT_THAT(lines[2], testing::StartsWith("latency"));
}

TEST(ProgressLine, TellsErrorsAtOnce) {
    Sample sample = halfDone();
    sample.errors = 3;
    EXPECT_THAT(ProgressLine::toString(sample), testing::EndsWith("  3 errors"));
}

}  // namespace
}  // namespace load
