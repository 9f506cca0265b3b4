#include "echo_client/verdict/Verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LoadOptions requiring(const std::vector<std::string>& requirements) {
    LoadOptions options;
    for (const auto& text : requirements) {
        options.requirements.push_back(Requirement::parse(text).orThrow());
    }
    return options;
}

// An open loop without any trouble: 100 echoes that took 1 ms.
LoadResult goodResult() {
    LoadResult result;
    result.openLoop = true;
    result.measured = 1s;
    for (int i = 0; i < 100; ++i) {
        result.total.latency.record(1ms);
        result.total.lateness.record(10us);
        ++result.total.inTime;
    }
    result.dispatchers.push_back({"load-0", 0.2});
    return result;
}

void addWrongAnswer(LoadResult& result) {
    result.total.errors.corrupted = 1;
    result.total.errors.wrongAnswerExample = "connection 3: not what was sent";
}

void addIoError(LoadResult& result) {
    result.total.errors.reset = 2;
}

void beLate(LoadResult& result) {
    result.dispatchers.push_back({"load-1", 0.95});
}

void slowDown(LoadResult& result) {
    result.total.latency.recordTimes(9ms, 100);
    result.total.inTime = 200;
}

void slowDownLate(LoadResult& result) {
    slowDown(result);
    beLate(result);
}

void standStill(LoadResult& result) {
    result.total.stoodStill = 2100ms;
}

const std::vector<std::string> fast{"p99<2ms"};

TEST(Verdict, BlamesNoServerWhileTheGeneratorStoodStill) {
    LoadResult result = goodResult();
    standStill(result);
    EXPECT_EQ(Verdict::of(requiring(fast), result).exitCode, exitPass) << "kept all the same";
    slowDown(result);
    const Verdict verdict = Verdict::of(requiring(fast), result);
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_THAT(verdict.complaint, HasSubstr("the generator was late: the generator stood still "
                                             "for 2.10 s; requirement missed: p99<2ms"));
}

TEST(Verdict, ExcusesNothingThatSteadyRunsMissedToo) {
    std::vector<LoadResult> runs(3, goodResult());
    standStill(runs[0]);
    for (LoadResult& run : runs) slowDown(run);
    EXPECT_EQ(Verdict::ofAll(requiring(fast), runs).exitCode, exitRequirementMissed);
    runs[1] = runs[2] = goodResult();
    addIoError(runs[2]);
    EXPECT_EQ(Verdict::ofAll(requiring({"errors=0"}), runs).exitCode, exitRequirementMissed);
}

// One that the steady run missed, too, is the server's fault, whatever else was missed.
TEST(Verdict, ExcusesWhatOnlyRunsThatStoodStillMissed) {
    std::vector<LoadResult> runs(3, goodResult());
    for (const std::size_t i : {0u, 1u}) {
        standStill(runs[i]);
        slowDown(runs[i]);
    }
    const Verdict verdict = Verdict::ofAll(requiring(fast), runs);
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_FALSE(verdict.checks[0].met);
    const Verdict both = Verdict::ofAll(requiring({"p99<2ms", "p50<1ns"}), runs);
    EXPECT_EQ(both.exitCode, exitRequirementMissed);
}

TEST(Verdict, IsAPassWhereNothingIsWrong) {
    const Verdict verdict = Verdict::of(requiring({"p99<2ms", "errors=0"}), goodResult());
    EXPECT_EQ(verdict.exitCode, exitPass);
    EXPECT_THAT(verdict.complaint, IsEmpty());
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_EQ(verdict.checks[0].requirement, "p99<2ms");
    EXPECT_EQ(verdict.checks[0].found, "p99 = 1.00 ms");
    EXPECT_TRUE(verdict.checks[0].met);
    EXPECT_EQ(verdict.checks[1].found, "errors = 0");
}

struct Trouble {
    const char* name;
    void (*make)(LoadResult&);
    int exitCode;
    const char* complaint;
};

// The gravest first.
const std::vector<Trouble> troubles{
    {"wrong answer", addWrongAnswer, 3, "wrong answer: connection 3: not what was sent"},
    {"I/O error", addIoError, 1, "2 reset"},
    {"missed", slowDown, 4, "requirement missed: p99<2ms (p99 = 9.00 ms)"},
    {"unknown", slowDownLate, 5, "cannot tell: the generator was late: load-1 was 95 % busy"}};

