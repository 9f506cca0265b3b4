#include "echo_client/verdict/Verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/verdict/SomeResult.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Verdict, BlamesNoServerWhileTheGeneratorStoodStill) {
    LoadResult result = goodResult();
    standStill(result);
    EXPECT_EQ(Verdict::of(requiring(fast), result).exitCode, exitPass) << "kept all the same";
    slowDown(result);
    const Verdict verdict = Verdict::of(requiring(fast), result);
    EXPECT_EQ(verdict.exitCode, exitCannotTell);
    EXPECT_THAT(verdict.complaint, HasSubstr("the generator was late: the generator stood still "
                                             "for 2.10 s; unknown: p99<2ms"));
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
    result.total.outages.add({100ms, 200ms, 2, 4, 50});
    result.total.outages.add({400ms, 500ms, 2, 4, 50});
    const Verdict verdict = Verdict::of(requiring({}), result);
    EXPECT_EQ(verdict.exitCode, exitIo);
    EXPECT_EQ(verdict.complaint,
              "2 outages, the first from 100 ms for 100 ms, 2 connections: 4 messages unanswered, "
              "50 sent late; most frequent error: 2 reset");
}

TEST(Verdict, FailsWhereAnOutageIsNotOverAtTheEnd) {
    LoadResult result = goodResult();
    result.warmup = 500ms;
    result.total.errors.closedEarly = 4;
    result.total.outages.add({1s, 1400ms, 4, 0, 50});
    const LoadOptions lenient = requiring({"errors<100"});
    EXPECT_EQ(Verdict::of(lenient, result).exitCode, exitPass) << "it is over";
    result.total.outages.add({1s, 1500ms, 4, 0, 50});
    const Verdict verdict = Verdict::of(lenient, result);
    EXPECT_EQ(verdict.exitCode, exitIo);
    EXPECT_THAT(verdict.complaint, testing::StartsWith("outage from 1.00 s for 500 ms, "));
    EXPECT_THAT(verdict.complaint, testing::EndsWith("not over at the end; most frequent error: 4 "
                                                     "closed early"));
}

TEST(Verdict, SaysOnlyThatTlsHandshakesFailed) {
    LoadResult result = goodResult();
    result.total.errors.other["TLS: certificate verify failed"] = 7;
    result.total.errors.reset = 2;
    result.total.outages.add({0s, 1s, 4, 0, 0});
    EXPECT_EQ(Verdict::of(requiring({}), result).complaint, "7 TLS: certificate verify failed");
}

TEST(Verdict, FailsWhereMessagesWereNotSent) {
    LoadOptions options = requiring({"errors<100"});
    options.messages = 101;
    LoadResult result = goodResult();
    result.total.sent = 100;
    const Verdict verdict = Verdict::of(options, result);
    EXPECT_EQ(verdict.exitCode, exitIo);
    EXPECT_EQ(verdict.complaint, "only 100 of 101 messages were sent");
    result.interrupted = true;
    EXPECT_EQ(Verdict::of(options, result).exitCode, exitPass) << "its user has ended it";
    result.interrupted = false;
    result.total.sent = 101;
    EXPECT_EQ(Verdict::of(options, result).exitCode, exitPass);
}

TEST(Verdict, TakesNoLowerBoundForMetByALateRun) {
    LoadResult late = goodResult();
    slowDownLate(late);
    for (const char* bound : {"p99>5ms", "p99=9ms"}) {
        const Verdict verdict = Verdict::of(requiring({bound}), late);
        EXPECT_EQ(verdict.exitCode, exitCannotTell) << bound;
        EXPECT_FALSE(verdict.checks[0].met);
        EXPECT_THAT(verdict.complaint, HasSubstr("busy; unknown: p99"));
    }
    EXPECT_EQ(Verdict::of(requiring({"p99>10ms"}), late).exitCode, exitRequirementMissed);
    LoadResult steady = goodResult();
    slowDown(steady);
    EXPECT_EQ(Verdict::ofAll(requiring({"p99>5ms"}), {late, steady}).exitCode, exitPass);
}

TEST(Verdict, ExcusesNoLatenessByLateness) {
    LoadResult result = goodResult();
    beLate(result);
    result.total.lateness.recordTimes(5ms, 100);
    EXPECT_EQ(Verdict::of(requiring({"lateness.p99<1ms"}), result).exitCode, exitRequirementMissed);
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
