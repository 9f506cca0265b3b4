#include "echo_client/load/Dialer.h"

#include <algorithm>

namespace load {

using nio::TimePoint;
using std::chrono::milliseconds;

namespace {

// Each of the workers keeps its share of the rate.
nio::Clock::duration paceOf(const LoadOptions& options, std::size_t workers) {
    if (options.connectRate <= 0) return {};
    const double seconds = std::min(static_cast<double>(workers) / options.connectRate, 1e6);
    return std::chrono::duration_cast<nio::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

// Makes one connection after the other.
class Dialer::Line final : public nio::ConnectorListener {
  public:
    explicit Line(Dialer& dialer)
        : dialer_(dialer), retry_(dialer.thread_.deadlines(), [this] {
              nio::onDispatcher.assertCurrent();
              connect();
          }) {}

    void dial(std::size_t connection) NIO_REQUIRES(nio::onDispatcher) {
        connection_ = connection;
        begun_ = nio::Clock::now();
        nio::ConnectorOptions options;
        options.timeout = patience;
        options.source = dialer_.plan_.sourceOf(connection_);
        connector_.emplace(dialer_.thread_, *this, options);
        connect();
    }

    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        dialer_.made(connection_, std::move(channel), nio::Clock::now() - begun_);
        dialer_.lineIsFree(*this);
    }

    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        const bool backlogFull = error.is(std::errc::resource_unavailable_try_again);
        if (backlogFull && nio::Clock::now() - begun_ < patience) {
            return retry_.wakeAfter(milliseconds(5));
        }
        dialer_.failed(connection_, error);
        dialer_.lineIsFree(*this);
    }

  private:
    static constexpr milliseconds patience{10'000};

    void connect() NIO_REQUIRES(nio::onDispatcher) {
        connector_->connectNow(dialer_.plan_.server());
    }

    Dialer& dialer_;
    nio::Deadline retry_;
    std::optional<nio::Connector> connector_;
    std::size_t connection_ = 0;
    TimePoint begun_{};
};

Dialer::Dialer(nio::SelectorThread& thread, const LoadPlan& plan, DialerListener& listener,
               std::size_t first, std::size_t step)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      step_(step),
      pace_(paceOf(plan.options(), step)),
      next_(first),
      alarm_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          dialWhatMayBe();
      }) {}

Dialer::~Dialer() = default;

void Dialer::startNow() {
    const std::size_t last = plan_.options().connections;
    const std::size_t mine = next_ < last ? (last - next_ - 1) / step_ + 1 : 0;
    const std::size_t count = std::clamp<std::size_t>(mine, 1, connectsAtOnce);
    for (std::size_t i = 0; i < count; ++i) {
        lines_.push_back(std::make_unique<Line>(*this));
        free_.push_back(lines_.back().get());
    }
    // The workers take turns.
    paceTime_ = nio::Clock::now() + pace_ * static_cast<long>(next_ % step_) / step_;
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
        return std::exchange(next_, next_ + step_);
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
        Line* line = free_.back();
        free_.pop_back();
        line->dial(*connection);
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
    listener_.dialingOver();
}

void Dialer::lineIsFree(Line& line) {
    if (lines_.empty()) return;  // stopped meanwhile
    free_.push_back(&line);
    dialWhatMayBe();
}

void Dialer::made(std::size_t connection, nio::SocketChannel channel, nio::Clock::duration took) {
    ++made_;
    listener_.dialed(connection, std::move(channel), took);
}

void Dialer::failed(std::size_t connection, const nio::Error& error) {
    ++failed_;
    listener_.dialFailed(connection, error);
}

}  // namespace load
