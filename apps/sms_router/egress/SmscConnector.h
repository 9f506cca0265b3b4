// One SMSC: its binds (SmscBinds), what waits for its window (WaitingRequests), what waits for its
// answers (SentRequests), and the messages that it has accepted (ReceiptDesk). All of it lives on
// one dispatcher, the connector's home, so that an answer, the receipt that follows it and whoever
// asks for the message meet without a lock.
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
// what becomes of it is what the SMSC says, or RouterSection::linkLost if it says nothing.
//
// Thread: the dispatcher's own, except construction, dispatcher() and what says otherwise.
// Lifetime: that of the router.
#pragma once

#include <memory>
#include <string>

#include "sms_router/delivery/ReceiptDesk.h"
#include "sms_router/egress/BindTroubles.h"
#include "sms_router/egress/SentRequests.h"
#include "sms_router/egress/SmscBinds.h"
#include "sms_router/egress/SubmitOutcomes.h"
#include "sms_router/egress/ThrottleControl.h"
#include "sms_router/egress/WaitingRequests.h"
#include "sms_router/routing/Shard.h"

namespace router {

class SmscConnector final : public Egress {
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
    ReceiptDesk& receipts() { return receipts_; }

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
    void deliveredNow(nio::ChannelHandle link, std::uint32_t sequence, smpp::Command command,
                      MessageId about, std::uint8_t state, Delivered how,
                      smpp::Status status) override NIO_REQUIRES(nio::onDispatcher);

    // --- what its connections tell
    void linkBound(SmscLink& link) NIO_REQUIRES(nio::onDispatcher);
    // A receipt, a message, an alert: to be answered.
    void requestArrived(SmscLink& link, const smpp::Pdu& request) NIO_REQUIRES(nio::onDispatcher);
    void answerArrived(const smpp::Pdu& answer, smpp::Cookie cookie)
        NIO_REQUIRES(nio::onDispatcher);
    void requestLost(smpp::Cookie cookie, smpp::Lost how, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    void malformedArrived(SmscLink& link, smpp::Status problem, nio::ByteView octets)
        NIO_REQUIRES(nio::onDispatcher);
    // It takes nothing more, though it is not closed yet.
    void linkLeaves() NIO_REQUIRES(nio::onDispatcher);
    void linkClosed(SmscLink& link, const std::string& why) NIO_REQUIRES(nio::onDispatcher);
    // A connection to the port for outbinds.
    void callerRefused(const nio::SocketAddress& peer, const std::string& why)
        NIO_REQUIRES(nio::onDispatcher);
    // There is no connection to bind on; another try follows.
    void dialFailed(const std::string& why) NIO_REQUIRES(nio::onDispatcher);

  private:
    // --- its binds
    void startBinds() NIO_REQUIRES(nio::onDispatcher);
    void noteTrouble(const std::string& what, const std::string& why)
        NIO_REQUIRES(nio::onDispatcher);
    void awaitReplacement(bool wasTransmitting) NIO_REQUIRES(nio::onDispatcher);
    void waitNoLonger() NIO_REQUIRES(nio::onDispatcher);
    bool canTransmit() const NIO_REQUIRES(nio::onDispatcher);
    bool takesMessages() const NIO_REQUIRES(nio::onDispatcher);

    // --- towards the SMSC
    bool couldNotBeStored(const Submission& submission) const;
    bool nameMessage(Submission& submission) NIO_REQUIRES(nio::onDispatcher);
    void askNextOrRefuse(Submission& submission, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    SmscLink* takeTurn(const Submission& submission, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    void pump() NIO_REQUIRES(nio::onDispatcher);
    void pumpAll() NIO_REQUIRES(nio::onDispatcher);
    void leaveQueue() NIO_REQUIRES(nio::onDispatcher);
    void lookForOverdue() NIO_REQUIRES(nio::onDispatcher);
    void countOutstanding() NIO_REQUIRES(nio::onDispatcher);
    void updateBoard() NIO_REQUIRES(nio::onDispatcher);
    const ConnectorConfig& config() const { return dialing_->config; }

    const Identity identity_;
    Shard& home_;
    ConnectorState& board_;
    std::shared_ptr<const SmscDialing> dialing_;
    SmscBinds binds_;
    bool on_ = true;
    bool retired_ = false;
    bool pumping_ = false;
    bool replacing_ = false;  // binds, by those of another configuration

    SubmitOutcomes outcomes_;
    WaitingRequests waiting_;
    ReceiptDesk receipts_;
    SentRequests sent_;
    ThrottleControl throttle_;
    nio::Deadline wake_;
    nio::Deadline overdue_;  // is what is at the front of the queue then
    nio::Deadline opensDoor_;
    nio::Deadline replacement_;  // until then messages wait for binds that are made anew
    MalformedPdus malformed_;
    BindTroubles troubles_;
};

}  // namespace router
