#include "echo_client/Dialer.h"

#include <algorithm>

namespace load {

using std::chrono::milliseconds;

// Makes one connection after the other.
class Dialer::Line final : public nio::ConnectorListener {
  public:
    explicit Line(Dialer& dialer)
        : dialer_(dialer), retry_(dialer.thread_.deadlines(), [this] {
              nio::onDispatcher.assertCurrent();
              connect();
          }) {}

    void dialNext() NIO_REQUIRES(nio::onDispatcher) {
        const std::optional<std::size_t> connection = dialer_.take();
        if (!connection) return dialer_.lineIsIdle();
        connection_ = *connection;
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
        dialNext();
    }

    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        const bool backlogFull = error.is(std::errc::resource_unavailable_try_again);
        if (backlogFull && nio::Clock::now() - begun_ < patience) {
            return retry_.wakeAfter(milliseconds(5));
        }
        dialer_.failed(error);
        dialNext();
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
    nio::TimePoint begun_{};
};

Dialer::Dialer(nio::SelectorThread& thread, const LoadPlan& plan, DialerListener& listener,
               std::size_t first, std::size_t step)
    : thread_(thread), plan_(plan), listener_(listener), step_(step), next_(first) {}

Dialer::~Dialer() = default;

void Dialer::startNow() {
    const std::size_t last = plan_.options().connections;
    const std::size_t mine = next_ < last ? (last - next_ - 1) / step_ + 1 : 0;
    const std::size_t count = std::clamp<std::size_t>(mine, 1, connectsAtOnce);
    for (std::size_t i = 0; i < count; ++i) lines_.push_back(std::make_unique<Line>(*this));
    busyLines_ = count;
    for (const auto& line : lines_) {
        nio::onDispatcher.assertCurrent();
        line->dialNext();
    }
}

void Dialer::stopNow() {
    next_ = plan_.options().connections;
    lines_.clear();
}

std::optional<std::size_t> Dialer::take() {
    const bool hopeless = made_ == 0 && failed_ >= lines_.size();
    if (hopeless || next_ >= plan_.options().connections) return std::nullopt;
    const std::size_t connection = next_;
    next_ += step_;
    return connection;
}

void Dialer::made(std::size_t connection, nio::SocketChannel channel, nio::Clock::duration took) {
    ++made_;
    listener_.dialed(connection, std::move(channel), took);
}

void Dialer::failed(const nio::Error& error) {
    ++failed_;
    listener_.dialFailed(error);
}

void Dialer::lineIsIdle() {
    if (--busyLines_ == 0) listener_.dialingOver();
}

}  // namespace load