TEST(Verdict, NamesEachTroubleByItsExitCode) {
    for (const Trouble& trouble : troubles) {
        LoadResult result = goodResult();
        trouble.make(result);
        const Verdict verdict = Verdict::of(requiring(fast), result);
        EXPECT_EQ(verdict.exitCode, trouble.exitCode) << trouble.name;
        EXPECT_THAT(verdict.complaint, HasSubstr(trouble.complaint));
    }
}

TEST(Verdict, IsThatOfTheGravestTrouble) {
    for (std::size_t graver = 0; graver + 1 < troubles.size(); ++graver) {
        LoadResult result = goodResult();
        for (std::size_t i = graver; i + 1 < troubles.size(); ++i) {
            troubles[i].make(result);
        }
        const Verdict verdict = Verdict::of(requiring(fast), result);
        EXPECT_EQ(verdict.exitCode, troubles[graver].exitCode) << troubles[graver].name;
        EXPECT_FALSE(verdict.checks[0].met);
    }
}

TEST(Verdict, NamesEveryRequirementThatWasMissed) {
    LoadResult result = goodResult();
    slowDown(result);
    const Verdict verdict = Verdict::of(requiring({"p99<2ms", "min<=1ms", "rate>1k/s"}), result);
    EXPECT_EQ(verdict.complaint,
              "requirement missed: p99<2ms (p99 = 9.00 ms); rate>1k/s (rate = 200/s)");
}

TEST(Verdict, CountsTheErrorsThatARequirementAllows) {
    LoadResult result = goodResult();
    addIoError(result);
    EXPECT_EQ(Verdict::of(requiring({"errors<=2"}), result).exitCode, exitPass);
    EXPECT_EQ(Verdict::of(requiring({"errors<2"}), result).exitCode, exitRequirementMissed);
    EXPECT_EQ(Verdict::of(requiring({"lost=0"}), result).exitCode, exitIo);
}

TEST(Verdict, AllowsNoWrongAnswer) {
    LoadResult result = goodResult();
    addWrongAnswer(result);
    EXPECT_EQ(Verdict::of(requiring({"errors<=2", "corrupted<=2"}), result).exitCode,
              exitWrongAnswer);
}

TEST(Verdict, FailsWhereNoEchoCameBack) {
    LoadResult nothing;
    const Verdict verdict = Verdict::of(requiring({"errors<=9"}), nothing);
    EXPECT_EQ(verdict.exitCode, exitIo);
    EXPECT_EQ(verdict.complaint, "no echo was received in the measured time");
    nothing.total.errors.connectFailed(
        nio::Error(std::errc::connection_refused, "connect to 127.0.0.1:1"));
    EXPECT_EQ(Verdict::of(requiring({"errors<=9"}), nothing).complaint,
              "connect to 127.0.0.1:1: Connection refused");
}

TEST(Verdict, IsAPassWithAWarningWhereALateGeneratorKeptAll) {
    LoadResult result = goodResult();
    beLate(result);
    const Verdict verdict = Verdict::of(requiring(fast), result);
    EXPECT_EQ(verdict.exitCode, exitPass);
    EXPECT_EQ(verdict.warning,
              "the generator was late: load-1 was 95 % busy; the latency includes it");
    EXPECT_EQ(Verdict::of(requiring({}), result).exitCode, exitPass) << "nothing was required";
    EXPECT_EQ(Verdict::of(requiring(fast), goodResult()).warning, "");
}

TEST(Verdict, SaysWhatToDoWhereItCannotTell) {
    LoadOptions options = requiring(fast);
    LoadResult result = goodResult();
    slowDownLate(result);
    const Verdict verdict = Verdict::of(options, result);
    EXPECT_FALSE(verdict.checks[0].met);
    EXPECT_FALSE(verdict.checks[0].isKnown);
    EXPECT_THAT(verdict.complaint,
                testing::EndsWith("use fewer connections, more --threads, or another machine"));
    options.spin = 50us;
    EXPECT_THAT(Verdict::of(options, result).complaint, HasSubstr("--busy-poll 0"));
}

