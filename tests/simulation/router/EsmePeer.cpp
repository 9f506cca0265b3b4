#include "simulation/router/EsmePeer.h"

#include <algorithm>

#include <smpp/pdu/PduWriter.h>

#include "simulation/router/BindPdu.h"
#include "simulation/router/OddPdu.h"

namespace simulation {

using namespace std::string_view_literals;
using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

constexpr std::uint32_t firstSubmit = 2;
constexpr std::size_t mostTries = 10;
constexpr std::uint32_t unbindSequence = 1'000'000;
const Status noConnector = router::RouterConfig().router.noConnector;

void writeDestinations(smpp::PduWriter& pdu, const std::string& first, std::size_t count) {
    pdu.number(static_cast<std::uint8_t>(count)).number(1).number(1).number(1).text(first);
    for (; count > 1; --count) {
        pdu.number(1).number(1).number(1).text("4178" + std::to_string(count));
    }
}

// `destinations`: of a submit_multi; 0: it is a submit_sm.
nio::Bytes submitPdu(std::uint32_t sequence, const SentMessage& message, const std::string& text,
                     std::size_t destinations) {
    const Command command = destinations > 0 ? Command::submitMulti : Command::submitSm;
    smpp::PduWriter pdu(command, Status::ok, sequence);
    pdu.text("").number(0).number(1).text("1" + std::to_string(message.esme));
    if (destinations > 0) {
        writeDestinations(pdu, message.number, destinations);
    } else {
        pdu.number(1).number(1).text(message.number);
    }
    pdu.number(0).number(0).number(0).text("").text("").number(1).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
    return pdu.finish();
}

// Of a message that no router knows.
nio::Bytes queryPdu(std::uint32_t sequence) {
    return smpp::PduWriter(Command::querySm, Status::ok, sequence)
        .text("17")
        .number(1)
        .number(1)
        .text("1")
        .finish();
}

// Behind the message_id.
std::string_view restOf(std::string_view body) {
    return body.substr(std::min(body.size(), body.find('\0') + 1));
}

}  // namespace

EsmePeer::EsmePeer(std::size_t index, Ledger& ledger)
    : index_(index),
      ledger_(ledger),
      random_(ledger.scenario.seed * 7919 + index),
      inbox_(index, ledger, random_, [this](const std::string& what) { fail(what); }) {
    if (random_.chance(ledger.scenario.goesPerMille)) {
        goesAfter_ = random_.below(ledger.scenario.messages + 1);
    }
}

void EsmePeer::step(bool eager) {
    if (isDone()) return;
    if (wakesAt_ && ledger_.machine().now() < *wakesAt_) return;
    wakesAt_.reset();
    if (!wire_) return connect();
    inbox_.acknowledgeDue(*wire_);
    wire_->pump(random_, eager);
    while (const auto octets = wire_->next()) arrived(*octets);
    if (isDone()) return;
    goOn(eager);
    if (!isDone() && wire_->isOver()) lost();
}

std::optional<nio::TimePoint> EsmePeer::wakesAt() const {
    const std::optional<nio::TimePoint> next = inbox_.wakesAt();
    return wakesAt_ && next ? std::min(*wakesAt_, *next) : wakesAt_ ? wakesAt_ : next;
}

void EsmePeer::connect() {
    if (ledger_.scenario.waitsForBinds && !ledger_.ready && !ledger_.stops) return;
    auto dialled = ledger_.machine().dial(nio::SocketAddress::loopback4(ledger_.esmePort()));
    if (dialled.refused) {
        // It does not listen yet.
        if (!ledger_.ready && !ledger_.stops) return;
        if (!ledger_.stops) fail("was refused");
        state_ = State::done;
        return ledger_.machine().countProgress();
    }
    if (dialled.connection == nullptr) return;
    wire_.emplace(ledger_.machine(), std::move(dialled.connection), Side::client);
    since_ = ledger_.settled;
    state_ = State::binding;
    const OddPdu sent =
        ledger_.sentBy(random_, Place::bind, bindPdu(Command::bindTransceiver, index_, version()));
    bindRefusal_ = sent.refused;
    wire_->send(sent.sent);
}

// --- what it says ---------------------------------------------------------------------------

void EsmePeer::goOn(bool eager) {
    if (state_ != State::bound || wasUnbound_) return;
    if (answers_ >= goesAfter_ && random_.chance(300)) return goEarly();
    const bool hasMore = sent_.size() < ledger_.scenario.messages;
    if (hasMore && (eager || random_.chance(300))) return submit();
    if (!hasMore && hasAll() && inbox_.hasWaited()) unbind();
}

