#include "smpp_bench/esme/EsmeRun.h"

#include <algorithm>
#include <random>

#include <nio/sys/LineSink.h>

#include "common/Endpoint.h"
#include "common/Printable.h"
#include "smpp_bench/esme/ReceiptText.h"

namespace smppbench {

using smpp::Command;
using smpp::Field;
using smpp::Pdu;
using smpp::Status;

namespace {

constexpr std::size_t dialsAtOnce = 64;
constexpr std::chrono::milliseconds paceTick{1};
constexpr std::chrono::seconds bindTimeout{60};
constexpr std::chrono::seconds unbindTimeout{5};

}  // namespace

EsmeRun::EsmeRun(nio::SelectorThread& thread, const EsmeOptions& options, Finished finished)
    : thread_(thread),
      options_(options),
      server_(apps::resolve({options.host, options.port, {}}).orThrow()),
      finished_(std::move(finished)),
      template_(options, std::random_device()()),
      bucket_(options.load.rate),
      phaseEnd_(thread.deadlines(),
                [this] {
                    nio::onDispatcher.assertCurrent();
                    alarmRang();
                }),
      warmUpEnd_(thread.deadlines(),
                 [this] {
                     nio::onDispatcher.assertCurrent();
                     beginMeasuring();
                 }),
      pace_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          fillAll();
      }) {
    ledger_.reserve(options.load.messages);
    for (std::size_t i = 0; i < options.binds; ++i) {
        const std::size_t account = i % options.accounts.size();
        if (options.transceivers) {
            binds_.emplace_back(*this, account, Command::bindTransceiver);
        } else {
            binds_.emplace_back(*this, account, Command::bindReceiver);
            binds_.emplace_back(*this, account, Command::bindTransmitter);
        }
    }
    figures_.bindsWanted = binds_.size();
}

// --- binding ----------------------------------------------------------------------------------

void EsmeRun::start() {
    phaseEnd_.wakeAfter(bindTimeout);
    dialSome();
}

void EsmeRun::dialSome() {
    while (dialed_ < binds_.size() && dialed_ - decided_ < dialsAtOnce) binds_[dialed_++].dial();
}

bool EsmeRun::mayReconnect() const {
    return options_.reconnect && phase_ != Phase::binding && !isEnding();
}

void EsmeRun::bindMade(EsmeBind& bind) {
    if (phase_ != Phase::binding) return bind.fill();
    ++figures_.bindsMade;
    ++decided_;
    dialSome();
    if (decided_ == binds_.size()) beginSending();
}

void EsmeRun::bindFailed(const std::string& reason) {
    ++figures_.bindRefusals[reason];
    if (phase_ != Phase::binding) return;
    ++decided_;
    dialSome();
    if (decided_ == binds_.size()) beginSending();
}

void EsmeRun::bindLost(EsmeBind&, std::size_t unanswered) {
    if (phase_ == Phase::over) return;  // end() has counted them
    waiting_ -= unanswered;
    figures_.unanswered += unanswered;
    if (!canSend()) lastAnswer_ = nio::Clock::now();
    if (!isEnding()) ++figures_.lostLinks;
    goOn();
}

void EsmeRun::linkClosed() {
    --links_;
    if (phase_ == Phase::sending && !options_.reconnect && !canSend()) return stopSending();
    goOn();
}

// --- sending ----------------------------------------------------------------------------------

void EsmeRun::beginSending() {
    enter(Phase::sending);
    if (!options_.json || options_.load.isIdle()) {
        (void)nio::standardOutput().write({"esme bound ", std::to_string(figures_.bindsMade),
                                           " binds to ", server_.toString(), "\n"});
    }
    if (figures_.bindsMade == 0) return stopSending();
    phaseEnd_.wakeAfter(options_.load.messages == 0 ? options_.load.duration
                                                    : options_.checks.answerTimeout);
    if (options_.load.warmUp > std::chrono::nanoseconds::zero()) {
        warmUpEnd_.wakeAfter(options_.load.warmUp);
    } else {
        beginMeasuring();
    }
    fillAll();
}

void EsmeRun::beginMeasuring() {
    measurement_.begin(figures_, receipts().receipts, options_.serverPid);
}

void EsmeRun::fillAll() {
    if (phase_ != Phase::sending) return;
    for (EsmeBind& bind : binds_) bind.fill();
    if (options_.load.rate > 0) pace_.wakeAfter(paceTick);
}

std::optional<std::uint32_t> EsmeRun::takeNumber() {
    if (phase_ != Phase::sending) return std::nullopt;
    if (options_.load.messages > 0 && figures_.sent >= options_.load.messages) return std::nullopt;
    if (!bucket_.take()) return std::nullopt;
    if (waiting_++ == 0) lastAnswer_ = nio::Clock::now();
    return static_cast<std::uint32_t>(figures_.sent++);
}

nio::ByteView EsmeRun::message(std::uint32_t number, std::uint32_t sequence, const EsmeBind& bind) {
    if (options_.show) show("sent", bind.name().systemId + " message " + std::to_string(number));
    return template_.message(number, sequence);
}

