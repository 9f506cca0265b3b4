#include "echo_client/verdict/Verdict.h"

#include <algorithm>
#include <cmath>

#include "echo_client/figures/Units.h"

namespace load {

namespace {

// The run that decides. A count is no sample of anything: the first run that misses does. The same
// for what is no number, and cannot be put in order.
const LoadResult& decisive(const Requirement& requirement, const std::vector<LoadResult>& runs) {
    std::vector<const LoadResult*> order;
    for (const LoadResult& run : runs) {
        const bool isMissed = requirement.isCount() && !requirement.isMetBy(run);
        if (isMissed || std::isnan(requirement.valueIn(run))) return run;
        order.push_back(&run);
    }
    std::sort(order.begin(), order.end(), [&](const LoadResult* a, const LoadResult* b) {
        return requirement.valueIn(*a) < requirement.valueIn(*b);
    });
    // Of an even number, the worse one of the two in the middle.
    return *order[requirement.isUpperBound() ? order.size() / 2 : (order.size() - 1) / 2];
}

std::vector<Verdict::Check> checksOf(const LoadOptions& options,
                                     const std::vector<LoadResult>& runs) {
    std::vector<Requirement> wanted = options.requirements;
    if (options.findMax) wanted.insert(wanted.begin(), *options.findMax);
    std::vector<Verdict::Check> checks;
    for (const Requirement& requirement : wanted) {
        const LoadResult& run = decisive(requirement, runs);
        // Percentiles know nothing of what was never sent.
        const bool blind = requirement.isTime() && run.total.unsent > 0;
        const std::string found =
            requirement.describe(run) + (blind ? ", but not all were sent" : "");
        checks.push_back({requirement.toString(), found, requirement.isMetBy(run) && !blind});
    }
    return checks;
}

template <class F>
std::string firstOf(const std::vector<LoadResult>& runs, F&& complaintOf) {
    for (const LoadResult& run : runs) {
        if (std::string complaint = complaintOf(run); !complaint.empty()) return complaint;
    }
    return {};
}

std::string wrongAnswer(const LoadErrors& errors) {
    if (errors.wrongAnswers() == 0) return {};
    return "wrong answer: " +
           (errors.wrongAnswerExample.empty() ? errors.toString() : errors.wrongAnswerExample);
}

std::string ioError(const LoadOptions& options, const LoadResult& result) {
    const LoadErrors& errors = result.total.errors;
    const bool nothing = result.total.latency.count() == 0;
    const bool allowed = std::any_of(options.requirements.begin(), options.requirements.end(),
                                     [](const Requirement& each) { return each.allowsErrors(); });
    if (errors.total() > 0 && (nothing || !allowed)) {
        return errors.connectExample.empty() ? errors.toString() : errors.connectExample;
    }
    return nothing ? "no echo came back in the measured time" : "";
}

std::string missed(const std::vector<Verdict::Check>& checks) {
    std::string text;
    for (const Verdict::Check& check : checks) {
        if (check.met) continue;
        text += (text.empty() ? "requirement missed: " : "; ") + check.requirement + " (" +
                check.found + ")";
    }
    return text;
}

// What a run misses while its generator stood still may be no fault of the server's.
std::string excused(const std::string& missed, const std::vector<LoadResult>& runs) {
    if (missed.empty()) return {};
    const std::string standstill =
        firstOf(runs, [](const LoadResult& run) { return run.standstill(); });
    return standstill.empty() ? "" : standstill + "; " + missed;
}

std::string missedAtAllRates(const std::vector<SearchStep>& steps) {
    const auto held = [](const SearchStep& step) { return step.held; };
    if (steps.empty() || std::any_of(steps.begin(), steps.end(), held)) return {};
    return "no rate held; at " + fixed(steps.back().rate, 0) + "/s " + steps.back().obstacle;
}

// The one with the least rate of those that failed beyond the best: it bounds the result.
const SearchStep* bound(const LoadResult& best, const std::vector<SearchStep>& steps) {
    const SearchStep* found = nullptr;
    for (const SearchStep& step : steps) {
        if (step.held || step.rate <= best.offered) continue;
        if (found == nullptr || step.rate < found->rate) found = &step;
    }
    return found;
}

}  // namespace

bool isGraver(int exitCode, int than) {
    constexpr int order[] = {exitPass, exitRequirementMissed, exitSaturated, exitIo,
                             exitWrongAnswer};
    return std::find(std::begin(order), std::end(order), exitCode) >
           std::find(std::begin(order), std::end(order), than);
}

Verdict Verdict::of(const LoadOptions& options, const LoadResult& result) {
    return ofAll(options, {result});
}

Verdict Verdict::ofAll(const LoadOptions& options, const std::vector<LoadResult>& runs) {
    Verdict verdict;
    verdict.checks = checksOf(options, runs);
    const auto wrong = [](const LoadResult& run) { return wrongAnswer(run.total.errors); };
    verdict.add(exitWrongAnswer, firstOf(runs, wrong));
    verdict.add(exitIo,
                firstOf(runs, [&](const LoadResult& run) { return ioError(options, run); }));
    verdict.add(exitSaturated,
                firstOf(runs, [](const LoadResult& run) { return run.saturation(); }));
    const std::string complaint = missed(verdict.checks);
    verdict.add(exitSaturated, excused(complaint, runs));
    verdict.add(exitRequirementMissed, complaint);
    return verdict;
}

Verdict Verdict::ofSearch(const LoadOptions& options, const LoadResult& best,
                          const std::vector<SearchStep>& steps) {
    Verdict verdict = of(options, best);
    verdict.add(exitRequirementMissed, missedAtAllRates(steps));
    const SearchStep* const limit = bound(best, steps);
    if (verdict.exitCode != exitPass || limit == nullptr || !limit->generatorsFault) return verdict;
    verdict.add(exitSaturated, "the highest rate is at least " + fixed(best.offered, 0) +
                                   "/s; beyond it " + limit->obstacle);
    return verdict;
}

void Verdict::add(ExitCode code, const std::string& trouble) {
    if (trouble.empty() || !isGraver(code, exitCode)) return;
    exitCode = code;
    complaint = trouble;
}

void Verdict::addWrongAnswers(const LoadErrors& errors) {
    add(exitWrongAnswer, wrongAnswer(errors));
}

}  // namespace load
