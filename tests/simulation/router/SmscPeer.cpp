#include "simulation/router/SmscPeer.h"

#include <algorithm>
#include <utility>

#include <smpp/pdu/PduWriter.h>
#include <smpp/text/UserDataHeader.h>

namespace simulation {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

nio::Bytes originalPdu(std::uint32_t sequence, const std::string& number, const std::string& text) {
    smpp::PduWriter pdu(Command::deliverSm, Status::ok, sequence);
    pdu.text("").number(1).number(1).text("41790000").number(0).number(1).text(number);
    pdu.number(0).number(0).number(0).text("").text("").number(0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
    return pdu.finish();
}

nio::Bytes alertPdu(std::uint32_t sequence, const std::string& name, const std::string& number) {
    return smpp::PduWriter(Command::alertNotification, Status::ok, sequence)
        .number(5)
        .number(0)
        .text(name)
        .number(0)
        .number(1)
        .text(number)
        .finish();
}

// Of a submit_multi it has accepted some destinations only.
nio::Bytes acceptedPdu(Command request, std::uint32_t sequence, const std::string& id,
                       std::size_t others) {
    smpp::PduWriter pdu(smpp::responseTo(request), Status::ok, sequence);
    pdu.text(id);
    if (request == Command::submitSm) return pdu.finish();
    pdu.number(static_cast<std::uint8_t>(others));
    for (; others > 0; --others) {
        pdu.number(1).number(1).text("4178" + std::to_string(others));
        pdu.number(0).number(0).number(0).number(0x0B);
    }
    return pdu.finish();
}

}  // namespace

SmscPeer::SmscPeer(std::size_t index, Ledger& ledger)
    : index_(index),
      ledger_(ledger),
      random_(ledger.scenario.seed * 104'729 + index),
      listener_(*ledger.listeners[index]) {}

void SmscPeer::step(bool eager) {
    while (!listener_.waiting.empty()) {
        links_.push_back(
            {SmppWire(ledger_.machine(), std::move(listener_.waiting.front()), Side::server)});
        listener_.waiting.pop_front();
        ledger_.machine().countProgress();
    }
    for (Link& link : links_) step(link, eager);
    takeStrays();
    std::erase_if(links_, [](const Link& link) { return link.wire.isOver(); });
}

void SmscPeer::step(Link& link, bool eager) {
    link.wire.pump(random_, eager);
    while (!link.broken) {
        const auto octets = link.wire.next();
        if (!octets) break;
        arrived(link, *octets);
    }
    if (!link.wire.isOver()) speak(link);
    if (link.wire.isOver()) ended(link);
}

std::optional<nio::TimePoint> SmscPeer::wakesAt() const {
    if (!ledger_.strays[index_].empty()) return ledger_.machine().now();
    std::optional<nio::TimePoint> next;
    for (const Link& link : links_) {
        for (const Due& due : link.due) next = next ? std::min(*next, due.at) : due.at;
    }
    return next;
}

// --- what it hears --------------------------------------------------------------------------

void SmscPeer::arrived(Link& link, const nio::Bytes& octets) {
    const std::optional<smpp::Pdu> read = wellFormed(octets);
    if (!read) return fail("got a malformed PDU");
    const smpp::Pdu& pdu = *read;
    switch (pdu.command()) {
        case Command::bindTransceiver: return bindArrived(link, pdu.sequence());
        case Command::submitSm:
        case Command::submitMulti: return submitted(link, pdu, octets);
        case Command::deliverSmResp: return deliveryAnswered(link, pdu);
        case Command::enquireLink:
            return link.wire.send(smpp::answer(Command::enquireLink, Status::ok, pdu.sequence()));
        case Command::unbind: return unbound(link, pdu);
        case Command::unbindResp: return unbindAnswered(link);
        default: fail("got " + std::string(smpp::nameOf(pdu.command())));
    }
}

// A message may come before the answer.
void SmscPeer::bindArrived(Link& link, std::uint32_t sequence) {
    link.isBound = true;
    const bool isEarly = ledger_.isOdd(random_) && random_.chance(300);
    if (isEarly) sendOriginal(link, newOriginal());
    send(link, Place::bindAnswer,
         smpp::PduWriter(Command::bindTransceiverResp, Status::ok, sequence).text("smsc").finish());
}

void SmscPeer::submitted(Link& link, const smpp::Pdu& request, const nio::Bytes& octets) {
    link.carriedMessages = true;
    const std::size_t beforeText = smpp::UserDataHeader(request).size();
    SentMessage* message = ledger_.find(nio::asText(request.message().subspan(beforeText)));
    if (message == nullptr) return fail("got a message that nobody has sent");
    if (++message->forwarded > 1) return fail("got a message twice");
    if (message->refusal != Status::ok) return fail("got a message that is to be refused");
    if (link.refusedReceipt) fail("got a message by a link that was about to leave");
    if (link.mayLeave) fail("got a message by a link that was unbound");
    if (message->abandoned && !ledger_.scheduler.clockHasJumped()) {
        fail("got a message whose ESME had been unbound");
    }
    if (!ledger_.mayGoTo(*message, index_)) return fail("got another's message");
    constexpr auto header = static_cast<std::ptrdiff_t>(smpp::Header::bytes);
    nio::Bytes& sent = message->pdu;
    const bool hasReference = message->reference > 0 && octets.size() == sent.size();
    if (hasReference) sent[message->reference] = octets[message->reference];
    if (!std::equal(octets.begin() + header, octets.end(), sent.begin() + header, sent.end())) {
        fail("got a message that is not as it was sent");
    }
    if (random_.chance(ledger_.scenario.breaksPerMille)) {
        link.broken = true;
        return link.wire.close(true);
    }
    if (random_.chance(ledger_.scenario.unbindsPerMille)) unbind(link);
    if (random_.chance(ledger_.scenario.originatesPerMille)) originate(link);
    if (!link.unbinds && random_.chance(ledger_.scenario.alertsPerMille)) sendAlert(link);
    later(link, {{}, What::answer, request.sequence(), message});
    checkWindows(link, message->esme);
}

// What it has not answered is not answered for the router either, but by a time-out or an end.
void SmscPeer::checkWindows(const Link& link, std::size_t esme) {
    if (ledger_.scheduler.clockHasJumped()) return;
    const auto isOpen = [](const Due& due) { return due.what == What::answer; };
    const auto isHis = [&](const Due& due) { return isOpen(due) && due.message->esme == esme; };
    const auto open = std::count_if(link.due.begin(), link.due.end(), isOpen);
    if (static_cast<std::size_t>(open) > ledger_.scenario.window) {
        fail("got more messages than its window allows");
    }
    if (ledger_.isExcused(index_) || RouterScenario::isWeb(esme)) return;
    std::size_t his = 0;
    for (const Link& each : links_) {
        his += static_cast<std::size_t>(std::count_if(each.due.begin(), each.due.end(), isHis));
    }
    if (his > ledger_.accountWindow()) fail("got more than an account's window allows");
}

void SmscPeer::deliveryAnswered(Link& link, const smpp::Pdu& answer) {
    const auto receipt = link.receipts.extract(answer.sequence());
    if (receipt) return receiptAnswered(link, *receipt.mapped(), answer.status());
    const auto original = link.originated.extract(answer.sequence());
    if (original) return originalAnswered(link, *original.mapped(), answer.status());
    fail("got an answer to nothing");
}

void SmscPeer::receiptAnswered(Link& link, SentReceipt& receipt, Status status) {
    --receipt.open;
    receipt.accepted = receipt.accepted || status == Status::ok;
    if (status == Status::ok || ledger_.isExcused(index_)) return;
    if (ledger_.isExcused(receipt.message)) return;
    link.refusedReceipt = status == Status::xTAppn && ledger_.newest > 0;
    if (!link.refusedReceipt) {
        fail("had a receipt refused: " + std::string(smpp::nameOf(status)));
    }
}

void SmscPeer::originalAnswered(Link& link, OriginatedMessage& message, Status status) {
    message.open = false;
    message.accepted = status == Status::ok;
    const bool hasNoAccount =
        status == Status::invDstAdr && ledger_.mayLackAccount(message.esme, message.edition);
    if (message.accepted || hasNoAccount || ledger_.isExcused(index_)) return;
    link.refusedReceipt = status == Status::xTAppn && ledger_.newest > 0;
    if (!link.refusedReceipt) {
        fail("had a message refused: " + std::string(smpp::nameOf(status)));
    }
}

// Who leaves has all the answers that it may expect.
void SmscPeer::unbound(Link& link, const smpp::Pdu& request) {
    link.wasUnbound = true;
    if (hasOpen(link) && !ledger_.isExcused(index_)) fail("was unbound before it had answered");
    link.wire.send(smpp::answer(Command::unbind, Status::ok, request.sequence()));
}

void SmscPeer::unbind(Link& link) {
    if (std::exchange(link.unbinds, true)) return;
    ledger_.unbound[index_] = true;
    link.wire.send(smpp::PduWriter(Command::unbind, Status::ok, link.nextSequence++).finish());
}

void SmscPeer::unbindAnswered(Link& link) {
    if (!link.unbinds || std::exchange(link.mayLeave, true)) {
        return fail("got an answer to an unbind that it has not sent");
    }
    if (hasOpen(link) && !ledger_.isExcused(index_)) fail("was left before it had answered");
    if (link.receipts.empty() && link.originated.empty()) return;
    fail("was left before its deliveries were answered");
}

bool SmscPeer::hasOpen(const Link& link) const {
    return std::any_of(link.due.begin(), link.due.end(),
                       [](const Due& due) { return due.what == What::answer; });
}

// --- what it says ---------------------------------------------------------------------------

void SmscPeer::later(Link& link, Due due) {
    constexpr auto latest = static_cast<std::size_t>(RouterScenario::latestAnswer.count());
    const std::chrono::milliseconds delay(random_.chance(500) ? 0 : random_.below(latest));
    due.at = ledger_.machine().now() + delay;
    link.due.push_back(std::move(due));
}

std::string SmscPeer::newOriginal() {
    std::string text = "o" + std::to_string(index_) + "-" + std::to_string(++originals_);
    const std::size_t esme = ledger_.scenario.anyAccount(random_);
    ledger_.originated[text] = {esme, ledger_.settled, true};
    return text;
}

void SmscPeer::originate(Link& link) {
    later(link, {{}, What::original, 0, nullptr, nullptr, newOriginal()});
}

// One of those that are due, any of them.
void SmscPeer::speak(Link& link) {
    const std::size_t start = random_.below(link.due.size());
    for (std::size_t i = 0; i < link.due.size(); ++i) {
        const std::size_t at = (start + i) % link.due.size();
        if (link.due[at].at > ledger_.machine().now()) continue;
        const Due due = link.due[at];
        link.due.erase(link.due.begin() + static_cast<std::ptrdiff_t>(at));
        say(link, due);
        return ledger_.machine().countProgress();
    }
}

// Who has asked to be unbound begins nothing more.
void SmscPeer::say(Link& link, const Due& due) {
    if (due.what == What::answer) return answer(link, due);
    if (due.what == What::receipt) {
        return link.unbinds ? void(--due.receipt->open) : giveReceipt(link, *due.receipt);
    }
    link.unbinds ? void(ledger_.originated[due.text].open = false) : sendOriginal(link, due.text);
}

void SmscPeer::sendOriginal(Link& link, const std::string& text) {
    OriginatedMessage& message = ledger_.originated[text];
    const std::uint32_t sequence = link.nextSequence++;
    link.originated[sequence] = &message;
    const nio::Bytes plain = originalPdu(sequence, RouterScenario::numberOf(message.esme), text);
    // Of an oddity there is nothing left in JSON.
    const bool isPlain = RouterScenario::isWeb(message.esme);
    const OddPdu sent =
        isPlain ? OddPdu{plain, plain} : ledger_.sentBy(random_, Place::original, plain);
    message.pdu = sent.read;
    link.wire.send(sent.sent);
}

// Nothing answers it: it may be lost.
void SmscPeer::sendAlert(Link& link) {
    const std::string name = "a" + std::to_string(index_) + "-" + std::to_string(++alerts_) + "n";
    const std::string number = RouterScenario::numberOf(ledger_.scenario.anyAccount(random_));
    const OddPdu sent =
        ledger_.sentBy(random_, Place::alert, alertPdu(link.nextSequence++, name, number));
    ledger_.alerts[std::string(wellFormed(sent.read)->text(Field::sourceAddress))] = sent.read;
    link.wire.send(sent.sent);
}

void SmscPeer::answer(Link& link, const Due& due) {
    if (random_.chance(ledger_.scenario.refusalsPerMille)) return refuse(link, due);
    SentMessage& message = *due.message;
    const std::string id = "s" + std::to_string(index_) + "n" + std::to_string(++ids_);
    const OddPdu accepted =
        ledger_.sentBy(random_, message.isMulti() ? Place::multiAccepted : Place::accepted,
                       acceptedPdu(message.command(), due.sequence, id, random_.below(4)));
    message.smscStatus = Status::ok;
    message.answer = accepted.read;
    message.smscId = smpp::scan(accepted.read).pdu->text(Field::messageId);
    drawReceipts(link, message);
    const bool outruns = !message.receipts.empty() && random_.chance(100);
    if (outruns) giveReceipt(link, message.receipts.front());
    link.wire.send(accepted.sent);
    for (SentReceipt& receipt : message.receipts) {
        const bool isUnderWay = outruns && &receipt == &message.receipts.front();
        for (std::size_t i = isUnderWay ? 1 : 0; i < receipt.open; ++i) {
            later(link, {{}, What::receipt, 0, nullptr, &receipt});
        }
    }
}

void SmscPeer::refuse(Link& link, const Due& due) {
    due.message->smscStatus = Status::submitFail;
    send(link, Place::refusal,
         smpp::answer(due.message->command(), Status::submitFail, due.sequence));
}

// Without an id there is nothing to say. Their parameters tell several apart, which an ESME of an
// old version does not get.
void SmscPeer::drawReceipts(const Link& link, SentMessage& message) {
    const bool hasSome = random_.chance(ledger_.scenario.receiptsPerMille) && !link.unbinds;
    if (!hasSome || message.smscId.empty()) return;
    const bool isOdd = !RouterScenario::isWeb(message.esme) && ledger_.isOdd(random_);
    const bool mayBeSeveral = isOdd && ledger_.scenario.versionOf(message.esme) >= 0x34;
    const std::size_t meanings = mayBeSeveral ? random_.between(1, 3) : 1;
    for (std::size_t i = 0; i < meanings; ++i) {
        SentReceipt& receipt = message.receipts.emplace_back(message, i, isOdd, random_);
        const bool repeats =
            isOdd && !message.isMulti() && receipt.hasState() && random_.chance(300);
        receipt.open = repeats ? 2 : 1;
    }
}

// To the router, or to another one who speaks for the same SMSC.
void SmscPeer::giveReceipt(Link& link, SentReceipt& receipt) {
    const bool strays = ledger_.scenario.isOneSmsc && random_.chance(500);
    if (!strays) return sendReceipt(link, receipt);
    const std::size_t smscs = ledger_.scenario.smscs;
    ledger_.strays[(index_ + random_.between(1, smscs - 1)) % smscs].push_back(&receipt);
}

void SmscPeer::takeStrays() {
    for (SentReceipt* receipt : std::exchange(ledger_.strays[index_], {})) {
        const auto link = std::find_if(links_.begin(), links_.end(), [](const Link& each) {
            return each.isBound && !each.unbinds && !each.broken && !each.wire.isOver();
        });
        ledger_.machine().countProgress();
        link != links_.end() ? sendReceipt(*link, *receipt) : void(--receipt->open);
    }
}

void SmscPeer::sendReceipt(Link& link, SentReceipt& receipt) {
    const std::uint32_t sequence = link.nextSequence++;
    link.receipts[sequence] = &receipt;
    link.wire.send(receipt.sent(sequence));
    receipt.sentAt = ledger_.machine().now();
}

// --- how it ends ----------------------------------------------------------------------------

void SmscPeer::ended(Link& link) {
    for (const auto& [sequence, receipt] : link.receipts) --receipt->open;
    for (const auto& [sequence, message] : link.originated) message->open = false;
    for (const Due& due : link.due) {
        if (due.what == What::original) ledger_.originated[due.text].open = false;
        if (due.what == What::receipt) --due.receipt->open;
    }
    // It is stopped, or others take its place, which may happen before it was used.
    const bool mayLeave = ledger_.newest > 0 || ledger_.switched[index_];
    const bool isReplaced = mayLeave && !link.carriedMessages && !link.refusedReceipt;
    const bool isOrderly = link.wasUnbound || link.mayLeave || isReplaced;
    const bool excused = isOrderly || link.broken || ledger_.stops ||
                         ledger_.scheduler.clockHasJumped() ||
                         !link.wire.connection().excuse().empty();
    if (!excused) fail("was left by the router");
    if (!isOrderly) ledger_.troubled[index_] = true;
    link.wire.close(false);
}

std::string SmscPeer::toString() const {
    std::size_t due = 0;
    for (const Link& link : links_) due += link.due.size();
    return "smsc" + std::to_string(index_) + " (" + std::to_string(links_.size()) + " links, " +
           std::to_string(due) + " answers due)";
}

}  // namespace simulation