TEST(Verdict, ExcusesNoErrorsByALateGenerator) {
    LoadResult result = goodResult();
    beLate(result);
    addIoError(result);
    EXPECT_EQ(Verdict::of(requiring({"errors=0"}), result).exitCode, exitRequirementMissed);
}

TEST(Verdict, KnowsThatAServerMissedWhatRunsInTimeMissedToo) {
    std::vector<LoadResult> runs(3, goodResult());
    for (LoadResult& run : runs) slowDown(run);
    beLate(runs[0]);
    EXPECT_EQ(Verdict::ofAll(requiring(fast), runs).exitCode, exitRequirementMissed);
}

TEST(Verdict, NamesAnOutageBeforeItsErrors) {
    LoadResult result = goodResult();
    addIoError(result);
    result.total.outages.add({2s, 3s, 2, 4, 50});
    const Verdict verdict = Verdict::of(requiring({}), result);
    EXPECT_EQ(verdict.exitCode, exitIo);
    EXPECT_EQ(verdict.complaint,
              "outage from 2.00 s for 1.00 s, 2 connections: 4 messages lost, 50 sent late");
}

TEST(Verdict, DoesNotCallAClosedLoopLate) {
    LoadResult result = goodResult();
    result.openLoop = false;
    beLate(result);
    EXPECT_EQ(Verdict::of(requiring(fast), result).exitCode, exitPass);
}

TEST(Verdict, ChecksWhatASearchLookedFor) {
    LoadOptions options;
    options.findMax = Requirement::parse("p99<2ms").orThrow();
    LoadResult result = goodResult();
    EXPECT_EQ(Verdict::of(options, result).exitCode, exitPass);
    slowDown(result);
    const Verdict verdict = Verdict::of(options, result);
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    ASSERT_EQ(verdict.checks.size(), 1u);
    EXPECT_EQ(verdict.checks[0].requirement, "p99<2ms");
}

// --- a search -------------------------------------------------------------------------------

SearchStep stepAt(double rate, bool held, bool late) {
    SearchStep step;
    step.rate = rate;
    step.held = held;
    step.generatorsFault = late;
    if (late) step.obstacle = "load-1 was 95 % busy";
    return step;
}

LoadResult bestAt(double rate) {
    LoadResult best = goodResult();
    best.offered = rate;
    return best;
}

TEST(Verdict, SaysThatTheGeneratorWasTheLimitOfASearch) {
    const Verdict verdict = Verdict::ofSearch(
        LoadOptions(), bestAt(100),
        {stepAt(100, true, false), stepAt(200, false, true), stepAt(400, false, false)});
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_THAT(verdict.complaint,
                HasSubstr("cannot tell: the generator was late: load-1 was 95 % busy at 200/s; the "
                          "highest rate is at least 100/s; use fewer connections"));
}

TEST(Verdict, ComplainsOnceWhereItCannotTell) {
    LoadResult best = bestAt(100);
    beLate(best);
    const Verdict verdict = Verdict::ofSearch(LoadOptions(), best,
                                              {stepAt(100, true, false), stepAt(200, false, true)});
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_THAT(verdict.warning, IsEmpty());
}

TEST(Verdict, BlamesTheServerIfItFailedAtALowerRate) {
    const Verdict verdict = Verdict::ofSearch(
        LoadOptions(), bestAt(100),
        {stepAt(100, true, false), stepAt(400, false, true), stepAt(200, false, false)});
    EXPECT_EQ(verdict.exitCode, exitPass);
}

TEST(Verdict, DoesNotBlameTheGeneratorForWhatHeldInTheEnd) {
    const Verdict verdict = Verdict::ofSearch(LoadOptions(), bestAt(100),
                                              {stepAt(50, false, true), stepAt(100, true, false)});
    EXPECT_EQ(verdict.exitCode, exitPass);
}

TEST(Verdict, IsNoPassWhereNoRateOfASearchHeld) {
    SearchStep behind = stepAt(100, false, false);
    behind.obstacle = "only 70/s were answered in time";
    const Verdict verdict = Verdict::ofSearch(LoadOptions(), bestAt(100), {behind});
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    EXPECT_EQ(verdict.complaint, "no rate held; at 100/s only 70/s were answered in time");
}

