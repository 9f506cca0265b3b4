// One of the connections of a load, by its number: the state machine that decides when a message
// leaves, and that outlives the sockets which churn gives it one after the other.
//
// Closed loop: as many messages under way as the plan says; for each answer the next one, after the
// time to think. Open loop: a message when the send plan says so; one that may not leave yet (no
// connection, or too many under way) waits in the plan, and its latency counts from there.
//
// Thread: the dispatcher's own, except construction. Lifetime: that of the worker.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "echo_client/load/LoadConnection.h"
#include "echo_client/load/LoadPlan.h"
#include "echo_client/payload/Exchange.h"

namespace load {

class LocalWorker;

class LoadSlot {
  public:
    LoadSlot(LocalWorker& worker, std::size_t number);
    LoadSlot(const LoadSlot&) = delete;
    LoadSlot& operator=(const LoadSlot&) = delete;
    ~LoadSlot();

    std::size_t number() const { return number_; }
    const LoadPlan& plan() const;
    bool isConnected() const { return connection_ != nullptr; }
    // Its connection was lost or could not be made, and is awaited.
    bool isDown() const;
    // It has sent its share of --messages.
    bool isSpent() const { return left_ == 0; }

    // --- for the worker ---------------------------------------------------------------------
    // The load begins: from now on the worker's isSending() and end() count.
    void begin(nio::TimePoint begin) NIO_REQUIRES(nio::onDispatcher);
    // Sends what is due, and asks to be woken for the next. Nothing happens if it has asked for
    // another time than `asked` since.
    void wake(nio::TimePoint asked, nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void expire(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    // No new message; ends the connection once nothing is under way.
    void finishWhenAnswered() NIO_REQUIRES(nio::onDispatcher);
    // Ends it now, also one that still waits for its end; what is not answered has timed out.
    void giveUp() NIO_REQUIRES(nio::onDispatcher);
    // What the send plan still holds will not be sent.
    void countUnsent() NIO_REQUIRES(nio::onDispatcher);
    // Connections were lost one after the other, none of which had an answer: another one would
    // most likely be lost at once.
    bool isLostInVain() const { return lostInVain_ > 1; }
    // With --connect-only, before opened(): when its connect began.
    void dialed(nio::TimePoint since) { bornAt_ = since; }
    // A connect has failed. False: it was an attempt to reconnect, during an outage.
    bool connectFailed(nio::TimePoint now);

    // --- for the connection -----------------------------------------------------------------
    void opened(LoadConnection& connection) NIO_REQUIRES(nio::onDispatcher);
    // TLS: the handshake is done.
    void secured(nio::Clock::duration took, bool isResumed) NIO_REQUIRES(nio::onDispatcher);
    void bytesArrived(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher);
    void packetArrived(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    // All that was sent has left.
    void flushed() NIO_REQUIRES(nio::onDispatcher);
    void serverFinished() NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::optional<nio::Error>& reason) NIO_REQUIRES(nio::onDispatcher);

  private:
    // ending: sends no more; leaves when all is answered. finished: we have closed it.
    enum class State { disconnected, open, ending, finished };

    nio::TimePoint nextDue(nio::TimePoint now) const;
    bool maySend(nio::TimePoint now) const;
    void send(nio::TimePoint due, nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void sendWhatIsDue(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void askToBeWoken(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void answered(bool intelligible, std::size_t before, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    void greetingArrived(nio::ByteView bytes, nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void established(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void madeRoom(std::size_t before, nio::TimePoint now);
    void endIfLifeIsOver(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    bool isLifeOver(nio::TimePoint now) const;
    void settle(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void countLateness(nio::TimePoint due, nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void recordOutage(nio::TimePoint to, std::uint64_t connections, std::uint64_t late)
        NIO_REQUIRES(nio::onDispatcher);
    void finish(CloseWay way) NIO_REQUIRES(nio::onDispatcher);
    bool lacksItsStart(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);
    void giveUpStart() NIO_REQUIRES(nio::onDispatcher);
    bool hasMoreToSend(nio::TimePoint now) const;
    bool isClogged() const;
    nio::TimePoint endOfLife() const;
    void wakeAtEndOfLife() NIO_REQUIRES(nio::onDispatcher);

    LocalWorker& worker_;
    const std::size_t number_;
    Random random_;
    std::uint64_t left_;  // messages to send
    State state_ = State::disconnected;
    LoadConnection* connection_ = nullptr;
    std::unique_ptr<Exchange> exchange_;
    std::optional<SendPlan> sendPlan_;     // open loop
    std::deque<nio::TimePoint> thinking_;  // closed loop: when each of the users asks again
    nio::TimePoint lastWindow_{};          // when the last answer made room; max(): clogged
    nio::TimePoint bornAt_{};
    nio::TimePoint wokenAt_ = nio::TimePoint::max();  // as asked for
    std::uint64_t incarnation_ = 0;
    std::uint64_t messages_ = 0;  // of this incarnation
    CloseWay closeWay_ = CloseWay::clean;
    nio::TimePoint downSince_ = nio::TimePoint::max();  // the last outage; max(): none
    std::size_t lostInFlight_ = 0;                      // when it began
    std::size_t lostInVain_ = 0;                        // connections, since the last answer
    bool brokenOff_ = false;                            // by us: its answer was wrong
    bool counted_ = false;  // this incarnation's end, among the errors: once is enough
};

}  // namespace load
