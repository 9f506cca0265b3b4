#include "echo_client/verdict/Verdict.h"

#include <algorithm>
#include <cmath>

#include "echo_client/figures/Units.h"

namespace load {

namespace {

using Runs = std::vector<const LoadResult*>;

// The run that decides. A count is no sample of anything: the first run that misses does. The same
// for what is no number, and cannot be put in order.
const LoadResult& decisive(const Requirement& requirement, Runs runs) {
    for (const LoadResult* run : runs) {
        const bool isMissed = requirement.isCount() && !requirement.isMetBy(*run);
        if (isMissed || std::isnan(requirement.valueIn(*run))) return *run;
    }
    std::sort(runs.begin(), runs.end(), [&](const LoadResult* a, const LoadResult* b) {
        return requirement.valueIn(*a) < requirement.valueIn(*b);
    });
    // Of an even number, the worse one of the two in the middle.
    return *runs[requirement.isUpperBound() ? runs.size() / 2 : (runs.size() - 1) / 2];
}

Verdict::Check checkOf(const Requirement& requirement, const Runs& runs) {
    const LoadResult& run = decisive(requirement, runs);
    // Percentiles know nothing of what was never sent.
    const bool blind = requirement.isTime() && run.total.unsent > 0;
    const std::string found =
        requirement.describe(run) + (blind ? ", but not all messages were sent" : "");
    return {requirement.toString(), found, requirement.isMetBy(run) && !blind};
}

// Whether the server is to blame: a run whose generator stood still proves nothing against it.
bool isServersFault(const Requirement& requirement, const Runs& runs) {
    Runs steady;
    for (const LoadResult* run : runs) {
        if (run->standstill().empty()) steady.push_back(run);
    }
    return !steady.empty() && !checkOf(requirement, steady).met;
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
    return nothing ? "no echo was received in the measured time" : "";
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
    std::vector<Requirement> wanted = options.requirements;
    if (options.findMax) wanted.insert(wanted.begin(), *options.findMax);
    Runs all;
    for (const LoadResult& run : runs) all.push_back(&run);
    bool serversFault = false;
    for (const Requirement& requirement : wanted) {
        verdict.checks.push_back(checkOf(requirement, all));
        if (verdict.checks.back().met) continue;
        serversFault = serversFault || isServersFault(requirement, all);
    }
    const auto wrong = [](const LoadResult& run) { return wrongAnswer(run.total.errors); };
    verdict.add(exitWrongAnswer, firstOf(runs, wrong));
    verdict.add(exitIo,
                firstOf(runs, [&](const LoadResult& run) { return ioError(options, run); }));
    verdict.add(exitSaturated,
                firstOf(runs, [](const LoadResult& run) { return run.saturation(); }));
    const std::string complaint = missed(verdict.checks);
    if (complaint.empty() || serversFault) {
        verdict.add(exitRequirementMissed, complaint);
    } else {
        const auto still = [](const LoadResult& run) { return run.standstill(); };
        verdict.add(exitSaturated, firstOf(runs, still) + "; " + complaint);
    }
    return verdict;
}

Verdict Verdict::ofSearch(const LoadOptions& options, const LoadResult& best,
                          const std::vector<SearchStep>& steps) {
    Verdict verdict = of(options, best);
    const bool generatorsFault = !steps.empty() && steps.back().generatorsFault;
    verdict.add(generatorsFault ? exitSaturated : exitRequirementMissed, missedAtAllRates(steps));
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
