#include "simulation/router/EsmePeer.h"

#include <algorithm>

#include <smpp/pdu/PduWriter.h>

namespace simulation {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

constexpr std::uint32_t firstSubmit = 2;
constexpr std::size_t mostTries = 10;
constexpr std::uint32_t unbindSequence = 1'000'000;
const Status noConnector = router::RouterConfig().noConnector;

nio::Bytes bindPdu(const std::string& systemId) {
    smpp::PduWriter pdu(Command::bindTransceiver, Status::ok, 1);
    pdu.text(systemId).text("secret").text("");
    return pdu.number(0x34).number(0).number(0).text("").finish();
}

nio::Bytes submitPdu(std::uint32_t sequence, std::size_t esme, const std::string& text) {
    smpp::PduWriter pdu(Command::submitSm, Status::ok, sequence);
    pdu.text("").number(0).number(1).text("1" + std::to_string(esme));
    pdu.number(1).number(1).text("4179" + std::to_string(1000 * (esme + 1) + sequence));
    pdu.number(0).number(0).number(0).text("").text("").number(1).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
    return pdu.finish();
}

}  // namespace

EsmePeer::EsmePeer(std::size_t index, Ledger& ledger)
    : index_(index), ledger_(ledger), random_(ledger.scenario.seed * 7919 + index) {
    if (random_.chance(ledger.scenario.goesPerMille)) {
        goesAfter_ = random_.below(ledger.scenario.messages + 1);
    }
}

void EsmePeer::step(bool eager) {
    if (isDone()) return;
    if (wakesAt_ && ledger_.machine().now() < *wakesAt_) return;
    wakesAt_.reset();
    if (!wire_) return connect();
    acknowledgeDue();
    wire_->pump(random_, eager);
    while (const auto octets = wire_->next()) arrived(*octets);
    if (isDone()) return;
    goOn(eager);
    if (!isDone() && wire_->isOver()) lost();
}

std::optional<nio::TimePoint> EsmePeer::wakesAt() const {
    std::optional<nio::TimePoint> next = wakesAt_;
    for (const Acknowledgement& each : owed_) next = next ? std::min(*next, each.at) : each.at;
    const bool stays = state_ == State::bound && ledger_.machine().now() < staysUntil_;
    if (stays) next = next ? std::min(*next, staysUntil_) : staysUntil_;
    return next;
}

void EsmePeer::connect() {
    if (ledger_.scenario.waitsForBinds && !ledger_.ready && !ledger_.stops) return;
    auto dialled = ledger_.machine().dial(nio::SocketAddress::loopback4(port()));
    if (dialled.refused) {
        // It does not listen yet.
        if (!ledger_.ready && !ledger_.stops) return;
        if (!ledger_.stops) fail("was refused");
        state_ = State::done;
        return ledger_.machine().countProgress();
    }
    if (dialled.connection == nullptr) return;
    wire_.emplace(ledger_.machine(), std::move(dialled.connection), Side::client);
    wire_->send(bindPdu("esme" + std::to_string(index_)));
    since_ = ledger_.settled;
    state_ = State::binding;
}

// The other one, where it is certain to be there.
std::uint16_t EsmePeer::port() const {
    const bool isSure = ledger_.settled == ledger_.newest &&
                        ledger_.scenario.editions[ledger_.settled].hasAnotherPort;
    return isSure ? RouterScenario::otherPort : RouterScenario::esmePort;
}

// --- what it says ---------------------------------------------------------------------------

void EsmePeer::goOn(bool eager) {
    if (state_ != State::bound || wasUnbound_) return;
    if (answers_ >= goesAfter_ && random_.chance(300)) return goEarly();
    const bool hasMore = sent_.size() < ledger_.scenario.messages;
    if (hasMore && (eager || random_.chance(300))) return submit();
    if (!hasMore && hasAll() && hasWaited()) unbind();
}

// Long enough for what comes again, though it should not.
bool EsmePeer::hasWaited() const {
    return owed_.empty() && ledger_.machine().now() >= staysUntil_;
}

void EsmePeer::goEarly() {
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
    message = {index_, number, ledger_.settled, submitPdu(sequence, index_, text)};
    sent_.push_back(&message);
    wire_->send(message.pdu);
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
               const bool awaitsReceipt =
                   message->receiptOpen || (message->receiptAccepted && message->receipts == 0);
               return (message->answered == 0 && !message->abandoned) || awaitsReceipt;
           });
}

// --- what it hears --------------------------------------------------------------------------

void EsmePeer::arrived(const nio::Bytes& octets) {
    const smpp::Scanned scanned = smpp::scan(octets);
    if (!scanned.pdu) return fail("got a malformed PDU");
    const smpp::Pdu& pdu = *scanned.pdu;
    switch (pdu.command()) {
        case Command::bindTransceiverResp: return bindAnswered(pdu.status());
        case Command::submitSmResp: return answered(pdu);
        case Command::deliverSm: return deliveryArrived(pdu);
        case Command::enquireLink:
            return wire_->send(smpp::answer(Command::enquireLink, Status::ok, pdu.sequence()));
        case Command::unbind: return toldToUnbind(pdu);
        case Command::unbindResp: return unbindAnswered();
        default: fail("got " + std::string(smpp::nameOf(pdu.command())));
    }
}

