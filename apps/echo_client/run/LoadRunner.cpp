#include "echo_client/run/LoadRunner.h"

#include <algorithm>
#include <ctime>

#include "echo_client/agents/Crews.h"
#include "echo_client/figures/Units.h"
#include "echo_client/load/LoadGenerator.h"
#include "echo_client/verdict/RateSearch.h"

namespace load {

namespace {

constexpr double firstRateTried = 1000;
// Fewer say nothing about a percentile.
constexpr double fewestMessages = 10;
// Of the planned rate; less is a queue that grows.
constexpr double leastAchieved = 0.95;

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

// Where the generator itself was what kept the rate from growing, the best rate is no limit of the
// server's.
Verdict verdictOf(const LoadOptions& options, const LoadReport& report) {
    Verdict verdict = Verdict::of(options, report.result);
    const auto saturated = [&report](const SearchStep& step) {
        return !step.held && step.rate > report.result.offered && step.generatorsFault;
    };
    const auto found = std::find_if(report.search.begin(), report.search.end(), saturated);
    if (verdict.exitCode != exitPass || found == report.search.end()) return verdict;
    verdict.exitCode = exitSaturated;
    verdict.complaint = "the highest rate is at least " + fixed(report.result.offered, 0) +
                        "/s; beyond it " + found->obstacle;
    return verdict;
}

std::string perSecond(double rate) {
    return fixed(rate, 0) + "/s";
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
    if (options_.findMax) {
        search(report);
    } else if (options_.repeat > 1) {
        repeat(report);
    } else {
        report.result = runOnce(options_);
        report.verdict = Verdict::of(options_, report.result);
    }
    if (!trouble_.empty()) {
        report.verdict.exitCode = exitIo;
        report.verdict.complaint = trouble_;
    }
    return report;
}

std::optional<LoadResult> LoadRunner::runAgain(const LoadOptions& options, bool isFirst) {
    try {
        return runOnce(options);
    } catch (const std::exception& error) {
        if (isFirst) throw;
        trouble_ = error.what();
        return std::nullopt;
    }
}

LoadResult LoadRunner::runOnce(const LoadOptions& options) {
    const LoadPlan plan(options, server_);
    const std::unique_ptr<LoadCrew> crew = makeCrew(plan);
    return LoadGenerator(plan, *crew, observers_).run();
}

void LoadRunner::repeat(LoadReport& report) {
    while (report.repeats.size() < options_.repeat) {
        std::optional<LoadResult> result = runAgain(options_, report.repeats.empty());
        if (!result) break;
        if (result->interrupted && !report.repeats.empty()) break;
        report.repeats.push_back(std::move(*result));
        const LoadResult& run = report.repeats.back();
        tell_("run " + std::to_string(report.repeats.size()) + " of " +
              std::to_string(options_.repeat) + ": " + fixed(run.perSecond(), 0) +
              " echoes/s  p50 " + withUnit(run.total.latency.percentile(50)) + "  p99 " +
              withUnit(run.total.latency.percentile(99)));
        if (run.interrupted || run.total.connect.count() == 0) break;
    }
    report.result = report.repeats[medianRun(report.repeats)];
    report.verdict = Verdict::ofAll(options_, report.repeats);
}

SearchStep LoadRunner::judge(double rate, const LoadResult& result) const {
    SearchStep step;
    step.rate = rate;
    step.achieved = result.perSecond();
    step.found = options_.findMax->describe(result);
    const std::string saturation = result.saturation();
    step.generatorsFault = !saturation.empty();
    if (step.generatorsFault) {
        step.obstacle = saturation;
    } else if (result.total.errors.total() > 0) {
        step.obstacle = result.total.errors.toString();
    } else if (result.total.unsent > 0) {
        step.obstacle = std::to_string(result.total.unsent) + " messages could not be sent in time";
    } else if (result.perSecond() < leastAchieved * result.offered) {
        step.obstacle = "only " + perSecond(result.perSecond()) + " were answered in time";
    } else if (result.interrupted) {
        step.obstacle = "interrupted";
    }
    step.held = step.obstacle.empty() && options_.findMax->isMetBy(result);
    return step;
}

void LoadRunner::search(LoadReport& report) {
    LoadOptions options = options_;
    const double seconds = std::chrono::duration<double>(options_.duration).count();
    RateSearch search(options_.rate ? options_.rate->rateAt(0) : firstRateTried,
                      fewestMessages / seconds);
    bool stopped = false;
    while (!search.isOver() && !stopped) {
        const double rate = search.next();
        options.rate = RateCurve::constant(rate);
        std::optional<LoadResult> result = runAgain(options, report.search.empty());
        if (!result) break;
        const SearchStep step = judge(rate, *result);
        stopped = result->interrupted || result->total.connect.count() == 0;
        if (!stopped) search.tell(step.held);
        tell_(perSecond(rate) + ": " + step.found + ", " +
              (step.held               ? "held"
               : step.obstacle.empty() ? "missed"
                                       : step.obstacle));
        report.search.push_back(step);
        const bool isFirst = report.search.size() == 1;
        if (step.held || (!search.best() && (isFirst || !stopped)))
            report.result = std::move(*result);
    }
    report.verdict = verdictOf(options_, report);
}

}  // namespace load
