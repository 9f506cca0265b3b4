#include "simulation/router/SmscPeer.h"

#include <algorithm>
#include <utility>

#include <smpp/pdu/PduWriter.h>

#include "simulation/router/OddPdu.h"

namespace simulation {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

const std::string usualReceipt =
    " sub:001 dlvrd:001 submit date:2401010000 done date:2401010001 stat:DELIVRD err:000 text:";
// As other SMSCs write them.
const std::array<std::string, 6> oddReceipts{
    " stat:DELIVRD",
    " sub:001 dlvrd:001 submitdate:2401010000 donedate:2401010001 Status=delivered Text:id:1",
    " , sub:001; dlvrd:001; stat:DELIVRD; err: 0; text:",
    " STAT:DELIVRD\r\nERR:000\r\n",
    " sub : 001 stat : DELIVRD",
    " stat%3ADELIVRD%20err%3A000"};

nio::Bytes receiptPdu(std::uint32_t sequence, const SentMessage& message, const std::string& rest) {
    const smpp::Scanned sent = smpp::scan(message.pdu);
    const std::string text = "id:" + message.smscId + rest;
    smpp::PduWriter pdu(Command::deliverSm, Status::ok, sequence);
    pdu.text("").number(1).number(1).text(sent.pdu->text(Field::destinationAddress));
    pdu.number(0).number(1).text(sent.pdu->text(Field::sourceAddress));
    pdu.number(4).number(0).number(0).text("").text("").number(0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
    return pdu.finish();
}

nio::Bytes originalPdu(std::uint32_t sequence, const std::string& number, const std::string& text) {
    smpp::PduWriter pdu(Command::deliverSm, Status::ok, sequence);
    pdu.text("").number(1).number(1).text("41790000").number(0).number(1).text(number);
    pdu.number(0).number(0).number(0).text("").text("").number(0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(nio::asBytes(text));
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
    const smpp::Scanned scanned = smpp::scan(octets);
    if (!scanned.pdu) return fail("got a malformed PDU");
    const smpp::Pdu& pdu = *scanned.pdu;
    switch (pdu.command()) {
        case Command::bindTransceiver:
            link.isBound = true;
            return link.wire.send(
                smpp::PduWriter(Command::bindTransceiverResp, Status::ok, pdu.sequence())
                    .text("smsc")
                    .finish());
        case Command::submitSm: return submitted(link, pdu, octets);
        case Command::deliverSmResp: return deliveryAnswered(link, pdu);
        case Command::enquireLink:
            return link.wire.send(smpp::answer(Command::enquireLink, Status::ok, pdu.sequence()));
        case Command::unbind: return unbound(link, pdu);
        case Command::unbindResp: return unbindAnswered(link);
        default: fail("got " + std::string(smpp::nameOf(pdu.command())));
    }
}

void SmscPeer::submitted(Link& link, const smpp::Pdu& request, const nio::Bytes& octets) {
    link.carriedMessages = true;
    SentMessage* message = ledger_.find(nio::asText(request.message()));
    if (message == nullptr) return fail("got a message that nobody has sent");
    if (++message->forwarded > 1) return fail("got a message twice");
    if (link.refusedReceipt) fail("got a message by a link that was about to leave");
    if (link.mayLeave) fail("got a message by a link that was unbound");
    if (message->abandoned && !ledger_.scheduler.clockHasJumped()) {
        fail("got a message whose ESME had been unbound");
    }
    if (!ledger_.mayGoTo(*message, index_)) return fail("got another's message");
    constexpr auto header = static_cast<std::ptrdiff_t>(smpp::Header::bytes);
    const nio::Bytes& sent = message->pdu;
    if (!std::equal(octets.begin() + header, octets.end(), sent.begin() + header, sent.end())) {
        fail("got a message that is not as it was sent");
    }
    if (random_.chance(ledger_.scenario.breaksPerMille)) {
        link.broken = true;
        return link.wire.close(true);
    }
    if (random_.chance(ledger_.scenario.unbindsPerMille)) unbind(link);
    if (random_.chance(ledger_.scenario.originatesPerMille)) originate(link);
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
    if (ledger_.isExcused(index_)) return;
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

void SmscPeer::receiptAnswered(Link& link, SentMessage& message, Status status) {
    message.receiptOpen = false;
    message.receiptAccepted = status == Status::ok;
    if (status == Status::ok || ledger_.isExcused(index_) || ledger_.isExcused(message)) return;
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

void SmscPeer::originate(Link& link) {
    std::string text = "o" + std::to_string(index_) + "-" + std::to_string(++originals_);
    const std::size_t esme = random_.below(ledger_.scenario.esmes);
    ledger_.originated[text] = {esme, ledger_.settled, true};
    later(link, {{}, What::original, 0, nullptr, std::move(text)});
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
        return link.unbinds ? void(due.message->receiptOpen = false)
                            : giveReceipt(link, *due.message);
    }
    link.unbinds ? void(ledger_.originated[due.text].open = false) : sendOriginal(link, due.text);
}

void SmscPeer::sendOriginal(Link& link, const std::string& text) {
    OriginatedMessage& message = ledger_.originated[text];
    const std::uint32_t sequence = link.nextSequence++;
    link.originated[sequence] = &message;
    deliver(link, originalPdu(sequence, RouterScenario::numberOf(message.esme), text));
}

void SmscPeer::answer(Link& link, const Due& due) {
    SentMessage& message = *due.message;
    if (random_.chance(ledger_.scenario.refusalsPerMille)) {
        message.smscStatus = Status::submitFail;
        return link.wire.send(smpp::answer(Command::submitSm, Status::submitFail, due.sequence));
    }
    message.smscStatus = Status::ok;
    message.smscId = "s" + std::to_string(index_) + "-" + std::to_string(++ids_);
    const bool hasReceipt = random_.chance(ledger_.scenario.receiptsPerMille) && !link.unbinds;
    message.receiptOpen = hasReceipt;
    const bool outruns = hasReceipt && random_.chance(100);
    if (outruns) giveReceipt(link, message);
    nio::Bytes accepted = smpp::PduWriter(Command::submitSmResp, Status::ok, due.sequence)
                              .text(message.smscId)
                              .finish();
    if (ledger_.isOdd(random_)) {
        accepted = random_.chance(500) ? withNuls(std::move(accepted), random_)
                                       : withoutLast(std::move(accepted));
    }
    link.wire.send(accepted);
    if (hasReceipt && !outruns) later(link, {{}, What::receipt, 0, &message});
}

// To the router, or to another one who speaks for the same SMSC.
void SmscPeer::giveReceipt(Link& link, SentMessage& message) {
    const bool strays = ledger_.scenario.isOneSmsc && random_.chance(500);
    if (!strays) return sendReceipt(link, message);
    const std::size_t smscs = ledger_.scenario.smscs;
    ledger_.strays[(index_ + random_.between(1, smscs - 1)) % smscs].push_back(&message);
}

void SmscPeer::takeStrays() {
    for (SentMessage* message : std::exchange(ledger_.strays[index_], {})) {
        const auto link = std::find_if(links_.begin(), links_.end(), [](const Link& each) {
            return each.isBound && !each.unbinds && !each.broken && !each.wire.isOver();
        });
        ledger_.machine().countProgress();
        link != links_.end() ? sendReceipt(*link, *message) : void(message->receiptOpen = false);
    }
}

void SmscPeer::sendReceipt(Link& link, SentMessage& message) {
    const std::uint32_t sequence = link.nextSequence++;
    link.receipts[sequence] = &message;
    const bool isOdd = ledger_.isOdd(random_);
    deliver(link,
            receiptPdu(sequence, message,
                       isOdd ? oddReceipts[random_.below(oddReceipts.size())] : usualReceipt));
}

void SmscPeer::deliver(Link& link, nio::Bytes pdu) {
    if (ledger_.isOdd(random_)) {
        pdu = random_.chance(500) ? withNuls(std::move(pdu), random_)
                                  : withCutTlv(std::move(pdu), random_);
    }
    link.wire.send(pdu);
}

// --- how it ends ----------------------------------------------------------------------------

void SmscPeer::ended(Link& link) {
    for (const auto& [sequence, message] : link.receipts) message->receiptOpen = false;
    for (const auto& [sequence, message] : link.originated) message->open = false;
    for (const Due& due : link.due) {
        bool& isOpen = due.what == What::original ? ledger_.originated[due.text].open
                                                  : due.message->receiptOpen;
        isOpen = false;
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
