// A timer of a stage. Copies of a stage have none: a connection starts its own.
//
// Thread: the connection's dispatcher; copies any.
// Errors: an exception from its function goes to the dispatcher's failure handler, and ends the
// connection with handlerFailed.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <nio/base/Guarded.h>
#include <nio/connection/StreamHandler.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

class StageTimer {
  public:
    StageTimer() = default;
    StageTimer(const StageTimer&) {}
    StageTimer& operator=(const StageTimer&) = delete;

    bool isSet() const { return deadline_ && deadline_->isSet(); }
    // Until stop() the `expired` of the first call is used.
    template <class F>
    void wakeAt(StreamHandler& connection, TimePoint when, F expired) NIO_REQUIRES(onDispatcher) {
        if (!deadline_) {
            deadline_.emplace(
                connection.dispatcher().deadlines(),
                [&connection, expired = std::move(expired)]() mutable {
                    guarded(expired, [&channel = connection](const std::exception_ptr& thrown) {
                        onDispatcher.assertCurrent();
                        channel.handleFailure(thrown);
                        std::rethrow_exception(thrown);
                    });
                });
        }
        deadline_->wakeAt(when);
    }
    void stop() { deadline_.reset(); }

  private:
    std::optional<Deadline> deadline_;
};

}  // namespace nio
