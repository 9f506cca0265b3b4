// One SMSC: its binds, what waits for its window, what waits for its answers, and the messages that
// it has accepted. All of it lives on one dispatcher, the connector's home, so that an answer, the
// receipt that follows it and whoever asks for the message meet without a lock.
//
// A submission is sent if a transmitting bind has room in its window and the rate allows it, else
// it queues, where accounts take turns (SubmitQueue). It is refused when no bind is up, when its
// account has all that it may have there (window x max_binds; the parts of a submit_multi find room
// together), or when it has waited for ConnectorConfig::queueTime. When the queue is full, or the
// memory budget pauses reading, the last request of the account that holds the most memory is
// refused. A request leaves the queue when its sender has gone. While binds are made anew for
// another configuration it waits for them, but no longer than connect_timeout, nor in a drain. In
// that time it gets only requests whose route names this connector alone, or a group without a live
// one.
// A request in the queue goes to another live connector of its route's group when no bind is up,
// and when it has waited for GroupConfig::overflowAfter and that one has room. It is sent once:
// what becomes of it is what the SMSC says, or RouterConfig::linkLost if it says nothing.
//
// Thread: the dispatcher's own, except construction, dispatcher() and what says otherwise.
// Lifetime: that of the router.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "sms_router/flow/Shard.h"
#include "sms_router/smsc/Flights.h"
#include "sms_router/smsc/ReceiptDesk.h"
#include "sms_router/smsc/SmscBinds.h"
#include "sms_router/smsc/SubmitQueue.h"
#include "sms_router/smsc/ThrottleControl.h"

namespace router {

class SmscConnector final : public Egress, private SmscLinkOwner {
  public:
    struct Identity {
        std::size_t index = 0;     // in configurations
        std::uint32_t number = 0;  // for ever, see Store::connectorNumber
    };

    SmscConnector(Identity identity, Shard& home, ConnectorState& board,
                  const IdMap::Limits& limits);
    ~SmscConnector() override;

    nio::SelectorThread& dispatcher() const override { return home_.thread(); }
    const Identity& identity() const { return identity_; }

    // What an earlier run has left, of it or of an account that has come back.
    void restore(IdEntry entry, std::int64_t time);

    // Starts, or goes on with another configuration: binds are made anew only if what they are made
    // of has changed.
    void useNow(std::shared_ptr<const SmscDialing> dialing) NIO_REQUIRES(nio::onDispatcher);
    // The configuration no longer has it.
    void retireNow() NIO_REQUIRES(nio::onDispatcher);
    // The administrator's switch.
    void switchNow(bool on) NIO_REQUIRES(nio::onDispatcher);
    // No more deliveries; what is on its way may still be answered.
    void drainNow() NIO_REQUIRES(nio::onDispatcher);
    void unbindNow() NIO_REQUIRES(nio::onDispatcher);
    bool isQuietNow() const NIO_REQUIRES(nio::onDispatcher);  // nothing waits for anything
    bool isClosedNow() const NIO_REQUIRES(nio::onDispatcher);
    std::size_t unansweredNow() const NIO_REQUIRES(nio::onDispatcher);
    ConnectorRow describeNow() const NIO_REQUIRES(nio::onDispatcher);

    void submitNow(Submission&& submission) override NIO_REQUIRES(nio::onDispatcher);
    void senderGoneNow(nio::ChannelHandle link) override NIO_REQUIRES(nio::onDispatcher);
    // A receipt that came by another connector of the SMSC, or back. Answered, now or later, unless
    // the memory for that fails: then the SMSC's time-out is the answer.
    void strayedNow(StrayReceipt&& receipt) NIO_REQUIRES(nio::onDispatcher) {
        receipts_.strayedNow(std::move(receipt));
    }
    void deliveredNow(nio::ChannelHandle link, std::uint32_t sequence, smpp::Command command,
                      MessageId about, std::uint8_t state, Delivered how,
                      smpp::Status status) override NIO_REQUIRES(nio::onDispatcher);

  private:
    // An accepted message that is not safe yet. One that never gets to know leaves its line as
    // lost.
    struct Committing {
        Committing() = default;
        Committing(Committing&&) = default;
        Committing& operator=(Committing&&) = delete;
        ~Committing();

        Origin origin;
        MessageId id = 0;
        nio::Bytes response;
        nio::TimePoint asked{};
        nio::TimePoint arrived{};
        std::unique_ptr<MessageRecord> record;
        RecordLog* log = nullptr;
    };

