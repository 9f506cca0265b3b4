// What comes from an SMSC: receipts find the message that they are about, get its id as the ESME
// knows it, and go to the account that sent it; messages go to the account of their destination.
//
// The SMSC is answered when the account's desk says that the delivery is safe or refused. A receipt
// whose message is not known yet is held while an answer may still come to what was sent before the
// receipt arrived, for an id that is accepted is known at once; one that was safe already
// is suppressed and answered at once; its double that comes in between is answered with it. Before
// one is held or refused, the other connectors of the SMSC are asked for its message. What only its
// text makes a receipt is one if its id and its number are a message's; otherwise it is a message.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <functional>
#include <unordered_map>

#include <nio/sys/LogLimiter.h>
#include <nio/timers/Deadline.h>

#include <smpp/text/Receipt.h>

#include "sms_router/delivery/HeldReceipts.h"
#include "sms_router/delivery/IdMap.h"
#include "sms_router/model/Delivery.h"
#include "sms_router/model/LastError.h"
#include "sms_router/routing/Shard.h"

namespace router {

class ReceiptDesk {
  public:
    // When the first of those requests was sent that the SMSC has not answered;
    // TimePoint::max(): it has answered all.
    using OldestRequest = std::function<nio::TimePoint()>;

    ReceiptDesk(Shard& home, Egress& source, std::size_t connector, const IdMap::Limits& limits,
                OldestRequest oldestRequest);

    nio::SelectorThread& dispatcher() const { return home_.thread(); }
    void useConfigNow(const std::string& connectorName) NIO_REQUIRES(nio::onDispatcher);
    IdMap& ids() { return ids_; }
    const IdMap& ids() const { return ids_; }
    void add(IdEntry entry) NIO_REQUIRES(nio::onDispatcher);
    // The message is on disk, and its answer is on its way; or it is not (then it is forgotten).
    void committedNow(MessageId id, bool ok) NIO_REQUIRES(nio::onDispatcher);

    // The ids that are to leave the store do so, without waiting for the tick.
    void removeLeftNow() NIO_REQUIRES(nio::onDispatcher);

    // The SMSC has answered all.
    void nothingComesNow() NIO_REQUIRES(nio::onDispatcher);

    // A receipt that came by another connector of the SMSC, or one that comes back from there.
    // Answered, now or later, unless the memory for that fails: then the SMSC's time-out is the
    // answer.
    void strayedNow(StrayReceipt&& stray) NIO_REQUIRES(nio::onDispatcher);
    // deliver_sm, data_sm, alert_notification.
    void arrivedNow(nio::ChannelHandle link, const smpp::Pdu& request)
        NIO_REQUIRES(nio::onDispatcher);
    void deliveredNow(nio::ChannelHandle link, std::uint32_t sequence, smpp::Command command,
                      MessageId about, std::uint8_t state, Delivered how, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);

    std::size_t held() const { return held_.size(); }
    const MessageCounters& counters() const { return counters_; }
    // Receipts and messages, by the answer that the SMSC got.
    const StatusCounts& refused() const { return refused_; }
    // Of receipts that found their message, whatever became of them.
    std::uint64_t foundReceipts() const { return found_; }
    // Of receipts that were refused, since their message is not known.
    std::uint64_t unmatchedReceipts() const { return unmatched_; }
    const LastError& lastError() const { return lastError_; }

  private:
    // Who asked: a request of the SMSC that waits for its answer.
    struct Asker {
        nio::ChannelHandle link;
        smpp::Command command{};
        std::uint32_t sequence = 0;
        std::uint64_t place = 0;  // among those that are held
        nio::TimePoint arrived{};
    };

    // Where else a message may be that a receipt fits better than the one that is here.
    struct Elsewhere {
        bool inAnAnswer = false;         // that is still to come
        bool atAnother = false;          // connector of the SMSC
        Fit best = Fit::none;            // of what the others have, as far as they were asked
        const Account* whose = nullptr;  // see StrayReceipt
        bool isContested = false;        // see StrayReceipt
    };
    struct Found {
        Fit fit = Fit::none;
        bool isTaken = false;
        const Account* whose = nullptr;  // where no number speaks for it
        bool isContested = false;        // see IdMap::Match
    };