void EsmeRun::answered(EsmeBind& bind, const Pdu& pdu, std::optional<nio::TimePoint> sent) {
    if (!sent) {
        ++figures_.strayAnswers;
        return;
    }
    --waiting_;
    lastAnswer_ = nio::Clock::now();
    ++figures_.answered;
    const bool isNack = pdu.command() == Command::genericNack;
    const Status status = isNack && pdu.status() == Status::ok ? Status::unknownErr : pdu.status();
    ++figures_.statuses[static_cast<std::uint32_t>(status)];
    if (measurement_.isOn()) figures_.latency.record(lastAnswer_ - *sent);
    if (options_.show) {
        show("answer", bind.name().systemId + " " + smpp::nameOf(status) +
                           (isNack ? " generic_nack"
                                   : " message_id " + std::string(pdu.text(Field::messageId))));
    }
    if (status == Status::ok) {
        ledger_.answered(pdu.text(Field::messageId), bind.account());
    }
    goOn();
}

void EsmeRun::delivered(EsmeBind& bind, const Pdu& pdu) {
    const ReceiptReading receipt = readReceipt(pdu);
    if (options_.show) {
        show(receipt.isReceipt ? "receipt" : "MO",
             bind.name().systemId + " " + std::string(nio::asText(pdu.message())));
    }
    if (!receipt.isReceipt) {
        const std::string to(pdu.text(Field::destinationAddress));
        ++figures_.mo[bind.name().systemId][to];
        return;
    }
    if (receipt.disagrees) ++figures_.idsDisagree;
    if (!receipt.isFinal) return;
    ledger_.receipt(receipt.messageId, bind.account());
    goOn();
}

void EsmeRun::show(const char* what, const std::string& rest) const {
    (void)nio::standardOutput().write({what, ": ", apps::printable(rest), "\n"});
}

// --- the phases -------------------------------------------------------------------------------

std::uint64_t EsmeRun::owedReceipts() const {
    return options_.checks.registered ? receipts().lost() : 0;
}

bool EsmeRun::canSend() const {
    return std::any_of(binds_.begin(), binds_.end(), [](const EsmeBind& bind) {
        return bind.isBound() && bind.command() != Command::bindReceiver;
    });
}

bool EsmeRun::isPhaseComplete() const {
    switch (phase_) {
        case Phase::sending:
            return options_.load.messages > 0 &&
                   figures_.answered + figures_.unanswered >= options_.load.messages;
        case Phase::answering: return waiting_ == 0;
        case Phase::receiving: return owedReceipts() == 0;
        case Phase::unbinding: return links_ == 0;
        default: return false;
    }
}

void EsmeRun::enter(Phase phase) {
    phase_ = phase;
    phaseEnd_.cancel();
}

void EsmeRun::goOn() {
    if (isPhaseComplete()) alarmRang();
}

void EsmeRun::stop() {
    if (std::exchange(stopping_, true) || phase_ > Phase::sending) return end();
    stopSending();
}

void EsmeRun::stopSending() {
    measurement_.end(figures_, receipts().receipts);
    warmUpEnd_.cancel();
    if (!options_.checks.registered) charge();
    enter(Phase::answering);
    phaseEnd_.wakeAfter(options_.checks.answerTimeout);
    goOn();
}

// With --messages nothing else ends a phase whose answers do not come, or whose SMSC does not come
// back.
void EsmeRun::checkAnswers() {
    if (waiting_ == 0 && canSend()) return phaseEnd_.wakeAfter(options_.checks.answerTimeout);
    const nio::TimePoint due = lastAnswer_ + options_.checks.answerTimeout;
    if (nio::Clock::now() < due) return phaseEnd_.wakeAt(due);
    figures_.unsent = options_.load.messages - figures_.sent;
    stopSending();
    if (phase_ == Phase::answering) alarmRang();  // this was the time for the last answers
}

// The phase is complete, or its time is over.
void EsmeRun::alarmRang() {
    switch (phase_) {
        case Phase::binding:
            figures_.bindRefusals["no answer"] += binds_.size() - decided_;
            return beginSending();
        case Phase::sending:
            if (options_.load.messages > 0 && !isPhaseComplete()) return checkAnswers();
            return stopSending();
        case Phase::answering:
            enter(Phase::receiving);
            phaseEnd_.wakeAfter(options_.checks.registered ? options_.checks.waitReceipts
                                                           : std::chrono::nanoseconds::zero());
            return goOn();
        case Phase::receiving:
            if (options_.checks.registered) charge();
            enter(Phase::settling);
            return phaseEnd_.wakeAfter(options_.checks.registered
                                           ? options_.checks.settle
                                           : std::chrono::nanoseconds::zero());
        case Phase::settling:
            enter(Phase::unbinding);
            for (EsmeBind& bind : binds_) bind.unbind();
            phaseEnd_.wakeAfter(unbindTimeout);
            return goOn();
        default: return end();
    }
}

void EsmeRun::end() {
    if (std::exchange(phase_, Phase::over) == Phase::over) return;
    figures_.unanswered += std::exchange(waiting_, 0);
    for (EsmeBind& bind : binds_) bind.abort();
    finished_();
}

}  // namespace smppbench
