// A run of ESMEs against a router (or an SMSC): binds, sends, waits for what is owed, and
// unbinds. finished() is called at the end, with everything counted.
//
// Phases, in this order: binding, sending (its first part may be a warm-up), answering (the last
// answers), receiving (the last receipts), settling (one receipt too many?), unbinding.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: longer than its dispatcher runs.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include <nio/loop/SelectorThread.h>

#include "smpp_bench/TokenBucket.h"
#include "smpp_bench/esme/EsmeBind.h"
#include "smpp_bench/esme/EsmeFigures.h"
#include "smpp_bench/esme/Measurement.h"
#include "smpp_bench/esme/MessageTemplate.h"

namespace smppbench {

class EsmeRun {
  public:
    using Finished = nio::UniqueFunction<void()>;

    EsmeRun(nio::SelectorThread& thread, const EsmeOptions& options, Finished finished);

    void start() NIO_REQUIRES(nio::onDispatcher);
    // Sends nothing more, and goes on to the end.
    void stop() NIO_REQUIRES(nio::onDispatcher);

    const EsmeFigures& figures() const { return figures_; }
    const ReceiptLedger::Totals& receipts() const { return ledger_.totals(); }

    // --- for its binds ------------------------------------------------------------------------
    nio::SelectorThread& thread() { return thread_; }
    const EsmeOptions& options() const { return options_; }
    const nio::SocketAddress& server() const { return server_; }
    bool mayReconnect() const;
    bool isEnding() const { return phase_ >= Phase::unbinding; }
    void bindMade(EsmeBind& bind) NIO_REQUIRES(nio::onDispatcher);
    void bindFailed(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    void bindLost(EsmeBind& bind, std::size_t unanswered) NIO_REQUIRES(nio::onDispatcher);
    // The next message's number; nothing: do not send now.
    std::optional<std::uint32_t> takeNumber() NIO_REQUIRES(nio::onDispatcher);
    // Valid until the next call.
    nio::ByteView message(std::uint32_t number, std::uint32_t sequence, const EsmeBind& bind);
    void answered(EsmeBind& bind, const smpp::Pdu& pdu, std::optional<nio::TimePoint> sent)
        NIO_REQUIRES(nio::onDispatcher);
    void delivered(EsmeBind& bind, const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void linkOpened() { ++links_; }
    void linkClosed() NIO_REQUIRES(nio::onDispatcher);
    void enquired() { ++figures_.enquireLinks; }
    void nonsense() { ++figures_.malformed; }

  private:
    enum class Phase { binding, sending, answering, receiving, settling, unbinding, over };

    void dialSome() NIO_REQUIRES(nio::onDispatcher);
    void beginSending() NIO_REQUIRES(nio::onDispatcher);
    void beginMeasuring() NIO_REQUIRES(nio::onDispatcher);
    void fillAll() NIO_REQUIRES(nio::onDispatcher);
    void stopSending() NIO_REQUIRES(nio::onDispatcher);
    void goOn() NIO_REQUIRES(nio::onDispatcher);
    bool canSend() const;
    bool isPhaseComplete() const;
    void enter(Phase phase) NIO_REQUIRES(nio::onDispatcher);
    void checkAnswers() NIO_REQUIRES(nio::onDispatcher);
    void charge() { measurement_.charge(figures_, receipts().receipts); }
    void end() NIO_REQUIRES(nio::onDispatcher);
    void alarmRang() NIO_REQUIRES(nio::onDispatcher);
    std::uint64_t owedReceipts() const;
    void show(const char* what, const std::string& rest) const;

    nio::SelectorThread& thread_;
    const EsmeOptions options_;
    const nio::SocketAddress server_;
    Finished finished_;
    MessageTemplate template_;
    TokenBucket bucket_;
    ReceiptLedger ledger_;
    EsmeFigures figures_;

    Phase phase_ = Phase::binding;
    std::deque<EsmeBind> binds_;
    std::size_t dialed_ = 0;
    std::size_t decided_ = 0;  // binds made or refused, of the first ones
    std::size_t waiting_ = 0;  // messages without an answer
    std::size_t links_ = 0;    // connections
    // Or when the first message without an answer was sent, or the last bind that sends was lost.
    nio::TimePoint lastAnswer_{};
    bool stopping_ = false;
    Measurement measurement_;
    nio::Deadline phaseEnd_;
    nio::Deadline warmUpEnd_;
    nio::Deadline pace_;
};

}  // namespace smppbench
