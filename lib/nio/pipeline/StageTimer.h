// A timer of a stage. Copies of a stage have none: a connection starts its own.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <optional>
#include <utility>

#include <nio/connection/StreamHandler.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

class StageTimer {
  public:
    StageTimer() = default;
    StageTimer(const StageTimer&) {}
    StageTimer& operator=(const StageTimer&) = delete;

    bool isSet() const { return deadline_ && deadline_->isSet(); }
    // `expired` of the first call counts, until stop().
    template <class F>
    void wakeAt(StreamHandler& connection, TimePoint when, F expired) NIO_REQUIRES(onDispatcher) {
        if (!deadline_) deadline_.emplace(connection.dispatcher().deadlines(), std::move(expired));
        deadline_->wakeAt(when);
    }
    void stop() { deadline_.reset(); }

  private:
    std::optional<Deadline> deadline_;
};

}  // namespace nio