TEST(Verdict, BlamesNoServerWhereTheLastRunOfASearchStoodStill) {
    SearchStep still = stepAt(100, false, true);
    still.obstacle = "the generator stood still for 2.10 s";
    EXPECT_EQ(Verdict::ofSearch(LoadOptions(), bestAt(100), {still}).exitCode, exitCannotTell);
}

TEST(Verdict, CountsTheWrongAnswersOfOtherRuns) {
    LoadResult other;
    addWrongAnswer(other);
    LoadResult best = goodResult();
    addIoError(best);
    Verdict verdict = Verdict::of(LoadOptions(), best);
    verdict.addWrongAnswers(LoadErrors());
    EXPECT_EQ(verdict.exitCode, exitIo);
    verdict.addWrongAnswers(other.total.errors);
    EXPECT_EQ(verdict.exitCode, exitWrongAnswer);
    EXPECT_EQ(verdict.complaint, "wrong answer: connection 3: not what was sent");
}

// --- several runs ---------------------------------------------------------------------------

TEST(Verdict, TakesTheGravestTroubleOfSeveralRuns) {
    for (const Trouble& trouble : troubles) {
        if (trouble.exitCode == exitRequirementMissed || trouble.exitCode == exitCannotTell) {
            continue;
        }
        std::vector<LoadResult> runs(5, goodResult());
        trouble.make(runs[3]);
        beLate(runs[4]);
        EXPECT_EQ(Verdict::ofAll(requiring(fast), runs).exitCode, trouble.exitCode);
    }
}

TEST(Verdict, TakesTheMedianOfATimeInSeveralRuns) {
    std::vector<LoadResult> runs(5, goodResult());
    slowDown(runs[0]);
    slowDown(runs[4]);
    EXPECT_EQ(Verdict::ofAll(requiring(fast), runs).exitCode, exitPass);
    slowDown(runs[2]);
    const Verdict verdict = Verdict::ofAll(requiring(fast), runs);
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    EXPECT_EQ(verdict.checks[0].found, "p99 = 9.00 ms");
}

TEST(Verdict, WantsACountToHoldInEveryRun) {
    std::vector<LoadResult> runs(5, goodResult());
    addIoError(runs[2]);
    const Verdict verdict = Verdict::ofAll(requiring({"errors=0"}), runs);
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    EXPECT_EQ(verdict.checks[0].found, "errors = 2");
}

TEST(Verdict, MissesATimeThatOneRunDoesNotHave) {
    std::vector<LoadResult> runs(3, goodResult());
    const Verdict verdict = Verdict::ofAll(requiring({"connect.p99<1s"}), runs);
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    EXPECT_THAT(verdict.complaint, Not(IsEmpty()));
}

TEST(Verdict, CountsUnsentMessagesAgainstAPercentile) {
    LoadResult result = goodResult();
    result.total.unsent = 1;
    const Verdict verdict = Verdict::of(requiring({"p99<2ms"}), result);
    EXPECT_EQ(verdict.exitCode, exitRequirementMissed);
    EXPECT_EQ(verdict.checks[0].found, "p99 = 1.00 ms, but not all messages were sent");
}

TEST(Verdict, CountsAllowedErrorsAgainstAPercentile) {
    LoadResult result = goodResult();
    result.total.errors.timedOut = result.total.unanswered = 3;
    const Verdict verdict = Verdict::of(requiring({"p99<2ms", "errors<100"}), result);
    EXPECT_EQ(verdict.complaint, "requirement missed: p99<2ms (p99 = never (3 unanswered))");
}

TEST(Verdict, TakesTheWorseMiddleRunOfAnEvenNumber) {
    LoadResult slow = goodResult();
    LoadResult quick = goodResult();
    quick.total.inTime = 10'000;
    quick.total.latency.recordTimes(9ms, 1000);
    EXPECT_FALSE(Verdict::ofAll(requiring({"rate>=1k"}), {quick, slow}).checks[0].met);
    EXPECT_FALSE(Verdict::ofAll(requiring({"p99<2ms"}), {slow, quick}).checks[0].met);
}

}  // namespace
}  // namespace load
