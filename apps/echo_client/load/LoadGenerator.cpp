#include "echo_client/load/LoadGenerator.h"

#include <algorithm>
#include <csignal>

#include <nio/net/SignalHandler.h>

#include "common/Printable.h"
#include "echo_client/load/DialLine.h"

namespace load {

using nio::TimePoint;
using std::chrono::milliseconds;

namespace {

// What is under way has timed out by then; this is for what came at the last moment.
constexpr milliseconds answerGrace{50};
constexpr std::chrono::microseconds closingEach{100};  // more than it takes
// As many points make a curve; more often than that, or less, helps nobody.
constexpr int pointsWanted = 50;
constexpr milliseconds shortestSample{100};
constexpr milliseconds longestSample{1000};

// Far more than any worker takes that makes its connections one batch after the other.
nio::Clock::duration connectPatience(const LoadOptions& options) {
    const auto connections = static_cast<double>(options.connections);
    const double paced = options.connectRate > 0 ? connections / options.connectRate : 0;
    const double batches = connections / DialLine::mostLines;
    const std::chrono::duration<double> each = options.connectTimeout;
    const double seconds = 60 + paced + batches * each.count();
    return std::chrono::milliseconds(static_cast<long>(std::min(seconds, 1e9) * 1000));
}

nio::SelectorThreadOptions controlOptions() {
    nio::SelectorThreadOptions options;
    options.name = "control";
    return options;
}

void gather(Sample& collected, const Sample& sample) {
    collected.interval.count() == 0 ? static_cast<void>(collected = sample) : collected.add(sample);
}

}  // namespace

LoadGenerator::LoadGenerator(const LoadPlan& plan, LoadCrew& crew,
                             std::vector<LoadObserver*> observers,
                             nio::Clock::duration closePatience)
    : plan_(plan),
      crew_(crew),
      observers_(std::move(observers)),
      closePatience_(closePatience),
      collected_(observers_.size()),
      control_(controlOptions()),
      server_(plan.options().serverPid) {}

LoadGenerator::~LoadGenerator() = default;

LoadResult LoadGenerator::run() {
    listenToSignals();
    sampledAt_ = nio::Clock::now();
    LoadWorkerListener& listener = *this;
    crew_.begin(listener);
    members_.resize(crew_.size());
    nio::Timer ticks = timers_.every(sampleTime(), control_, [this] {
        nio::onDispatcher.assertCurrent();
        tick();
    });
    server_.connecting();
    tellWorkers(&LoadWorker::connect);
    after(connectPatience(plan_.options()), Phase::connecting, &LoadGenerator::connectsTakeTooLong);
    control_.run();
    ticks.cancel();
    crew_.end();
    showRest();
    for (LoadObserver* observer : observers_) observer->over();
    return result();
}

void LoadGenerator::listenToSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [this](int) {
        nio::onDispatcher.assertCurrent();
        interrupt();
    });
    (void)control_.registerChannelLater(std::move(signals).orThrow(), nio::Interest::read);
}

// --- from the workers, and to them ----------------------------------------------------------

void LoadGenerator::workerConnected(std::size_t, std::size_t made) {
    tellControl([this, made] {
        nio::onDispatcher.assertCurrent();
        connected(made);
    });
}

void LoadGenerator::workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) {
    tellControl([this, worker, figures = std::move(figures)] {
        nio::onDispatcher.assertCurrent();
        reported(worker, *figures);
    });
}

void LoadGenerator::workerFinished(std::size_t worker) {
    tellControl([this, worker] {
        nio::onDispatcher.assertCurrent();
        finished(worker);
    });
}

// Refused only by a dispatcher that has stopped, when nobody cares any more.
void LoadGenerator::tellControl(nio::Task task) {
    (void)control_.invokeLater(std::move(task));
}

void LoadGenerator::tellWorkers(void (LoadWorker::*order)()) {
    for (std::size_t i = 0; i < crew_.size(); ++i) (crew_[i].*order)();
}

// --- the phases -----------------------------------------------------------------------------

void LoadGenerator::connected(std::size_t made) {
    connectionsMade_ += made;
    if (++workersConnected_ < crew_.size() || phase_ != Phase::connecting) return;
    connectionsMade_ == 0 ? stop() : begin();
}

// A worker elsewhere may never answer.
void LoadGenerator::connectsTakeTooLong() {
    ++total_.errors.other["connect timed out"];
    stop();
}

void LoadGenerator::begin() {
    phase_ = Phase::loading;
    const LoadOptions& options = plan_.options();
    schedule_.begin = nio::Clock::now() + crew_.notice();
    schedule_.from = schedule_.begin + options.warmup;
    schedule_.to = schedule_.from + options.duration;
    sampledAt_ = schedule_.begin;
    next_ = {};
    for (std::size_t i = 0; i < crew_.size(); ++i) crew_[i].send(schedule_);
    watchServer();
    after(schedule_.to - nio::Clock::now(), Phase::loading, &LoadGenerator::stop);
}

