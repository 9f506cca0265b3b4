#include "echo_client/report/Comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace load {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// As many runs as rates; a p99 of 1 ms.
EarlierRun runs(const std::string& name, const std::vector<double>& rates) {
    EarlierRun made;
    made.name = name;
    made.load = {{"connections", "50"}, {"size", "64"}};
    for (const double rate : rates) {
        EarlierRun::Run run;
        run.perSecond = rate;
        run.echoes = 1000;
        for (const char* time : {"min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"}) {
            run.times[time] = 1000;
        }
        made.runs.push_back(run);
    }
    return made;
}

EarlierRun slower(EarlierRun run, double micros) {
    for (EarlierRun::Run& one : run.runs) one.times["p99"] = micros;
    return run;
}

const std::vector<double> six{100, 101, 102, 103, 104, 105};
const std::vector<double> sixFaster{110, 111, 112, 113, 114, 115};

Comparison::Row rowOf(const Comparison& comparison, const std::string& figure) {
    for (const Comparison::Row& row : comparison.rows) {
        if (row.figure == figure) return row;
    }
    return {"none", "", ""};
}

LoadOptions requiring(const std::string& text) {
    LoadOptions options;
    options.requirements.push_back(Requirement::parse(text).orThrow());
    return options;
}

TEST(Comparison, HasADifferenceOfEachFigure) {
    const auto made = Comparison::of(runs("a.json", {100}), slower(runs("b.json", {96}), 1250));
    EXPECT_EQ(rowOf(made, "rate").before, "100/s");
    EXPECT_EQ(rowOf(made, "rate").now, "96.0/s");
    EXPECT_EQ(rowOf(made, "rate").change, "-4.0 %");
    EXPECT_EQ(rowOf(made, "p99").change, "+25.0 %");
    EXPECT_EQ(rowOf(made, "p50").change, "+0.0 %");
    EXPECT_EQ(rowOf(made, "errors").now, "0");
    EXPECT_EQ(rowOf(made, "server CPU").figure, "none") << "neither run has it";
}

TEST(Comparison, OfSingleRunsHasNoConfidence) {
    const auto made = Comparison::of(runs("a.json", {100}), runs("b.json", six));
    EXPECT_EQ(rowOf(made, "rate").interval, "");
    EXPECT_EQ(rowOf(made, "rate").verdict, "");
    EXPECT_THAT(made.notes, ElementsAre("differences have no confidence: a.json has 1 run; "
                                        "--repeat 6 or more on both sides gives it"));
}

TEST(Comparison, OfRepeatsSaysWhatIsSure) {
    const auto made = Comparison::of(runs("a.json", six), runs("b.json", sixFaster));
    EXPECT_EQ(rowOf(made, "rate").interval, "+4.8 % to +15.0 %");
    EXPECT_EQ(rowOf(made, "rate").verdict, "better");
    EXPECT_EQ(rowOf(made, "p99").verdict, "within noise");
    EXPECT_THAT(made.heading, HasSubstr("with 94 % confidence"));
    EXPECT_THAT(made.notes, IsEmpty());
    const auto other = Comparison::of(runs("b.json", sixFaster), runs("a.json", six));
    EXPECT_EQ(rowOf(other, "rate").verdict, "worse");
    const auto late = Comparison::of(runs("a.json", six), slower(runs("b.json", six), 2000));
    EXPECT_EQ(rowOf(late, "p99").verdict, "worse");
}

TEST(Comparison, SaysWhatMakesItUnfair) {
    EarlierRun other = runs("b.json", six);
    other.load["size"] = "512";
    other.runs[0].wasLate = true;
    EXPECT_THAT(Comparison::of(runs("a.json", six), other).notes,
                ElementsAre("not the same load: size 64 and 512",
                            "the generator of b.json was late, which its times include"));
}

TEST(Comparison, HasTheErrorsOfARunInTheMean) {
    EarlierRun before = runs("a.json", six);
    before.runs[0].errors = 9;
    EarlierRun now = runs("b.json", {100});
    now.runs[0].errors = 3;
    EXPECT_EQ(rowOf(Comparison::of(before, now), "errors").before, "1.5");
    EXPECT_EQ(rowOf(Comparison::of(before, now), "errors").now, "3");
}

