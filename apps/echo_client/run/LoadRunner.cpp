#include "echo_client/run/LoadRunner.h"

#include <algorithm>
#include <ctime>

#include "common/Units.h"
#include "echo_client/agents/RemoteCrew.h"
#include "echo_client/load/LoadGenerator.h"
#include "echo_client/report/MisbehaviourReport.h"
#include "echo_client/verdict/RateSearch.h"

namespace load {

namespace {

// Fewer say nothing about a percentile.
constexpr double fewestMessages = 10;
constexpr const char* searchInterrupted = "the search was interrupted";

std::string utcNow() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::size_t medianRun(const std::vector<LoadResult>& runs) {
    std::vector<std::size_t> order(runs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto slower = [&runs](std::size_t a, std::size_t b) {
        return runs[a].perSecond() < runs[b].perSecond();
    };
    std::sort(order.begin(), order.end(), slower);
    return order[(order.size() - 1) / 2];
}

// Why a search cannot go on after this run; empty: it can.
std::string unfinished(const LoadResult& result) {
    if (result.interrupted) return searchInterrupted;
    if (result.total.connect.count() > 0) return "";
    const LoadErrors& errors = result.total.errors;
    return errors.connectExample.empty() ? errors.toString() : errors.connectExample;
}

void addBeside(MisbehaviourResult result, LoadReport& report) {
    const MisbehaviourReport bad(besideOptions(report.options), result);
    const std::string trouble = bad.complaint();
    if (!trouble.empty()) {
        report.verdict.add(static_cast<ExitCode>(bad.exitCode()), "--beside: " + trouble);
    }
    report.beside = std::move(result);
}

std::string perSecond(double rate) {
    return apps::fixed(rate, 0) + "/s";
}

}  // namespace

LoadRunner::LoadRunner(const LoadOptions& options, const nio::SocketAddress& server,
                       std::vector<LoadObserver*> observers, Tell tell)
    : options_(options),
      server_(server),
      observers_(std::move(observers)),
      tell_(std::move(tell)) {}

LoadReport LoadRunner::run() {
    LoadReport report;
    report.options = options_;
    report.host = HostFacts::ofThisMachine();
    report.began = utcNow();
    if (options_.beside) beside_.emplace(options_, server_);
    if (options_.findMax) {
        search(report);
    } else if (options_.repeat > 1) {
        repeat(report);
    } else {
        report.result = runOnce(options_);
        report.verdict = Verdict::of(options_, report.result);
    }
    report.errors = std::move(errors_);
    report.interrupted = interrupted_;
    // Why there are no more runs says more than what was wrong with these.
    if (!trouble_.empty() && !isGraver(report.verdict.exitCode, exitIo)) {
        report.verdict.exitCode = exitIo;
        report.verdict.complaint = trouble_;
    }
    report.verdict.addWrongAnswers(report.errors);
    if (beside_) addBeside(beside_->end(), report);
    return report;
}

std::optional<LoadResult> LoadRunner::runAgain(const LoadOptions& options, bool isFirst) {
    try {
        return runOnce(options);
    } catch (const Interrupted&) {
        if (isFirst) throw;
        interrupted_ = true;
        return std::nullopt;
    } catch (const std::exception& error) {
        if (isFirst) throw;
        trouble_ = error.what();
        return std::nullopt;
    }
}

LoadResult LoadRunner::runOnce(const LoadOptions& options) {
    // By a signal that no run has heard.
    if (beside_ && beside_->isInterrupted()) throw Interrupted();
    const LoadPlan plan(options, server_);
    const std::unique_ptr<LoadCrew> crew = makeCrew(plan);
    LoadResult result = LoadGenerator(plan, *crew, observers_).run();
    errors_.merge(result.total.errors);
    interrupted_ = interrupted_ || result.interrupted;
    return result;
}

void LoadRunner::repeat(LoadReport& report) {
    while (report.repeats.size() < options_.repeat) {
        std::optional<LoadResult> result = runAgain(options_, report.repeats.empty());
        if (!result) break;
        if (result->interrupted && !report.repeats.empty()) break;
        report.repeats.push_back(std::move(*result));
        const LoadResult& run = report.repeats.back();
        tell_("run " + std::to_string(report.repeats.size()) + " of " +
              std::to_string(options_.repeat) + ": " + apps::fixed(run.perSecond(), 0) + " " +
              options_.words().many + "/s  p50 " +
              apps::withUnit(run.total.latency.percentile(50)) + "  p99 " +
              apps::withUnit(run.total.latency.percentile(99)));
        if (run.interrupted || run.total.connect.count() == 0) break;
    }
    report.result = report.repeats[medianRun(report.repeats)];
    report.verdict = Verdict::ofAll(options_, report.repeats);
}

void LoadRunner::search(LoadReport& report) {
    LoadOptions options = options_;
    const double seconds = std::chrono::duration<double>(options_.duration).count();
    RateSearch search(options_.rate->rateAt(0), fewestMessages / seconds);
    while (!search.isOver() && trouble_.empty()) {
        const double rate = search.next();
        options.rate = RateCurve::constant(rate);
        std::optional<LoadResult> result = runAgain(options, report.search.empty());
        if (!result && interrupted_) trouble_ = searchInterrupted;
        if (!result) break;
        const SearchStep step = SearchStep::of(*options_.findMax, rate, *result);
        trouble_ = unfinished(*result);
        if (trouble_.empty()) step.generatorsFault ? search.tellLate() : search.tell(step.held);
        tell_(perSecond(rate) + ": " + step.found + ", " +
              (step.held               ? "met"
               : step.obstacle.empty() ? "missed"
                                       : step.obstacle));
        report.search.push_back(step);
        const bool isFirst = report.search.size() == 1;
        if (step.held || (!search.best() && (isFirst || trouble_.empty())))
            report.result = std::move(*result);
    }
    report.verdict = Verdict::ofSearch(options_, report.result, report.search);
}

}  // namespace load
