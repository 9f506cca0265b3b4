#include "echo_client/verdict/Verdict.h"

#include <algorithm>
#include <cmath>

#include "common/Units.h"

namespace load {

namespace {

using Found = Verdict::Found;

// The run that decides. A count is no sample of anything: the first run that misses does. The same
// for what is no number, and cannot be put in order.
const Found& decisive(const Requirement& requirement, std::vector<Found>& runs) {
    for (const Found& run : runs) {
        const bool isMissed = requirement.isCount() && !run.isMet;
        if (isMissed || std::isnan(run.value)) return run;
    }
    std::sort(runs.begin(), runs.end(),
              [](const Found& a, const Found& b) { return a.value < b.value; });
    // Of an even number, the worse one of the two in the middle.
    return runs[requirement.isUpperBound() ? runs.size() / 2 : (runs.size() - 1) / 2];
}

Verdict::Check checkOf(const Requirement& requirement, std::vector<Found> runs) {
    const Found& run = decisive(requirement, runs);
    return {requirement.toString(), run.text, run.isMet};
}

// What a late generator may have caused. Errors are not made by messages that leave a little late;
// and where its lateness itself is required, that is what is measured.
std::string excuseFor(const Requirement& requirement, const LoadResult& run) {
    if (requirement.figure().starts_with("lateness.")) return {};
    return requirement.isCount() ? run.standstill() : run.lateness();
}

Found foundIn(const Requirement& requirement, const LoadResult& run) {
    // Percentiles know nothing of what was never sent.
    const bool blind = requirement.isTime() && run.total.unsent > 0;
    return {requirement.valueIn(run),
            requirement.describe(run) + (blind ? ", but not all messages were sent" : ""),
            requirement.isMetBy(run) && !blind, !excuseFor(requirement, run).empty()};
}

// Lateness makes times longer, which hides what an upper bound would show and keeps a lower one.
bool mayBeThanksToLateness(const Requirement& requirement, bool met) {
    if (met) return requirement.isTime() && !requirement.isUpperBound();
    const bool isLowerBound = requirement.toString().find('>') != std::string::npos;
    return !(requirement.isTime() && isLowerBound);
}

std::string cannotTell(const LoadOptions& options, const std::string& why) {
    return "cannot tell: the generator was late: " + why +
           "; use fewer connections, more --threads, " +
           (options.spin.count() > 0 ? "--busy-poll 0, " : "") + "or another machine";
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

struct Cause {
    std::size_t count = 0;
    std::string what;
};

Cause mostFrequent(const LoadErrors& errors) {
    Cause most;
    const auto consider = [&most](std::size_t count, const std::string& what) {
        if (count > most.count) most = {count, what};
    };
    for (const auto& [reason, count] : errors.connect) consider(count, "connect: " + reason);
    consider(errors.reset, "reset");
    consider(errors.closedEarly, "closed early");
    consider(errors.timedOut, "timed out");
    for (const auto& [reason, count] : errors.other) consider(count, reason);
    return most;
}

// Connections that end in their TLS handshake were never up: that is no outage.
std::string withCause(const std::string& outage, const LoadErrors& errors) {
    const Cause cause = mostFrequent(errors);
    const std::string text = std::to_string(cause.count) + " " + cause.what;
    if (cause.what.starts_with("TLS")) return text;
    return cause.count == 0 ? outage : outage + "; most frequent error: " + text;
}

std::string outages(const LoadFigures& total) {
    const std::vector<Outage>& all = total.outages.all();
    if (all.empty()) return "";
    return withCause(
        (all.size() == 1 ? "outage " : std::to_string(all.size()) + " outages, the first ") +
            toString(all.front()),
        total.errors);
}

// The server did not come back.
std::string openOutage(const LoadResult& result) {
    for (const Outage& outage : result.total.outages.all()) {
        if (outage.to < result.warmup + result.measured) continue;
        return withCause("outage " + toString(outage) + ", not over at the end",
                         result.total.errors);
    }
    return "";
}

std::string tooFew(const LoadOptions& options, const LoadResult& result) {
    if (result.interrupted || result.total.sent >= options.messages) return "";
    return "only " + std::to_string(result.total.sent) + " of " + std::to_string(options.messages) +
           " messages were sent";
}

std::string ioError(const LoadOptions& options, const LoadResult& result) {
    if (std::string text = openOutage(result); !text.empty()) return text;
    const LoadErrors& errors = result.total.errors;
    const bool nothing = result.total.latency.count() == 0;
    const bool allowed = std::any_of(options.requirements.begin(), options.requirements.end(),
                                     [](const Requirement& each) { return each.allowsErrors(); });
    if (errors.total() > 0 && (nothing || !allowed)) {
        if (std::string text = outages(result.total); !text.empty()) return text;
        return errors.connectExample.empty() ? errors.toString() : errors.connectExample;
    }
    return nothing ? options.words().none + " in the measured time" : tooFew(options, result);
}

std::string notMet(const std::vector<Verdict::Check>& checks, bool isKnown) {
    std::string text;
    for (const Verdict::Check& check : checks) {
        if (check.met || check.isKnown != isKnown) continue;
        const std::string first = isKnown ? "requirement missed: " : "unknown: ";
        text += (text.empty() ? first : "; ") + check.requirement + " (" + check.found + ")";
    }
    return text;
}

std::string missedAtAllRates(const std::vector<SearchStep>& steps) {
    const auto held = [](const SearchStep& step) { return step.held; };
    if (steps.empty() || std::any_of(steps.begin(), steps.end(), held)) return {};
    return "missed at every rate; at " + apps::fixed(steps.back().rate, 0) + "/s " +
           steps.back().obstacle;
}

// The one with the least rate of those that failed beyond the best: it bounds the result.
const SearchStep* bound(const LoadResult& best, const std::vector<SearchStep>& steps) {
    const SearchStep* found = nullptr;
    for (const SearchStep& step : steps) {
        if (step.held || step.rate <= best.offered) continue;
        if (found == nullptr || step.rate <= found->rate) found = &step;
    }
    return found;
}

}  // namespace

bool isGraver(int exitCode, int than) {
    constexpr int order[] = {exitPass, exitCannotTell, exitRequirementMissed, exitIo,
                             exitWrongAnswer};
    return std::find(std::begin(order), std::end(order), exitCode) >
           std::find(std::begin(order), std::end(order), than);
}

Verdict Verdict::of(const LoadOptions& options, const LoadResult& result) {
    return ofAll(options, {result});
}

Verdict Verdict::ofAll(const LoadOptions& options, const std::vector<LoadResult>& runs) {
    std::vector<Requirement> wanted = options.requirements;
    if (options.findMax) wanted.insert(wanted.begin(), *options.findMax);
    std::vector<Check> checks;
    for (const Requirement& requirement : wanted) {
        std::vector<Found> found;
        for (const LoadResult& run : runs) found.push_back(foundIn(requirement, run));
        checks.push_back(judge(requirement, found));
    }
    const std::string lateness =
        firstOf(runs, [](const LoadResult& run) { return run.lateness(); });
    Verdict verdict = ofChecks(options, std::move(checks), lateness);
    const auto wrong = [](const LoadResult& run) { return wrongAnswer(run.total.errors); };
    verdict.add(exitWrongAnswer, firstOf(runs, wrong));
    verdict.add(exitIo,
                firstOf(runs, [&](const LoadResult& run) { return ioError(options, run); }));
    const bool isOpenLoop = runs.front().openLoop;
    if (verdict.exitCode == exitPass && isOpenLoop && !lateness.empty()) {
        verdict.warning = "the generator was late: " + lateness + "; the latency includes it";
    }
    return verdict;
}

// What may be thanks to late runs counts only where the others, by themselves, say the same.
Verdict::Check Verdict::judge(const Requirement& requirement, const std::vector<Found>& runs) {
    Check check = checkOf(requirement, runs);
    std::vector<Found> steady;
    for (const Found& run : runs) {
        if (!run.isExcused) steady.push_back(run);
    }
    if (steady.size() == runs.size() || !mayBeThanksToLateness(requirement, check.met)) {
        return check;
    }
    check.isKnown = !steady.empty() && checkOf(requirement, steady).met == check.met;
    check.met = check.met && check.isKnown;
    return check;
}

Verdict Verdict::ofChecks(const LoadOptions& options, std::vector<Check> checks,
                          const std::string& lateness) {
    Verdict verdict;
    verdict.checks = std::move(checks);
    verdict.add(exitRequirementMissed, notMet(verdict.checks, true));
    if (const std::string unknown = notMet(verdict.checks, false); !unknown.empty()) {
        verdict.add(exitCannotTell, cannotTell(options, lateness + "; " + unknown));
    }
    return verdict;
}

Verdict Verdict::ofSearch(const LoadOptions& options, const LoadResult& best,
                          const std::vector<SearchStep>& steps) {
    Verdict verdict = of(options, best);
    const bool generatorsFault = !steps.empty() && steps.back().generatorsFault;
    if (const std::string none = missedAtAllRates(steps); !none.empty()) {
        // What the best run alone has missed is not the answer to the search.
        if (verdict.exitCode == exitRequirementMissed || verdict.exitCode == exitCannotTell) {
            verdict.exitCode = exitPass;
        }
        generatorsFault ? verdict.add(exitCannotTell, cannotTell(options, none))
                        : verdict.add(exitRequirementMissed, none);
    }
    const SearchStep* const limit = bound(best, steps);
    if (verdict.exitCode != exitPass || limit == nullptr || !limit->generatorsFault) return verdict;
    verdict.add(exitCannotTell,
                cannotTell(options, limit->obstacle + " at " + apps::fixed(limit->rate, 0) +
                                        "/s; the highest rate is at least " +
                                        apps::fixed(best.offered, 0) + "/s"));
    return verdict;
}

void Verdict::add(ExitCode code, const std::string& trouble) {
    if (trouble.empty() || !isGraver(code, exitCode)) return;
    exitCode = code;
    complaint = trouble;
    warning.clear();
}

void Verdict::addWrongAnswers(const LoadErrors& errors) {
    add(exitWrongAnswer, wrongAnswer(errors));
}

}  // namespace load
