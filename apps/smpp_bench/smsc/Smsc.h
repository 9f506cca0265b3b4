// An SMSC without subscribers: takes every message, gives it a message_id, and says some
// time later that it was delivered. Its options make it as troublesome as real ones are.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: longer than its dispatcher runs.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <nio/loop/SelectorThread.h>
#include <nio/net/Acceptor.h>

#include <smpp/pdu/Pdu.h>

#include "smpp_bench/DelayLine.h"
#include "smpp_bench/Stamp.h"
#include "smpp_bench/TokenBucket.h"
#include "smpp_bench/smsc/Mailbox.h"
#include "smpp_bench/smsc/Outbinder.h"

namespace smppbench {

class Smsc {
  public:
    Smsc(nio::SelectorThread& thread, const SmscOptions& options);

    // Makes links of what an Acceptor of the same dispatcher accepts.
    std::unique_ptr<nio::AcceptorListener> arrivals();
    void start() NIO_REQUIRES(nio::onDispatcher);
    std::string report() const;

    // --- for its links ------------------------------------------------------------------------
    const SmscOptions& options() const { return options_; }
    SmscCounts& counts() { return counts_; }
    smpp::Status admit(std::string_view systemId, std::string_view password);
    Mailbox& mailboxOf(std::string_view systemId);
    // Any of the requests that only a transmitter may send.
    void request(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void outbindClosed() NIO_REQUIRES(nio::onDispatcher);

  private:
    struct Answer {
        nio::ChannelHandle link;
        nio::Bytes pdu;
    };
    struct Receipt {
        Mailbox* mailbox = nullptr;
        ReceiptFacts facts;
    };

    void submit(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void accept(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    bool wantsReceipt(const smpp::Pdu& pdu) const;
    void orderReceipts(SmscLink& link, const smpp::Pdu& pdu, std::uint64_t number)
        NIO_REQUIRES(nio::onDispatcher);
    void sendReceipt(Receipt receipt) NIO_REQUIRES(nio::onDispatcher);
    void query(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void cancel(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void replace(SmscLink& link, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    // Null: no message of ours.
    MessageState* stateOf(const smpp::Pdu& pdu);
    void answerLater(SmscLink& link, nio::Bytes pdu) NIO_REQUIRES(nio::onDispatcher);
    void answerNow(const Answer& answer) NIO_REQUIRES(nio::onDispatcher);

    void sendMo() NIO_REQUIRES(nio::onDispatcher);
    void sendOneMo() NIO_REQUIRES(nio::onDispatcher);
    void repeatOld() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const SmscOptions options_;
    SmscCounts counts_;
    std::map<std::string, Mailbox, std::less<>> mailboxes_;
    SeenStamps seen_;
    TokenBucket throttle_;
    const std::uint64_t firstNumber_;
    std::vector<MessageState> states_;  // of all messages, from firstNumber_ on

    DelayLine<Answer> answers_;
    DelayLine<Receipt> receipts_;
    apps::Delay::Random random_;
    nio::Deadline repetition_;
    nio::Deadline moTime_;
    nio::TimePoint moDue_{};
    const std::uint32_t moRun_;
    std::uint32_t moCount_ = 0;
    std::unique_ptr<Outbinder> outbinder_;
};

}  // namespace smppbench