void EsmePeer::goEarly() {
    ledger_.mayRepeat[index_] = true;
    random_.chance(500) ? unbind() : leave(random_.chance(500));
}

void EsmePeer::unbind() {
    wire_->send(smpp::PduWriter(Command::unbind, Status::ok, unbindSequence).finish());
    state_ = State::unbinding;
    ledger_.machine().countProgress();
}

void EsmePeer::submit() {
    const std::size_t number = sent_.size();
    const std::string name = "m" + std::to_string(index_) + "-" + std::to_string(number);
    const auto sequence = static_cast<std::uint32_t>(firstSubmit + number);
    const std::string text = name + " " + std::string(random_.anySize(120), 'x');
    SentMessage& message = ledger_.messages[name];
    message = {index_, ledger_.settled, "4179" + std::to_string(1000 * (index_ + 1) + sequence)};
    sent_.push_back(&message);
    const bool isOdd = ledger_.isOdd(random_);
    const bool queries = isOdd && random_.chance(100);
    const bool isMulti = isOdd && !queries && random_.chance(150);
    const std::size_t destinations = isMulti ? 1 + random_.anySize(254) : 0;
    const OddPdu sent = ledger_.sentBy(
        random_,
        queries   ? Place::query
        : isMulti ? Place::multi
                  : Place::submit,
        queries ? queryPdu(sequence) : submitPdu(sequence, message, text, destinations));
    message.pdu = sent.read;
    message.refusal = sent.refused;
    if (queries && message.refusal == Status::ok) message.refusal = Status::invMsgId;
    wire_->send(sent.sent);
    ledger_.machine().countProgress();
}

bool EsmePeer::hasAll() const {
    const auto& originated = ledger_.originated;
    const bool awaitsOriginal =
        std::any_of(originated.begin(), originated.end(), [this](const auto& each) {
            const OriginatedMessage& message = each.second;
            const bool isOnItsWay = message.open || (message.accepted && message.delivered == 0);
            return message.esme == index_ && isOnItsWay;
        });
    return !awaitsOriginal &&
           std::none_of(sent_.begin(), sent_.end(), [](const SentMessage* message) {
               // It does not know which receipt is that of one whose answer it never got.
               const auto isAwaited = [message](const SentReceipt& receipt) {
                   const bool isMissing = receipt.received == 0 && !message->abandoned;
                   return receipt.open > 0 || (receipt.accepted && isMissing);
               };
               const auto& receipts = message->receipts;
               return (message->answered == 0 && !message->abandoned) ||
                      std::any_of(receipts.begin(), receipts.end(), isAwaited);
           });
}

// --- what it hears --------------------------------------------------------------------------

void EsmePeer::arrived(const nio::Bytes& octets) {
    const std::optional<smpp::Pdu> read = wellFormed(octets);
    if (!read) return fail("got a malformed PDU");
    const smpp::Pdu& pdu = *read;
    switch (pdu.command()) {
        case Command::bindTransceiverResp: return bindAnswered(pdu.status());
        case Command::submitSmResp:
        case Command::submitMultiResp:
        case Command::querySmResp: return answered(pdu);
        case Command::deliverSm: return inbox_.deliveryArrived(pdu, *wire_);
        case Command::alertNotification: return inbox_.alertArrived(pdu);
        case Command::enquireLink:
            return wire_->send(smpp::answer(Command::enquireLink, Status::ok, pdu.sequence()));
        case Command::unbind: return toldToUnbind(pdu);
        case Command::unbindResp: return unbindAnswered();
        default: fail("got " + std::string(smpp::nameOf(pdu.command())));
    }
}

void EsmePeer::bindAnswered(Status status) {
    if (state_ != State::binding) return fail("was bound twice");
    if (bindRefusal_ != Status::ok) return bindRefused(status);
    if (status == Status::ok) {
        state_ = State::bound;
        return;
    }
    comesBack_ = mayLackAccount();
    if (!comesBack_ && !ledger_.stops) {
        fail("was not bound: " + std::string(smpp::nameOf(status)));
    }
}

// It tries again, by the book.
void EsmePeer::bindRefused(Status status) {
    if (status != bindRefusal_) fail("had its bind answered " + smpp::nameOf(status));
    bindRefusal_ = Status::ok;
    wire_->send(bindPdu(Command::bindTransceiver, index_, version()));
}

void EsmePeer::answered(const smpp::Pdu& answer) {
    const std::size_t index = answer.sequence() - firstSubmit;
    if (index >= sent_.size()) return fail("got an answer to nothing");
    SentMessage& message = *sent_[index];
    if (++message.answered > 1) return fail("got two answers to one message");
    ++answers_;
    checkStatus(message, answer);
    if (answer.status() == Status::ok) accepted(message, answer);
}