    // A receipt that came again while the first one is in flight to the account.
    struct Double {
        PassedReceipts::Place place = PassedReceipts::none;
        Asker asker;
        std::unique_ptr<MessageRecord> record;
    };

    void removeFromStore(std::vector<MessageId> left) NIO_REQUIRES(nio::onDispatcher);
    void respond(const Asker& asker, smpp::Status status) NIO_REQUIRES(nio::onDispatcher);
    void receiptArrived(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                        nio::TimePoint until) NIO_REQUIRES(nio::onDispatcher);
    void findOthers() NIO_REQUIRES(nio::onDispatcher);
    // `best` and `isContested` as the first round has found; it is the first one without.
    void askOthers(const Asker& asker, const smpp::Pdu& pdu, nio::TimePoint until,
                   Fit best = Fit::none, bool isContested = false) NIO_REQUIRES(nio::onDispatcher);
    void cameBack(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                  const StrayReceipt& stray, bool comesYet) NIO_REQUIRES(nio::onDispatcher);
    static void passOn(StrayReceipt&& stray) NIO_REQUIRES(nio::onDispatcher);
    Found find(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
               nio::TimePoint& until, Elsewhere elsewhere) NIO_REQUIRES(nio::onDispatcher);
    bool mayComeYet(nio::TimePoint arrived) const { return oldestRequest_() <= arrived; }
    bool mayFitBetter(const IdMap::Match& match, Elsewhere elsewhere) const;
    IdMap::Match messageOf(const smpp::Pdu& pdu, const smpp::Receipt& receipt);
    bool hasMessage(const smpp::Pdu& pdu, const smpp::Receipt& longer);
    // Its message is not known yet.
    void hold(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
              nio::TimePoint until) NIO_REQUIRES(nio::onDispatcher);
    void hold(const Asker& asker, const smpp::Pdu& pdu, std::string id, nio::TimePoint until,
              std::string longerId = {}) NIO_REQUIRES(nio::onDispatcher);
    void unmatched(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt)
        NIO_REQUIRES(nio::onDispatcher);
    void refuseUnmatched(const Asker& asker, const smpp::Pdu& pdu, std::string_view id)
        NIO_REQUIRES(nio::onDispatcher);
    void forward(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                 IdEntry& entry) NIO_REQUIRES(nio::onDispatcher);
    void noteUnmatched(std::string_view id);
    bool suppressed(const Asker& asker, const smpp::Pdu& pdu, const IdEntry& entry,
                    PassedReceipts::Place place) NIO_REQUIRES(nio::onDispatcher);
    void answerDoubles(MessageId about, PassedReceipts::Place place, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    void messageArrived(const Asker& asker, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void again(const HeldReceipt& held) NIO_REQUIRES(nio::onDispatcher);
    void deliver(Account& account, Delivery&& delivery) NIO_REQUIRES(nio::onDispatcher);
    std::unique_ptr<MessageRecord> recordOf(const smpp::Pdu& pdu, MessageRecord::Kind kind)
        NIO_REQUIRES(nio::onDispatcher);
    std::unique_ptr<MessageRecord> recordOf(const smpp::Pdu& pdu, const IdEntry& entry)
        NIO_REQUIRES(nio::onDispatcher);
    void write(std::unique_ptr<MessageRecord> record, smpp::Status status, std::string_view outcome)
        NIO_REQUIRES(nio::onDispatcher);
    void tick() NIO_REQUIRES(nio::onDispatcher);

    Shard& home_;
    Egress& source_;
    const std::size_t connector_;
    const OldestRequest oldestRequest_;
    std::string name_;
    std::vector<ReceiptDesk*> others_;  // of the same SMSC
    IdMap ids_;
    HeldReceipts held_;
    std::unordered_multimap<MessageId, Double> doubles_;
    nio::Deadline tick_;
    MessageCounters counters_;
    StatusCounts refused_;
    std::uint64_t found_ = 0;
    std::uint64_t unmatched_ = 0;
    LastError lastError_;
    nio::LogLimiter unmatchedLog_;
};

}  // namespace router