void LoadGenerator::watchServer() {
    if (!server_.isWatching()) return;
    const LoadOptions& options = plan_.options();
    // How long a fixed number of messages takes is not known.
    const auto margin =
        options.messages > 0 ? nio::Clock::duration::zero() : ServerWatch::margin(options.duration);
    const TimePoint now = nio::Clock::now();
    after(schedule_.from + margin - now, Phase::loading, &LoadGenerator::measuringBegins);
    after(schedule_.to - margin - now, Phase::loading, &LoadGenerator::measuringEnds);
}

void LoadGenerator::measuringBegins() {
    server_.measuringBegins();
}

void LoadGenerator::measuringEnds() {
    server_.measuringEnds();
}

void LoadGenerator::stop() {
    // Ended early, or so late that the timer was overtaken.
    server_.measuringEnds();
    phase_ = Phase::stopping;
    stoppedAt_ = nio::Clock::now();
    tellWorkers(&LoadWorker::stop);
    // They may be ended before they finish.
    tellWorkers(&LoadWorker::report);
    after(plan_.options().answerTimeout + answerGrace, Phase::stopping, &LoadGenerator::giveUp);
}

void LoadGenerator::giveUp() {
    phase_ = Phase::closing;
    tellWorkers(&LoadWorker::giveUp);
    const auto connections = static_cast<long>(plan_.options().connections);
    after(closePatience_ + closingEach * connections, Phase::closing,
          &LoadGenerator::closingTakesTooLong);
}

void LoadGenerator::closingTakesTooLong() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (!members_[i].finished) ++total_.errors.other[crew_[i].name() + " did not finish"];
    }
    end();
}

void LoadGenerator::finished(std::size_t worker) {
    Member& member = members_[worker];
    if (std::exchange(member.finished, true)) return;
    member.finishedAt = nio::Clock::now();
    member.busy = 0;
    if (++workersFinished_ < crew_.size()) return;
    // What has come since the last sample belongs to the load.
    if (phase_ == Phase::loading) {
        server_.measuringEnds();
        sampled();
    }
    end();
}

void LoadGenerator::end() {
    phase_ = Phase::over;
    stoppedAt_ = std::min(stoppedAt_, nio::Clock::now());
    control_.requestClose(nio::DrainOptions::atOnce());
}

// What the workers have counted since the last sample is lost, unless all have told of it.
void LoadGenerator::endAtOnce() {
    const auto told = [](const Member& member) { return member.finished || member.toldOfStop; };
    const bool all = std::all_of(members_.begin(), members_.end(), told);
    if (!all) stoppedAt_ = std::min(stoppedAt_, sampledAt_);
    end();
}

// The first one ends the load, the next one the wait for its last answers, then the close.
void LoadGenerator::interrupt() {
    interrupted_ = true;
    if (phase_ >= Phase::closing) return endAtOnce();
    if (phase_ == Phase::stopping) return giveUp();
    const std::string what = hasBegun() ? "waiting for answers" : "closing connections";
    for (LoadObserver* observer : observers_) observer->told(what + "; Ctrl-C again ends");
    stop();
}

void LoadGenerator::after(nio::Clock::duration time, Phase phase, void (LoadGenerator::*step)()) {
    timers_.after(time, control_, [this, phase, step] {
        nio::onDispatcher.assertCurrent();
        if (phase_ == phase) (this->*step)();
    });
}

// --- figures --------------------------------------------------------------------------------

void LoadGenerator::reported(std::size_t worker, const LoadFigures& figures) {
    total_.merge(figures);
    next_.answered += figures.answered;
    next_.bytes += figures.answeredBytes;
    next_.latency.merge(figures.latency);
    next_.latency.merge(figures.outside);
    Member& member = members_[worker];
    const double covered = std::chrono::duration<double>(figures.covered).count();
    member.busy = covered > 0 ? std::chrono::duration<double>(figures.busy).count() / covered : 0;
    member.down = figures.down;
    if (phase_ == Phase::loading) {
        member.used = sumOf(member.used, figures.busy);
        member.covered = sumOf(member.covered, figures.covered);
    }
    member.toldOfStop = phase_ >= Phase::stopping;
    if (!std::exchange(member.asked, false)) return;
    const auto asked = [](const Member& other) { return other.asked; };
    if (std::none_of(members_.begin(), members_.end(), asked)) sampled();
}

void LoadGenerator::tick() {
    if (phase_ >= Phase::stopping) return;
    for (Member& member : members_) member.asked = !member.finished;
    tellWorkers(&LoadWorker::report);
}

