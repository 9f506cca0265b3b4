#include "echo_client/misbehave/BadDialer.h"

#include <algorithm>

namespace load {

using std::chrono::milliseconds;

class BadDialer::Line final : public nio::ConnectorListener {
  public:
    explicit Line(BadDialer& dialer)
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

    BadDialer& dialer_;
    nio::Deadline retry_;
    std::optional<nio::Connector> connector_;
    std::size_t connection_ = 0;
    nio::TimePoint begun_{};
};

BadDialer::BadDialer(nio::SelectorThread& thread, const MisbehaviourPlan& plan,
                     BadDialerListener& listener, std::size_t worker, std::size_t workers)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      worker_(worker),
      workers_(workers),
      left_(plan.connectsOf(worker, workers)) {}

BadDialer::~BadDialer() = default;

void BadDialer::startNow() {
    const std::size_t count = std::max<std::size_t>(1, plan_.linesOf(worker_, workers_));
    for (std::size_t i = 0; i < count; ++i) lines_.push_back(std::make_unique<Line>(*this));
    busyLines_ = count;
    for (const auto& line : lines_) {
        nio::onDispatcher.assertCurrent();
        line->dialNext();
    }
}

void BadDialer::stopNow() {
    left_ = 0;
    lines_.clear();
}

std::optional<std::size_t> BadDialer::take() {
    const bool hopeless = made_ == 0 && failed_ >= lines_.size();
    if (hopeless || left_ == 0 || thread_.drain()) return std::nullopt;
    --left_;
    return worker_ + workers_ * taken_++;
}

void BadDialer::made(std::size_t connection, nio::SocketChannel channel,
                     nio::Clock::duration took) {
    ++made_;
    listener_.dialed(connection, std::move(channel), took);
}

void BadDialer::failed(const nio::Error& error) {
    ++failed_;
    listener_.dialFailed(error);
}

void BadDialer::lineIsIdle() {
    if (--busyLines_ == 0) listener_.dialingOver();
}

}  // namespace load
