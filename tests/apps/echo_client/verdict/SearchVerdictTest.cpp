// What the verdict of a search is, and whose fault it was that a rate did not hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/echo_client/verdict/SomeResult.h"

namespace load {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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
    EXPECT_EQ(verdict.complaint, "missed at every rate; at 100/s only 70/s were answered in time");
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

}  // namespace
}  // namespace load
