// The requests that a connector has sent, until the ESME has the answer: matched with the SMSC's
// answers, and, when accepted, given an id of ours that is on disk before the ESME hears of it.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of the router.
#pragma once

#include "sms_router/delivery/ReceiptDesk.h"
#include "sms_router/egress/Flights.h"
#include "sms_router/egress/SmscLink.h"
#include "sms_router/egress/SubmitOutcomes.h"

namespace router {

class SentRequests {
  public:
    // `connector`: its number for ever. `receipts` gets each accepted message.
    SentRequests(Shard& home, std::uint32_t connector, ReceiptDesk& receipts,
                 SubmitOutcomes& outcomes);

    // Which an earlier run has given.
    void startIdsAfter(MessageId id) { ids_.startAfter(id); }

    void sendNow(SmscLink& link, Submission&& submission, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    // What the session gives back a cookie for; answeredNow() or a refusal follows.
    Flight take(smpp::Cookie cookie) { return flights_.take(cookie); }
    void answeredNow(Flight&& flight, const smpp::Pdu& answer, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    // Tells `receipts` if no id is to come.
    void tellIfNothingComesNow() NIO_REQUIRES(nio::onDispatcher);

    // That the SMSC has not answered.
    std::size_t size() const { return flights_.size(); }
    // Nor does an answer wait for the disk.
    bool empty() const { return flights_.size() == 0 && committing_ == 0; }
    // When the first of those was sent that the SMSC has not answered; TimePoint::max(): none.
    nio::TimePoint oldest() const { return flights_.oldest(); }
    // Accepted messages whose delivery is to be receipted.
    std::uint64_t wantReceipts() const { return wantReceipts_; }

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

    void accepted(Flight&& flight, const smpp::Pdu& answer, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    void committed(Committing&& done, bool ok) NIO_REQUIRES(nio::onDispatcher);

    Shard& home_;
    const std::uint32_t connector_;
    ReceiptDesk& receipts_;
    SubmitOutcomes& outcomes_;
    Flights flights_;
    std::size_t committing_ = 0;
    MessageIdMaker ids_;
    std::uint64_t wantReceipts_ = 0;
};

}  // namespace router