TEST(Comparison, FitsIntoEightyColumns) {
    const std::string text =
        Comparison::of(slower(runs("before.json", {1e6, 2e6, 1e6, 1e6, 1e6, 1e6}), 3e7),
                       slower(runs(std::string(60, 'x'), {1, 2, 1, 1, 1, 9e6}), 1))
            .toText();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Comparison, KeepsSpaceBetweenLongFigures) {
    const auto made = Comparison::of(runs("a.json", six), slower(runs("b.json", six), 15'643));
    EXPECT_THAT(made.toText(), HasSubstr("+1464 %   +1464 % to +1464 %    worse\n"));
}

TEST(Comparison, OfARunWithoutAnswersHasNoTimes) {
    EarlierRun silent = runs("b.json", {0});
    for (auto& [name, time] : silent.runs[0].times) time = std::nan("");
    const auto made = Comparison::of(runs("a.json", {100}), silent);
    EXPECT_EQ(rowOf(made, "p99").now, "none");
    EXPECT_EQ(rowOf(made, "p99").change, "");
    EXPECT_EQ(rowOf(made, "rate").change, "");
}

TEST(Comparison, BoundsRequirementsByTheEarlierRun) {
    LoadOptions options = requiring("p99<=before+10%");
    const EarlierRun before = runs("a.json", {100});
    EXPECT_FALSE(settleRequirements(options.requirements, {before}));
    const auto judged = [&options](double micros) {
        return judge(options, slower(runs("b.json", {100}), micros)).orThrow();
    };
    EXPECT_EQ(judged(1090).exitCode, exitPass);
    EXPECT_EQ(judged(1200).exitCode, exitRequirementMissed);
    EXPECT_EQ(judged(1200).complaint,
              "requirement missed: p99<=before+10% (p99 = 1.20 ms (before: 1.00 ms))");
}

TEST(Comparison, FindsARunNoWorseThanItself) {
    const EarlierRun run = runs("a.json", six);
    for (const char* text : {"rate>=before", "rate<=before", "p99<=before", "errors<=before"}) {
        LoadOptions options = requiring(text);
        EXPECT_FALSE(settleRequirements(options.requirements, {run}));
        EXPECT_EQ(judge(options, run).orThrow().exitCode, exitPass) << text;
    }
}

TEST(Comparison, NeedsTheFigureInTheEarlierRun) {
    LoadOptions options = requiring("service.p99<=before");
    EXPECT_EQ(settleRequirements(options.requirements, {runs("a.json", {100})}),
              "--require service.p99<=before: a.json has no service.p99");
    const auto verdict = judge(requiring("lost=0"), runs("b.json", {100}));
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().context(), "--require lost=0: b.json has no lost");
    EarlierRun unanswered = runs("b.json", {100});
    unanswered.runs[0].unanswered = 1;
    EXPECT_EQ(judge(requiring("p95<1s"), unanswered).error().context(),
              "--require p95<1s: b.json has no p95 that counts its unanswered messages");
}

TEST(Comparison, JudgesARunByItsOwnTroubleToo) {
    EarlierRun run = runs("b.json", {100});
    const auto judged = [&run](int exitCode, const std::string& requirement) {
        run.exitCode = exitCode;
        return judge(requiring(requirement), run).orThrow();
    };
    EXPECT_EQ(judged(exitWrongAnswer, "p99<2ms").exitCode, exitWrongAnswer);
    EXPECT_EQ(judged(exitWrongAnswer, "p99<2ms").complaint,
              "b.json: its run ended with exit code 3: wrong answers");
    EXPECT_EQ(judged(exitIo, "p99<1us").exitCode, exitIo) << "graver than what is missed";
    EXPECT_EQ(judged(exitRequirementMissed, "p99<2ms").exitCode, exitPass)
        << "what the run had to keep is not asked here";
}

TEST(Comparison, CannotTellWhereOnlyALateRunMisses) {
    EarlierRun run = slower(runs("b.json", {100}), 5000);
    run.runs[0].wasLate = true;
    const Verdict verdict = judge(requiring("p99<2ms"), run).orThrow();
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_THAT(verdict.complaint, HasSubstr("that of b.json; unknown: p99<2ms"));
    run.runs[0].unsent = 1;
    EXPECT_EQ(judge(requiring("unsent=0"), run).orThrow().exitCode, exitRequirementMissed);
    run.runs[0].stoodStill = 2;
    EXPECT_EQ(judge(requiring("unsent=0"), run).orThrow().exitCode, exitCannotTell);
}

}  // namespace
}  // namespace load
