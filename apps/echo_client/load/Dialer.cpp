#include "echo_client/load/Dialer.h"

#include <algorithm>

namespace load {

using nio::TimePoint;

namespace {

// Each of the workers keeps its share of the rate.
nio::Clock::duration paceOf(const LoadOptions& options, std::size_t workers) {
    if (options.connectRate <= 0) return {};
    const double seconds = std::min(static_cast<double>(workers) / options.connectRate, 1e6);
    return std::chrono::duration_cast<nio::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Dialer::Dialer(nio::SelectorThread& thread, const LoadPlan& plan, DialerListener& listener,
               Share share)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      share_(share),
      pace_(paceOf(plan.options(), share.step)),
      next_(share.first),
      alarm_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          dialWhatMayBe();
      }) {}

void Dialer::startNow() {
    const std::size_t mine = share_.of(plan_.options().connections);
    const std::size_t count = std::clamp<std::size_t>(mine, 1, DialLine::mostLines);
    DialLineListener& listener = *this;
    for (std::size_t i = 0; i < count; ++i) {
        lines_.push_back(std::make_unique<DialLine>(thread_, listener, plan_.options().keepAlive,
                                                    plan_.options().connectTimeout));
        free_.push_back(lines_.back().get());
    }
    // The workers take turns.
    const auto turn = static_cast<long>(share_.first % share_.step);
    paceTime_ = nio::Clock::now() + pace_ * turn / share_.step;
    dialWhatMayBe();
}

void Dialer::dialAgainNow(std::size_t connection, nio::Clock::duration pause) {
    again_.emplace(nio::Clock::after(pause), connection);
    dialWhatMayBe();
}

void Dialer::stopNow() {
    next_ = plan_.options().connections;
    again_.clear();
    over_ = true;
    alarm_.cancel();
    free_.clear();
    lines_.clear();
}

std::optional<std::size_t> Dialer::nextWish(TimePoint now) {
    if (next_ < plan_.options().connections && !isHopeless()) {
        return std::exchange(next_, next_ + share_.step);
    }
    if (again_.empty() || again_.begin()->first > now) return std::nullopt;
    return again_.extract(again_.begin()).mapped();
}

std::optional<std::size_t> Dialer::take(TimePoint now) {
    if (now < paceTime_) return std::nullopt;
    const std::optional<std::size_t> wish = nextWish(now);
    // Time that nobody used is not made up for.
    if (wish) paceTime_ = std::max(paceTime_ + pace_, now - pace_);
    return wish;
}

void Dialer::dialWhatMayBe() {
    const TimePoint now = nio::Clock::now();
    while (!free_.empty()) {
        const std::optional<std::size_t> connection = take(now);
        if (!connection) break;
        DialLine* line = free_.back();
        free_.pop_back();
        line->dial(*connection, plan_.server(), plan_.sourceOf(*connection));
    }
    setAlarm();
    tellWhenOver();
}

void Dialer::setAlarm() {
    const bool first = next_ < plan_.options().connections && !isHopeless();
    if (free_.empty() || (!first && again_.empty())) return;
    const TimePoint wish = first ? paceTime_ : again_.begin()->first;
    alarm_.wakeAt(std::max(wish, paceTime_));
}

void Dialer::tellWhenOver() {
    const bool allTaken = next_ >= plan_.options().connections || isHopeless();
    if (over_ || !allTaken || free_.size() < lines_.size()) return;
    over_ = true;
    // Those that were not tried are dialled only by dialAgainNow().
    next_ = plan_.options().connections;
    listener_.dialingOver();
}

void Dialer::lineIsFree(DialLine& line) {
    if (lines_.empty()) return;  // stopped meanwhile
    free_.push_back(&line);
    dialWhatMayBe();
}

void Dialer::lineDialed(DialLine& line, nio::SocketChannel channel, nio::Clock::duration took) {
    ++made_;
    listener_.dialed(line.connection(), std::move(channel), took);
    lineIsFree(line);
}

void Dialer::lineFailed(DialLine& line, const nio::Error& error) {
    ++failed_;
    listener_.dialFailed(line.connection(), error);
    lineIsFree(line);
}

}  // namespace load
