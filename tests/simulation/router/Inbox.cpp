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
    nio::Bytes answer = smpp::answer(Command::deliverSm, status, request.sequence());
    const bool takesItsTime = !isRefused && random_.chance(ledger_.scenario.latePerMille);
    const bool late = takesItsTime && acknowledgeLater(std::move(answer));
    if (!takesItsTime) wire.send(answer);
    if (isRefused) return;
    ++deliveries_;
    const std::string_view text = nio::asText(request.message());
    text.starts_with("id:") ? receiptArrived(text, late) : originalArrived(text, late);
}

void Inbox::receiptArrived(std::string_view text, bool late) {
    const std::string id(text.substr(3, text.find(' ') - 3));
    const auto found = ledger_.byId.find(id);
    if (found == ledger_.byId.end()) {
        // Where the clock has jumped, the answer may have come when the connection was gone.
        const bool answerIsLost = ledger_.mayRepeat[account_] && ledger_.scheduler.clockHasJumped();
        const bool comesHere = account_ >= ledger_.scenario.receivers;
        if (comesHere && !answerIsLost) fail_("got a receipt for '" + id + "'");
        return ledger_.early[id].push_back({account_, late});
    }
    SentMessage& message = *found->second;
    if (message.esme != account_) return fail_("got another's receipt");
    message.late = message.late || late;
    ++message.receipts;
    const bool tooMany = isTooMany(text, message.late);
    if (tooMany && !ledger_.isExcused(message)) fail_("got a receipt too often");
}

void Inbox::originalArrived(std::string_view text, bool late) {
    const auto found = ledger_.originated.find(text);
    if (found == ledger_.originated.end()) return fail_("got a message that nobody has sent");
    OriginatedMessage& message = found->second;
    if (message.esme != account_) return fail_("got another's message");
    message.late = message.late || late;
    ++message.delivered;
    const bool tooMany = isTooMany(text, message.late);
    if (tooMany && !ledger_.scheduler.clockHasJumped()) fail_("got a message twice");
}

// What is acknowledged late comes again, until the acknowledgement is there.
bool Inbox::isTooMany(std::string_view text, bool late) {
    return ++copies_[std::string(text)] > (late ? 2 : 1);
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