void EsmePeer::checkStatus(const SentMessage& message, const smpp::Pdu& answer) {
    const bool isRefused = message.refusal != Status::ok && message.refusal == answer.status();
    const bool same = isRefused || (message.smscStatus && *message.smscStatus == answer.status());
    if (same) return;
    const std::string name(smpp::nameOf(answer.status()));
    if (answer.status() == Status::ok) return fail("was told that a message was accepted");
    // Also an account that is there again: who was told to unbind meanwhile may not have heard it.
    const bool isExcused = mayLackAccount() || ledger_.isExcused(message) ||
                           (answer.status() == noConnector && ledger_.mayHaveNoLink(message));
    if (!isExcused) fail("was refused without a reason: " + name);
}

void EsmePeer::accepted(SentMessage& message, const smpp::Pdu& answer) {
    const std::string id(answer.text(Field::messageId));
    if (id.size() != (version() < 0x34 ? 8 : 16)) fail("got the message id '" + id + "'");
    if (id.empty() || !ledger_.ids.insert(id).second) {
        fail("got the message id '" + id + "' that is another's");
    }
    message.id = id;
    const std::string said = ledger_.bodyOf(index_, message.answer);
    const bool isMulti = answer.command() == Command::submitMultiResp;
    const std::string_view expected = isMulti && said.empty() ? "\0"sv : restOf(said);
    const nio::ByteView body = answer.bytes().subspan(smpp::Header::bytes);
    if (restOf(nio::asText(body)) != expected) fail("got an answer that is not as it was sent");
    const auto early = ledger_.early.extract(message.number);
    if (!early) return;
    for (const EarlyReceipt& each : early.mapped()) {
        if (each.esme != index_) fail("has a receipt that another one got");
        SentReceipt* receipt = ledger_.receiptLike(message, each.body);
        if (receipt == nullptr) return fail("got a receipt that is not as it was sent");
        ++receipt->received;
        receipt->late = receipt->late || each.late;
    }
}

void EsmePeer::toldToUnbind(const smpp::Pdu& request) {
    comesBack_ = mayLackAccount() && !ledger_.stops;
    const bool isExcused = ledger_.stops || ledger_.scheduler.clockHasJumped();
    if (!comesBack_ && !isExcused) fail("was told to unbind");
    abandonOpen();
    wasUnbound_ = true;
    wire_->send(smpp::answer(Command::unbind, Status::ok, request.sequence()));
}

// Who unbinds gets its answers first.
void EsmePeer::unbindAnswered() {
    const bool hasOpen = std::any_of(sent_.begin(), sent_.end(), [](const SentMessage* message) {
        return message->answered == 0 && !message->abandoned;
    });
    if (hasOpen && !ledger_.scheduler.clockHasJumped()) fail("was unbound before its answers");
    wasUnbound_ = true;
    leave(false);
}

// What has not been forwarded by now never will; the rest has been answered, or it is too late.
void EsmePeer::abandonOpen() {
    for (SentMessage* message : sent_) {
        if (message->answered > 0 || std::exchange(message->abandoned, true)) continue;
        const bool isOpen = message->forwarded > 0 && !ledger_.scheduler.clockHasJumped();
        if (isOpen) fail("was told to unbind, and a message was not answered");
    }
}

// --- how it ends ----------------------------------------------------------------------------

void EsmePeer::lost() {
    ledger_.mayRepeat[index_] = true;
    const bool excused =
        wasUnbound_ || comesBack_ || ledger_.stops || !wire_->connection().excuse().empty();
    if (!excused) fail("was cut off");
    comesBack_ && !ledger_.stops && ++tries_ < mostTries ? comeBack() : leave(false);
}

void EsmePeer::comeBack() {
    wire_->close(false);
    wire_.reset();
    inbox_.clear();
    state_ = State::away;
    wasUnbound_ = comesBack_ = false;
    wakesAt_ = ledger_.machine().now() + std::chrono::milliseconds(random_.below(1000));
}

void EsmePeer::leave(bool reset) {
    wire_->close(reset);
    inbox_.clear();
    state_ = State::done;
}

std::string EsmePeer::toString() const {
    std::size_t open = 0;
    for (const SentMessage* message : sent_) {
        for (const SentReceipt& receipt : message->receipts) open += receipt.open;
    }
    return "esme" + std::to_string(index_) + " (state " + std::to_string(static_cast<int>(state_)) +
           ", " + std::to_string(sent_.size()) + " of " +
           std::to_string(ledger_.scenario.messages) + " sent, " + std::to_string(answers_) +
           " answered, " + std::to_string(open) + " receipts open)";
}

}  // namespace simulation
