#include "echo_client/misbehave/BadDialer.h"

#include <algorithm>

namespace load {

BadDialer::BadDialer(nio::SelectorThread& thread, const MisbehaviourPlan& plan,
                     BadDialerListener& listener, Share share)
    : thread_(thread),
      plan_(plan),
      listener_(listener),
      share_(share),
      left_(plan.connectsOf(share)) {}

void BadDialer::startNow() {
    const std::size_t count = std::max<std::size_t>(1, plan_.linesOf(share_));
    DialLineListener& listener = *this;
    for (std::size_t i = 0; i < count; ++i) {
        lines_.push_back(std::make_unique<DialLine>(thread_, listener, plan_.options().keepAlive,
                                                    plan_.options().connectTimeout));
    }
    busyLines_ = count;
    for (const auto& line : lines_) {
        nio::onDispatcher.assertCurrent();
        dialNext(*line);
    }
}

void BadDialer::stopNow() {
    left_ = 0;
    lines_.clear();
}

std::optional<std::size_t> BadDialer::take() {
    const bool hopeless = made_ == 0 && failed_ >= lines_.size();
    if (hopeless || left_ == 0 || thread_.draining().options()) return std::nullopt;
    --left_;
    return share_.at(taken_++);
}

void BadDialer::dialNext(DialLine& line) {
    if (const std::optional<std::size_t> connection = take()) {
        return line.dial(*connection, plan_.server(), plan_.sourceOf(*connection));
    }
    if (--busyLines_ == 0) listener_.dialingOver();
}

void BadDialer::lineDialed(DialLine& line, nio::SocketChannel channel, nio::Clock::duration took) {
    ++made_;
    listener_.dialed(line.connection(), std::move(channel), took);
    dialNext(line);
}

void BadDialer::lineFailed(DialLine& line, const nio::Error& error) {
    ++failed_;
    listener_.dialFailed(error);
    dialNext(line);
}

}  // namespace load