void LoadGenerator::sampled() {
    const Sample sample = takeSample();
    keep(sample);
    for (std::size_t i = 0; i < observers_.size(); ++i) {
        show(*observers_[i], collected_[i], sample);
    }
}

void LoadGenerator::keep(const Sample& sample) {
    if (sample.phase != LoadPhase::connecting) series_.push_back(Point::of(sample));
}

// A load that is announced has not begun yet.
Sample LoadGenerator::takeSample() {
    const auto none = nio::Clock::duration::zero();
    const TimePoint now = nio::Clock::now();
    Sample sample = std::exchange(next_, {});
    sample.phase = phaseAt(now);
    const ModeWords words = plan_.options().words();
    sample.noun = words.many;
    sample.ways = words.ways;
    sample.at = hasBegun() ? std::max(now - schedule_.begin, none) : none;
    sample.interval = std::max(now - std::exchange(sampledAt_, now), none);
    sample.percent = percentDone(now);
    sample.made = std::min<std::size_t>(total_.connect.count(), plan_.options().connections);
    sample.asked = plan_.options().connections;
    sample.errors = total_.errors.total();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        sample.down += members_[i].down;
        sample.dispatchers.push_back({crew_[i].name(), members_[i].busy});
    }
    return sample;
}

void LoadGenerator::show(LoadObserver& observer, Sample& collected, const Sample& sample) {
    gather(collected, sample);
    if (collected.interval + shortestSample / 2 < observer.cadence()) return;
    observer.observed(collected);
    collected = {};
}

// What is shorter than an observer's cadence when all is over, and what has come since the stop.
void LoadGenerator::showRest() {
    const Sample rest = takeSample();
    const std::size_t errorsBefore = series_.empty() ? 0 : series_.back().errors;
    if (rest.answered > 0 || rest.errors > errorsBefore) keep(rest);
    for (std::size_t i = 0; i < observers_.size(); ++i) {
        gather(collected_[i], rest);
        observers_[i]->ended(collected_[i]);
    }
}

LoadPhase LoadGenerator::phaseAt(TimePoint when) const {
    if (!hasBegun()) return LoadPhase::connecting;
    const bool warmsUp = plan_.options().warmup.count() > 0;
    if (warmsUp && when < schedule_.from + sampleTime() / 2) return LoadPhase::warmingUp;
    return phase_ == Phase::loading ? LoadPhase::measuring : LoadPhase::stopping;
}

double LoadGenerator::percentDone(TimePoint now) const {
    if (!hasBegun()) return 0;
    if (const std::uint64_t all = plan_.options().messages; all > 0) {
        return std::min(100.0,
                        100 * static_cast<double>(total_.answered) / static_cast<double>(all));
    }
    const auto part = std::chrono::duration<double>(now - schedule_.begin);
    const std::chrono::duration<double> all = plan_.options().loadTime();
    return std::clamp(100 * part.count() / all.count(), 0.0, 100.0);
}

nio::Clock::duration LoadGenerator::sampleTime() const {
    const nio::Clock::duration wanted = plan_.options().loadTime() / pointsWanted;
    return std::clamp<nio::Clock::duration>(wanted, shortestSample, longestSample);
}

// Who has finished early is idle until the end of the load.
double LoadGenerator::busyOf(const Member& member) const {
    const TimePoint end = std::min(schedule_.to, stoppedAt_);
    const auto idle = std::max(end - member.finishedAt, nio::Clock::duration::zero());
    const std::chrono::duration<double> used = member.used;
    const std::chrono::duration<double> covered = sumOf(member.covered, idle);
    return covered.count() > 0 ? used / covered : 0;
}

LoadResult LoadGenerator::result() {
    const LoadOptions& options = plan_.options();
    LoadResult result;
    // A server that ends the connections before the time ends no run: nothing came in the rest.
    const bool isByTime = options.messages == 0 && !interrupted_;
    const TimePoint to = isByTime ? schedule_.to : std::min(schedule_.to, stoppedAt_);
    result.warmup = options.warmup;
    result.measured = std::max(to - schedule_.from, nio::Clock::duration::zero());
    result.openLoop = options.isOpenLoop();
    result.busyPolls = options.spin.count() > 0;
    result.maxLateness = options.maxLateness;
    if (options.rate) {
        const double from = std::chrono::duration<double>(options.warmup).count();
        result.offered = options.rate->meanRate(from, from + result.seconds());
    }
    result.interrupted = interrupted_;
    result.total = std::move(total_);
    result.series = std::move(series_);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        result.dispatchers.push_back({crew_[i].name(), busyOf(members_[i])});
    }
    result.server = apps::printable(options.agents.empty() ? plan_.server().toString()
                                                           : options.endpoint.toString());
    result.selector = crew_.size() > 0 ? crew_[0].selector() : "";
    result.serverUse = server_.use();
    return result;
}

}  // namespace load
