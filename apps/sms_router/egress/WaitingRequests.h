// The requests that wait at a connector for its window or its rate, and how they leave it without
// being sent: refused, or moved to another live connector of their route's group.
//
// Thread: the dispatcher's own, except construction and destruction.
#pragma once

#include <optional>
#include <vector>

#include "sms_router/egress/SubmitOutcomes.h"
#include "sms_router/egress/SubmitQueue.h"

namespace router {

class WaitingRequests {
  public:
    // `connector`: its index in configurations.
    WaitingRequests(Shard& home, std::size_t connector, SubmitOutcomes& outcomes)
        : home_(home), connector_(connector), outcomes_(outcomes), queue_(home.thread()) {}

    // ConnectorConfig::queue and queueTime.
    void useLimits(std::size_t most, nio::Clock::duration patience) {
        most_ = most;
        patience_ = patience;
    }

    bool empty() const { return queue_.empty(); }
    std::size_t size() const { return queue_.size(); }
    // See SubmitQueue.
    const Submission& front() const { return queue_.front(); }
    Submission pop() NIO_REQUIRES(nio::onDispatcher) { return queue_.pop(); }

    // What finds no place is refused.
    void pushNow(Submission&& submission) NIO_REQUIRES(nio::onDispatcher);
    // Its sender has gone.
    void senderGoneNow(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher);
    // Refuses what has waited for `patience`, and moves what has waited for
    // GroupConfig::overflowAfter where another connector has room. When to look again; absent: not
    // before something comes.
    std::optional<nio::TimePoint> lookForOverdueNow() NIO_REQUIRES(nio::onDispatcher);
    // No bind is up: all leave.
    void leaveNow(ConnectorState& board) NIO_REQUIRES(nio::onDispatcher);
    // To another connector, or refused where there is none.
    void moveOrRefuseNow(Submission& submission) NIO_REQUIRES(nio::onDispatcher);

    // How many wait, and since when.
    void putOn(ConnectorState& board) NIO_REQUIRES(nio::onDispatcher);
    // Messages, to other connectors.
    std::uint64_t moved() const { return moved_; }

  private:
    void refuseOverdue() NIO_REQUIRES(nio::onDispatcher);
    nio::Clock::duration overflow() NIO_REQUIRES(nio::onDispatcher);
    [[nodiscard]] bool move(Submission& submission, std::size_t connector)
        NIO_REQUIRES(nio::onDispatcher);

    Shard& home_;
    const std::size_t connector_;
    SubmitOutcomes& outcomes_;
    SubmitQueue queue_;
    std::size_t most_ = 0;
    nio::Clock::duration patience_{};
    nio::TimePoint nextSince_{};  // of ConnectorState::queuedSince
    std::uint64_t moved_ = 0;
};

}  // namespace router
