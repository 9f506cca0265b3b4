// A worker on a dispatcher of this process: its slots, and what they count.
//
// Thread: any for what LoadWorker has; the rest is the dispatcher's own, except construction.
// Lifetime: longer than its dispatcher runs.
#pragma once

#include <memory>
#include <vector>

#include <nio/timers/Deadline.h>

#include "echo_client/figures/Tally.h"
#include "echo_client/load/Dialer.h"
#include "echo_client/load/LoadSlot.h"
#include "echo_client/load/LoadWorker.h"
#include "echo_client/load/WakeQueue.h"
#include "echo_client/payload/Payload.h"

namespace load {

class LocalWorker final : public LoadWorker, private DialerListener {
  public:
    // The delay before another attempt to connect; with many connections it is longer, so that the
    // attempts do not keep the CPU busy.
    static constexpr std::chrono::milliseconds shortestRetryPause{50};

    // Serves its share of the connections; the listener knows it by `index`.
    LocalWorker(nio::SelectorThread& thread, const LoadPlan& plan, LoadWorkerListener& listener,
                std::size_t index, Share share);
    ~LocalWorker() override;

    void connect() override;
    void send(const LoadSchedule& schedule) override;
    void report() override;
    void stop() override;
    void giveUp() override;
    std::string name() const override { return thread_.name(); }
    std::string selector() const override { return std::string(thread_.registry().selectorName()); }

    // --- for its slots ----------------------------------------------------------------------
    const LoadPlan& plan() const { return plan_; }
    Tally& tally() NIO_REQUIRES(nio::onDispatcher) { return tally_; }
    Payload& payload() NIO_REQUIRES(nio::onDispatcher) { return payload_; }
    bool isLoading() const { return phase_ == Phase::sending || phase_ == Phase::stopping; }
    bool isStopping() const { return phase_ >= Phase::stopping; }
    nio::TimePoint begin() const { return begin_; }
    // A connection that ends is made anew.
    bool renews() const;
    // What is planned for later is not sent.
    nio::TimePoint end() const { return end_; }
    void wakeAt(nio::TimePoint when, LoadSlot& slot) NIO_REQUIRES(nio::onDispatcher);
    // Whether this dispatcher was kept from its work when a message was due: then nobody else is to
    // blame for its delay.
    bool wasAway(nio::TimePoint due, nio::TimePoint now) const;
    // This dispatcher makes a turn: if the last one is long ago, it stood still.
    void isAwake(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher) {
        if (now - awakeAt_ > longestGap_) stoodStill(now);
        awakeAt_ = now;
    }
    // One more slot has sent all that it may.
    void slotSpent() { ++spent_; }
    // The slot's connection is gone.
    void slotClosed(LoadSlot& slot) NIO_REQUIRES(nio::onDispatcher);

  private:
    enum class Phase { connecting, idle, sending, stopping, closing };

    // At least so often it makes a turn while there is a load, unless it is kept from it.
    static constexpr std::chrono::milliseconds pulse{100};

    void post(void (LocalWorker::*step)());
    void connectNow() NIO_REQUIRES(nio::onDispatcher);
    void sendNow(const LoadSchedule& schedule) NIO_REQUIRES(nio::onDispatcher);
    void reportNow() NIO_REQUIRES(nio::onDispatcher);
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    void giveUpNow() NIO_REQUIRES(nio::onDispatcher);

    void dialed(std::size_t connection, nio::SocketChannel channel,
                nio::Clock::duration took) override NIO_REQUIRES(nio::onDispatcher);
    void dialFailed(std::size_t connection, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);
    void dialingOver() override NIO_REQUIRES(nio::onDispatcher);

    void redial(std::size_t connection, nio::Clock::duration pause) NIO_REQUIRES(nio::onDispatcher);
    nio::Clock::duration retryPause() const;
    bool isHopeless(nio::TimePoint now) const;
    LoadSlot& slotOf(std::size_t connection) { return *slots_[share_.indexOf(connection)]; }
    void wakeDue() NIO_REQUIRES(nio::onDispatcher);
    void setAlarm(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void expireOld() NIO_REQUIRES(nio::onDispatcher);
    void beat() NIO_REQUIRES(nio::onDispatcher);
    void stoodStill(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void noteSuspension(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void finishIfEmpty() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const LoadPlan& plan_;
    LoadWorkerListener& listener_;
    const std::size_t index_;
    const Share share_;
    Dialer dialer_;
    Payload payload_;
    Tally tally_;
    std::vector<std::unique_ptr<LoadSlot>> slots_;
    Phase phase_ = Phase::connecting;
    std::size_t connected_ = 0;
    std::size_t made_ = 0;  // of the first connections
    std::size_t spent_ = 0;
    nio::TimePoint connectedUntil_{};  // the last time that a connection was lost
    nio::TimePoint begin_{};
    nio::TimePoint end_ = nio::TimePoint::max();
    bool finished_ = false;

    WakeQueue wakes_;
    nio::Deadline alarm_;
    nio::TimePoint alarmAt_ = nio::TimePoint::max();
    nio::TimePoint awayFrom_{};  // the last time it was
    nio::TimePoint awayTo_{};
    nio::Deadline expiry_;
    nio::Deadline heart_;
    const nio::Clock::duration longestGap_;
    nio::TimePoint awakeAt_ = nio::TimePoint::max();
    nio::Clock::duration suspended_{};  // the machine, so far

    bool inWakeUp_ = false;

    nio::TimePoint figuresSince_{};
    nio::Clock::duration cpuBefore_{0};
};

}  // namespace load
