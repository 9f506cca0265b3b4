#include "simulation/router/Inbox.h"

#include <algorithm>

#include <smpp/pdu/PduWriter.h>

namespace simulation {

using smpp::Command;
using smpp::Status;

Inbox::Inbox(std::size_t account, Ledger& ledger, Random& random, Fail fail)
    : account_(account), ledger_(ledger), random_(random), fail_(std::move(fail)) {}

void Inbox::deliveryArrived(const smpp::Pdu& request, SmppWire& wire) {
    const bool isRefused = random_.chance(ledger_.scenario.notNowPerMille);
    const Status status = isRefused ? Status::xTAppn : Status::ok;
    const Place place = isRefused ? Place::refusal : Place::acknowledgement;
    const nio::Bytes plain = smpp::answer(Command::deliverSm, status, request.sequence());
    nio::Bytes answer = ledger_.sentBy(random_, place, plain).sent;
    const bool takesItsTime = !isRefused && random_.chance(ledger_.scenario.latePerMille);
    const bool late = takesItsTime && acknowledgeLater(std::move(answer));
    if (!takesItsTime) wire.send(answer);
    if (isRefused) return;
    ++deliveries_;
    const std::string body(nio::asText(request.bytes().subspan(smpp::Header::bytes)));
    SentMessage* message = ledger_.goingTo(request.text(smpp::Field::sourceAddress));
    if (message != nullptr) return receiptArrived(*message, body, late);
    const std::string_view text = nio::asText(request.message());
    originalArrived(text.substr(0, text.find(' ')), body, late);
}

void Inbox::alertArrived(const smpp::Pdu& alert) {
    const std::string name(alert.text(smpp::Field::sourceAddress));
    const auto found = ledger_.alerts.find(name);
    const std::string body(nio::asText(alert.bytes().subspan(smpp::Header::bytes)));
    if (found == ledger_.alerts.end() || ledger_.bodyOf(account_, found->second) != body) {
        return fail_("got an alert that is not as it was sent");
    }
    if (isTooMany(name, false)) fail_("got an alert twice");
}

void Inbox::receiptArrived(SentMessage& message, const std::string& body, bool late) {
    if (message.esme != account_) return fail_("got another's receipt");
    if (message.id.empty()) {
        // Where the clock has jumped, the answer may have come when the connection was gone.
        const bool answerIsLost = ledger_.mayRepeat[account_] && ledger_.scheduler.clockHasJumped();
        const bool comesHere = account_ >= ledger_.scenario.receivers;
        if (comesHere && !answerIsLost) fail_("got a receipt for " + message.number);
        return ledger_.early[message.number].push_back({account_, body, late});
    }
    SentReceipt* receipt = ledger_.receiptLike(message, body);
    if (receipt == nullptr) return fail_("got a receipt that is not as it was sent");
    receipt->late = receipt->late || late;
    ++receipt->received;
    const std::string name = message.number + " " + std::to_string(receipt->meaning);
    const bool tooMany = isTooMany(name, receipt->late);
    if (tooMany && !ledger_.isExcused(message)) fail_("got a receipt too often");
}

void Inbox::originalArrived(std::string_view name, const std::string& body, bool late) {
    const auto found = ledger_.originated.find(name);
    if (found == ledger_.originated.end()) return fail_("got a message that nobody has sent");
    OriginatedMessage& message = found->second;
    if (message.esme != account_) return fail_("got another's message");
    if (ledger_.bodyOf(account_, message.pdu) != body) fail_("got a message that is not as sent");
    message.late = message.late || late;
    ++message.delivered;
    const bool tooMany = isTooMany(found->first, message.late);
    if (tooMany && !ledger_.scheduler.clockHasJumped()) fail_("got a message twice");
}

// What is acknowledged late comes again, until the acknowledgement is there.
bool Inbox::isTooMany(const std::string& name, bool late) {
    return ++copies_[name] > (late ? 2 : 1);
}

// Whether it may come too late; some of the time goes on the way.
bool Inbox::acknowledgeLater(nio::Bytes pdu) {
    const auto latest = ledger_.scenario.latestAcknowledgement().count();
    const std::chrono::milliseconds delay(random_.below(static_cast<std::size_t>(latest)));
    owed_.push_back({ledger_.machine().now() + delay, std::move(pdu)});
    return delay > ledger_.scenario.response() / 2;
}

void Inbox::acknowledgeDue(SmppWire& wire) {
    const auto due = std::partition(owed_.begin(), owed_.end(), [this](const auto& each) {
        return each.at > ledger_.machine().now();
    });
    for (auto each = due; each != owed_.end(); ++each) wire.send(each->pdu);
    if (due == owed_.end()) return;
    owed_.erase(due, owed_.end());
    staysUntil_ = ledger_.machine().now() + ledger_.scenario.latestAcknowledgement();
    ledger_.machine().countProgress();
}

std::optional<nio::TimePoint> Inbox::wakesAt() const {
    std::optional<nio::TimePoint> next;
    for (const Acknowledgement& each : owed_) next = next ? std::min(*next, each.at) : each.at;
    const bool stays = ledger_.machine().now() < staysUntil_;
    if (stays) next = next ? std::min(*next, staysUntil_) : staysUntil_;
    return next;
}

bool Inbox::hasWaited() const {
    return owed_.empty() && ledger_.machine().now() >= staysUntil_;
}

void Inbox::clear() {
    owed_.clear();
    copies_.clear();
}

}  // namespace simulation