void EsmePeer::bindAnswered(Status status) {
    if (state_ != State::binding) return fail("was bound twice");
    if (status == Status::ok) {
        state_ = State::bound;
        return;
    }
    comesBack_ = mayLackAccount();
    if (!comesBack_ && !ledger_.stops) {
        fail("was not bound: " + std::string(smpp::nameOf(status)));
    }
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
    const bool same = message.smscStatus && *message.smscStatus == answer.status();
    if (same) return;
    const std::string name(smpp::nameOf(answer.status()));
    if (answer.status() == Status::ok) return fail("was told that a message was accepted");
    const bool isExcused = ledger_.mayLackAccount(index_, message.edition) ||
                           ledger_.isExcused(message) ||
                           (answer.status() == noConnector && ledger_.mayHaveNoLink(message));
    if (!isExcused) fail("was refused without a reason: " + name);
}

void EsmePeer::accepted(SentMessage& message, const smpp::Pdu& answer) {
    const std::string id(answer.text(Field::messageId));
    if (id.empty() || !ledger_.byId.emplace(id, &message).second) {
        fail("got the message id '" + id + "' that is another's");
    }
}

void EsmePeer::deliveryArrived(const smpp::Pdu& request) {
    const bool isRefused = random_.chance(ledger_.scenario.notNowPerMille);
    const Status status = isRefused ? Status::xTAppn : Status::ok;
    nio::Bytes answer = smpp::answer(Command::deliverSm, status, request.sequence());
    const bool takesItsTime = !isRefused && random_.chance(ledger_.scenario.latePerMille);
    const bool late = takesItsTime && acknowledgeLater(std::move(answer));
    if (!takesItsTime) wire_->send(answer);
    if (isRefused) return;
    const std::string_view text = nio::asText(request.message());
    text.starts_with("id:") ? receiptArrived(text, late) : originalArrived(text, late);
}

// Whether it may come too late; some of the time goes on the way.
bool EsmePeer::acknowledgeLater(nio::Bytes pdu) {
    const auto latest = ledger_.scenario.latestAcknowledgement().count();
    const std::chrono::milliseconds delay(random_.below(static_cast<std::size_t>(latest)));
    owed_.push_back({ledger_.machine().now() + delay, std::move(pdu)});
    return delay > ledger_.scenario.response() / 2;
}

void EsmePeer::acknowledgeDue() {
    const auto due = std::partition(owed_.begin(), owed_.end(), [this](const auto& each) {
        return each.at > ledger_.machine().now();
    });
    for (auto each = due; each != owed_.end(); ++each) wire_->send(each->pdu);
    if (due == owed_.end()) return;
    owed_.erase(due, owed_.end());
    staysUntil_ = ledger_.machine().now() + ledger_.scenario.latestAcknowledgement();
    ledger_.machine().countProgress();
}

// What is acknowledged late comes again, until the acknowledgement is there; it does not come by
// another connection.
std::size_t EsmePeer::mostCopies(bool late) const {
    return late ? 2 * (tries_ + 1) : 1;
}

void EsmePeer::originalArrived(std::string_view text, bool late) {
    const auto found = ledger_.originated.find(text);
    if (found == ledger_.originated.end()) return fail("got a message that nobody has sent");
    OriginatedMessage& message = found->second;
    if (message.esme != index_) return fail("got another's message");
    const bool mayComeAgain = tries_ > 0 || ledger_.scheduler.clockHasJumped();
    message.late = message.late || late;
    if (++message.delivered > mostCopies(message.late) && !mayComeAgain)
        fail("got a message twice");
}

void EsmePeer::receiptArrived(std::string_view text, bool late) {
    const std::string id(text.substr(3, text.find(' ') - 3));
    const auto found = ledger_.byId.find(id);
    if (found == ledger_.byId.end()) return fail("got a receipt for '" + id + "'");
    SentMessage& message = *found->second;
    if (message.esme != index_) return fail("got another's receipt");
    message.late = message.late || late;
    const bool tooMany = ++message.receipts > mostCopies(message.late);
    if (tooMany && !ledger_.isExcused(message)) fail("got a receipt too often");
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
    const bool excused =
        wasUnbound_ || comesBack_ || ledger_.stops || !wire_->connection().excuse().empty();
    if (!excused) fail("was cut off");
    comesBack_ && !ledger_.stops && ++tries_ < mostTries ? comeBack() : leave(false);
}

void EsmePeer::comeBack() {
    wire_->close(false);
    wire_.reset();
    owed_.clear();
    state_ = State::away;
    wasUnbound_ = comesBack_ = false;
    wakesAt_ = ledger_.machine().now() + std::chrono::milliseconds(random_.below(1000));
}

void EsmePeer::leave(bool reset) {
    wire_->close(reset);
    owed_.clear();
    state_ = State::done;
}

std::string EsmePeer::toString() const {
    std::size_t open = 0;
    for (const SentMessage* message : sent_) open += message->receiptOpen ? 1 : 0;
    return "esme" + std::to_string(index_) + " (state " + std::to_string(static_cast<int>(state_)) +
           ", " + std::to_string(sent_.size()) + " of " +
           std::to_string(ledger_.scenario.messages) + " sent, " + std::to_string(answers_) +
           " answered, " + std::to_string(open) + " receipts open)";
}

}  // namespace simulation