    // --- SmscLinkOwner
    void linkBound(SmscLink& link) override NIO_REQUIRES(nio::onDispatcher);
    void requestArrived(SmscLink& link, const smpp::Pdu& request) override
        NIO_REQUIRES(nio::onDispatcher);
    void answerArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override
        NIO_REQUIRES(nio::onDispatcher);
    void requestLost(smpp::Cookie cookie, smpp::Lost how, smpp::Status status) override
        NIO_REQUIRES(nio::onDispatcher);
    void malformedArrived(SmscLink& link, smpp::Status problem, nio::ByteView octets) override
        NIO_REQUIRES(nio::onDispatcher);
    void linkLeaves(SmscLink&) override NIO_REQUIRES(nio::onDispatcher);
    void linkClosed(SmscLink& link, const std::string& why) override
        NIO_REQUIRES(nio::onDispatcher);

    void dialFailed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher);

    // --- towards the SMSC
    void startBinds() NIO_REQUIRES(nio::onDispatcher);
    void noteTrouble(const std::string& what, const std::string& why)
        NIO_REQUIRES(nio::onDispatcher);
    void noteBound() NIO_REQUIRES(nio::onDispatcher);
    std::string nameForLog() const;
    void awaitReplacement(bool wasTransmitting) NIO_REQUIRES(nio::onDispatcher);
    void waitNoLonger() NIO_REQUIRES(nio::onDispatcher);
    bool canTransmit() const NIO_REQUIRES(nio::onDispatcher);
    bool takesMessages() const NIO_REQUIRES(nio::onDispatcher);
    bool couldNotBeStored(const Submission& submission) const;
    void askNextOrRefuse(Submission& submission, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    bool addressMessage(Submission& submission) NIO_REQUIRES(nio::onDispatcher);
    SmscLink* takeTurn(const Submission& submission, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    void sendOn(SmscLink& link, Submission&& submission, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    void pump() NIO_REQUIRES(nio::onDispatcher);
    void pumpAll() NIO_REQUIRES(nio::onDispatcher);
    void waitForRate() NIO_REQUIRES(nio::onDispatcher);
    void leaveQueue() NIO_REQUIRES(nio::onDispatcher);
    void moveOrRefuse(Submission& submission) NIO_REQUIRES(nio::onDispatcher);
    [[nodiscard]] bool move(Submission& submission, std::size_t connector)
        NIO_REQUIRES(nio::onDispatcher);
    void lookForOverdue() NIO_REQUIRES(nio::onDispatcher);
    void refuseOverdue() NIO_REQUIRES(nio::onDispatcher);
    nio::Clock::duration overflow() NIO_REQUIRES(nio::onDispatcher);
    void countOutstanding() NIO_REQUIRES(nio::onDispatcher);
    void updateBoard() NIO_REQUIRES(nio::onDispatcher);

    // --- its answers
    void accepted(Flight&& flight, const smpp::Pdu& answer) NIO_REQUIRES(nio::onDispatcher);
    void committed(Committing&& done, bool ok) NIO_REQUIRES(nio::onDispatcher);
    void tellIfNothingComes() NIO_REQUIRES(nio::onDispatcher);
    void relay(Flight& flight, const smpp::Pdu& answer) NIO_REQUIRES(nio::onDispatcher);
    void countRefusal(smpp::Status status);
    void refuse(Submission& submission, smpp::Status status, std::string_view outcome)
        NIO_REQUIRES(nio::onDispatcher);
    // `record` may be null.
    void write(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived, smpp::Status status,
               std::string_view outcome) NIO_REQUIRES(nio::onDispatcher);
    const ConnectorConfig& config() const { return dialing_->config; }

    const Identity identity_;
    Shard& home_;
    ConnectorState& board_;
    std::shared_ptr<const SmscDialing> dialing_;
    SmscBinds binds_;
    bool on_ = true;
    bool retired_ = false;
    bool draining_ = false;
    bool pumping_ = false;
    bool replacing_ = false;  // binds, by those of another configuration

    SubmitQueue queue_;
    Flights flights_;
    std::size_t committing_ = 0;
    ThrottleControl throttle_;
    nio::Deadline wake_;
    nio::Deadline overdue_;       // is what is at the front of the queue then
    nio::TimePoint nextSince_{};  // of ConnectorState::queuedSince
    std::uint64_t moved_ = 0;     // messages, to other connectors
    nio::Deadline opensDoor_;
    nio::Deadline replacement_;  // until then messages wait for binds that are made anew
    MessageIdMaker ids_;
    ReceiptDesk receipts_;
    MessageCounters counters_;
    StatusCounts refusedBy_;
    Stages stages_;
    std::uint64_t wantReceipts_ = 0;  // accepted messages
    MalformedPdus malformed_;
    LastError lastError_;                 // of its binds
    std::set<std::string> toldTroubles_;  // since a bind was up
};

}  // namespace router
