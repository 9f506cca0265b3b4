#include "sms_router/delivery/ReceiptDesk.h"

#include <algorithm>

#include <nio/base/Log.h>

#include "common/Printable.h"
#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/delivery/ReceiptPatch.h"
#include "sms_router/model/Post.h"
#include "sms_router/session/SmppLink.h"
#include "sms_router/store/Store.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

constexpr std::chrono::milliseconds tickPeriod{1000};
constexpr std::chrono::milliseconds tickSoon{5};
// Ids that wait for the tick to leave the store: so they share a change and a commit.
constexpr std::size_t mostLeft = 256;
// As long as a receipt may be meant for another message than the one it names in another form.
constexpr std::chrono::seconds doubtFor{2};
constexpr std::size_t mostShown = 64;  // octets of an id
// In Delivery::state, beside the place among the receipts that were passed on.
constexpr unsigned finalMark = 0x80;

bool hasKnownState(const smpp::Receipt& receipt) {
    return receipt.state && *receipt.state <= smpp::MessageState::skipped;
}

// A repetition says the same of everything that makes a difference to the ESME. What any one of its
// parts says may be the same in all receipts of an SMSC.
std::uint32_t meaningOf(const smpp::Receipt& receipt) {
    std::uint32_t hash = 2'166'136'261u;
    const auto add = [&](std::uint8_t octet) { hash = (hash ^ octet) * 16'777'619u; };
    const auto addText = [&](std::string_view text) {
        for (const char c : text) add(static_cast<std::uint8_t>(c));
        add(0);
    };
    add(static_cast<std::uint8_t>(*receipt.state));
    add(receipt.intermediate ? 1 : 0);
    addText(receipt.stateWord.view());
    addText(receipt.error.view());
    addText(receipt.doneDate.view());
    addText(nio::asText(receipt.networkError));
    return hash;
}

}  // namespace

ReceiptDesk::ReceiptDesk(Shard& home, Egress& source, std::size_t connector,
                         const IdMap::Limits& limits, OldestRequest oldestRequest)
    : home_(home),
      source_(source),
      connector_(connector),
      oldestRequest_(std::move(oldestRequest)),
      ids_(limits),
      tick_(home.thread().deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          tick();
      }) {}

void ReceiptDesk::useConfigNow(const std::string& connectorName) {
    name_ = connectorName;
    ids_.useLimits(IdMap::limitsOf(home_.config().store));
    findOthers();
    if (!tick_.isSet()) tick_.wakeAfter(tickPeriod);
}

void ReceiptDesk::respond(const Asker& asker, Status status) {
    nio::SelectorThread* home = asker.link.dispatcher();
    if (home == nullptr || !smpp::hasResponse(asker.command)) return;
    if (status != Status::ok) ++refused_.of(status);
    const auto answer = [asker, status] {
        nio::onDispatcher.assertCurrent();
        // An SMSC that is gone asks again when it is back.
        SmppLink* link = SmppLink::findNow(asker.link);
        if (link != nullptr) link->session().respond(asker.command, status, asker.sequence);
    };
    (void)post(*home, answer);
}

// --- messages that the SMSC has accepted ----------------------------------------------------

void ReceiptDesk::add(IdEntry entry) {
    ids_.add(std::move(entry), wallSeconds());
}

void ReceiptDesk::removeFromStore(std::vector<MessageId> left) {
    if (!left.empty()) home_.services().store.removeIds(std::move(left));
}

void ReceiptDesk::removeLeftNow() {
    removeFromStore(ids_.takeLeft());
}

void ReceiptDesk::committedNow(MessageId id, bool ok) {
    IdEntry* entry = ids_.find(id);
    if (entry == nullptr) return;
    if (!ok) return ids_.remove(id);
    entry->committed = true;
    if (held_.empty()) return;
    const std::string smscId = entry->smscId;
    for (const HeldReceipt& held : held_.release(smscId)) again(held);
}

// --- what arrives ---------------------------------------------------------------------------

void ReceiptDesk::arrivedNow(nio::ChannelHandle link, const smpp::Pdu& request) {
    const nio::TimePoint now = Moment::now();
    const Asker asker{link, request.command(), request.sequence(), 0, now};
    if (home_.isDraining()) return respond(asker, Status::xTAppn);
    const bool delivers = request.command() == Command::deliverSm ||
                          request.command() == Command::dataSm ||
                          request.command() == Command::alertNotification;
    if (!delivers) return respond(asker, Status::invCmdId);
    const std::optional<smpp::Receipt> receipt =
        request.command() == Command::alertNotification ? std::nullopt : smpp::receiptOf(request);
    if (!receipt && smpp::isReceipt(request)) return refuseUnmatched(asker, request, {});
    if (!receipt) return messageArrived(asker, request);
    receiptArrived(asker, request, *receipt, now + home_.config().router.holdReceipts);
}

IdMap::Match ReceiptDesk::messageOf(const smpp::Pdu& pdu, const smpp::Receipt& receipt) {
    const ReceiptAddresses addresses{AddressMark::of(pdu.text(Field::sourceAddress)),
                                     AddressMark::of(pdu.text(Field::destinationAddress))};
    const IdMap::Match match = ids_.findSmscId(receipt.id(), addresses);
    const bool found = match.entry != nullptr && !match.anyNumber;
    if (found || receipt.textId.empty()) return match;
    const IdMap::Match byText = ids_.findSmscId(receipt.textId.view(), addresses);
    return byText.entry != nullptr ? byText : match;
}

// Words of another meaning may stand behind an id.
bool ReceiptDesk::hasMessage(const smpp::Pdu& pdu, const smpp::Receipt& longer) {
    const IdMap::Match match = messageOf(pdu, longer);
    if (match.entry == nullptr) return false;
    return match.sameNumber || match.entry->smscId == longer.textId.view();
}

void ReceiptDesk::receiptArrived(const Asker& asker, const smpp::Pdu& pdu,
                                 const smpp::Receipt& receipt, nio::TimePoint until) {
    const bool comesYet = Moment::now() < until && mayComeYet(asker.arrived);
    const bool asks = !others_.empty();
    if (find(asker, pdu, receipt, until, {comesYet, asks}).isTaken) return;
    if (asks) return askOthers(asker, pdu, until);
    comesYet ? hold(asker, pdu, receipt, until) : unmatched(asker, pdu, receipt);
}

// Whether its message is here: then it is passed on, or held until that is safe.
ReceiptDesk::Found ReceiptDesk::find(const Asker& asker, const smpp::Pdu& pdu,
                                     const smpp::Receipt& receipt, nio::TimePoint& until,
                                     Elsewhere elsewhere) {
    if (receipt.mayGoOn) {
        const auto longer = smpp::receiptOf(pdu, smpp::Receipt::IdWords::all);
        if (longer && hasMessage(pdu, *longer)) return find(asker, pdu, *longer, until, elsewhere);
    }
    const IdMap::Match match = messageOf(pdu, receipt);
    // What only its text makes a receipt may be a user's, as may an id that it quotes.
    const bool mayBeUsers = !receipt.isMarked || (receipt.isQuoted && receipt.tlvId.empty());
    if (mayBeUsers && !match.sameNumber) return {};
    const Fit fit = match.fit();
    if (fit == Fit::none || fit < elsewhere.best) return {fit, false, nullptr, match.isContested};
    const Account* whose = fit <= Fit::otherNumber ? match.entry->account : nullptr;
    const bool isOthersToo = elsewhere.whose != nullptr && elsewhere.whose != whose;
    const bool isContested = whose != nullptr && (elsewhere.isContested || isOthersToo);
    if (isContested || mayFitBetter(match, elsewhere)) {
        if (!ids_.usesSameForm() || fit != Fit::otherForm)
            until = std::min(until, nio::Clock::after(doubtFor));
        return {fit, false, whose};
    }
    if (match.otherForm && match.sameNumber) ids_.useOtherForm();
    ids_.noteAddresses(match);
    IdEntry& entry = *match.entry;
    // The SMSC may write the id in one form here, and in another there.
    if (entry.committed) ++found_;
    entry.committed ? forward(asker, pdu, receipt, entry) : hold(asker, pdu, entry.smscId, until);
    return {fit, true};
}

// Not taken for another message as long as the very one may turn up, unless the SMSC is known to
// write its ids in two ways.
bool ReceiptDesk::mayFitBetter(const IdMap::Match& match, Elsewhere elsewhere) const {
    if (!elsewhere.inAnAnswer && !elsewhere.atAnother) return false;
    if (match.otherNumber && (!others_.empty() || !ids_.changesNumbers())) return true;
    const bool changesSenders = !elsewhere.atAnother && !match.isOver && ids_.changesSenders();
    if (match.otherSender && !changesSenders) return true;
    if (elsewhere.atAnother && match.isOver) return true;
    return match.inDoubt && !ids_.usesOtherForm();
}

// Nothing is under way any more that could tell of a message; unless it comes to another one.
void ReceiptDesk::nothingComesNow() {
    if (held_.empty() || !others_.empty()) return;
    for (const HeldReceipt& held : held_.due(nio::TimePoint::max())) again(held);
}

void ReceiptDesk::hold(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                       nio::TimePoint until) {
    std::optional<smpp::Receipt> all;
    if (receipt.mayGoOn) all = smpp::receiptOf(pdu, smpp::Receipt::IdWords::all);
    hold(asker, pdu, std::string(receipt.id()), until, all ? std::string(all->textId.view()) : "");
}

void ReceiptDesk::hold(const Asker& asker, const smpp::Pdu& pdu, std::string id,
                       nio::TimePoint until, std::string longerId) {
    // Whether another connector has its message by now is to be found out only by asking.
    const nio::TimePoint next =
        others_.empty() ? until : std::min(until, nio::Clock::after(tickPeriod));
    HeldReceipt receipt{
        asker.link,  nio::copyOf(pdu.bytes()), std::move(id), until, next, asker.arrived,
        asker.place, std::move(longerId)};
    const std::optional<HeldReceipt> pushedOut = held_.hold(std::move(receipt));
    if (!pushedOut) return;
    const smpp::Scanned scanned = smpp::scan(pushedOut->pdu, smpp::Reading::tolerant);
    const Asker loser{pushedOut->link, scanned.pdu->command(), scanned.pdu->sequence()};
    respond(loser, Status::msgQFul);
}

void ReceiptDesk::again(const HeldReceipt& held) {
    const smpp::Scanned scanned = smpp::scan(held.pdu, smpp::Reading::tolerant);
    const std::optional<smpp::Receipt> receipt = smpp::receiptOf(*scanned.pdu);
    const Asker asker{held.link, scanned.pdu->command(), scanned.pdu->sequence(), held.place,
                      held.arrived};
    receiptArrived(asker, *scanned.pdu, *receipt, held.until);
}

void ReceiptDesk::unmatched(const Asker& asker, const smpp::Pdu& pdu,
                            const smpp::Receipt& receipt) {
    receipt.isMarked ? refuseUnmatched(asker, pdu, receipt.id()) : messageArrived(asker, pdu);
}

// Never a message: it could be one of another account's.
void ReceiptDesk::refuseUnmatched(const Asker& asker, const smpp::Pdu& pdu, std::string_view id) {
    noteUnmatched(id);
    respond(asker, Status::xPAppn);
    auto record = recordOf(pdu, MessageRecord::Kind::receipt);
    if (record != nullptr) record->smscMessageId = id;
    write(std::move(record), Status::xPAppn, "unmatched");
}

void ReceiptDesk::noteUnmatched(std::string_view id) {
    ++home_.figures().unmatchedReceipts;
    ++unmatched_;
    const std::string shown = apps::printable(id.substr(0, mostShown));
    const std::string what = id.empty() ? std::string("receipt without a readable message id")
                                        : "receipt of unknown message '" + shown + "'";
    lastError_.note(what);
    if (const auto more = unmatchedLog_.admit(Moment::now())) {
        nio::log(nio::LogLevel::warning, "connector '" + name_ + "': " + what + " refused" + *more);
    }
}

bool ReceiptDesk::suppressed(const Asker& asker, const smpp::Pdu& pdu, const IdEntry& entry,
                             PassedReceipts::Place place) {
    if (place == PassedReceipts::none) return false;
    ++home_.figures().duplicateReceipts;
    doubles_.emplace(entry.id, Double{place, asker, recordOf(pdu, entry)});
    if (entry.passed.isSafe(place)) answerDoubles(entry.id, place, Status::ok);
    return true;
}

void ReceiptDesk::forward(const Asker& asker, const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                          IdEntry& entry) {
    // Of several destinations as many are the same; without a known state none is known to be.
    const bool canRepeat = !entry.severalDestinations && hasKnownState(receipt);
    const std::uint32_t meaning = canRepeat ? meaningOf(receipt) : 0;
    if (canRepeat && suppressed(asker, pdu, entry, entry.passed.find(meaning))) return;
    const MessageId shown = entry.whole.parts > 1 ? entry.whole.id : entry.shown;
    const ReceiptPatch patch(pdu, receipt, textOf(shown).view());
    if (!patch.fits()) {
        const std::optional<nio::Bytes> once = withOneReceiptedId(pdu);
        if (!once) return unmatched(asker, pdu, receipt);
        const smpp::Scanned scanned = smpp::scan(*once, smpp::Reading::tolerant);
        return forward(asker, *scanned.pdu, *smpp::receiptOf(*scanned.pdu, receipt.idWords), entry);
    }
    Delivery delivery;
    nio::Bytes octets = patch.bytes();
    if (entry.own != nullptr)
        octets = withOwnAddresses(octets, *entry.own, {entry.sender, entry.destination});
    delivery.pdu = std::make_shared<const nio::Bytes>(std::move(octets));
    delivery.link = asker.link;
    delivery.sequence = asker.sequence;
    delivery.command = asker.command;
    delivery.about = entry.id;
    delivery.whole = entry.whole;
    const auto place = canRepeat ? entry.passed.add(meaning) : PassedReceipts::none;
    delivery.state = static_cast<std::uint8_t>(place | (receipt.final ? finalMark : 0));
    delivery.record = recordOf(pdu, entry);
    entry.finalPending = entry.finalPending || receipt.final;
    deliver(*entry.account, std::move(delivery));
}

void ReceiptDesk::messageArrived(const Asker& asker, const smpp::Pdu& pdu) {
    const bool alert = asker.command == Command::alertNotification;
    const std::string_view to = pdu.text(alert ? Field::esmAddress : Field::destinationAddress);
    const auto account = home_.routing().routeMo(connector_, pdu.text(Field::sourceAddress), to);
    auto record = recordOf(pdu, alert ? MessageRecord::Kind::alert : MessageRecord::Kind::mo);
    if (!account) {
        const Status status = home_.config().router.noRoute;
        respond(asker, status);
        return write(std::move(record), status, "refused");
    }
    Delivery delivery;
    delivery.pdu = std::make_shared<const nio::Bytes>(nio::copyOf(pdu.bytes()));
    delivery.link = asker.link;
    delivery.sequence = asker.sequence;
    delivery.command = asker.command;
    delivery.record = std::move(record);
    deliver(*home_.topology().accounts[*account], std::move(delivery));
}

void ReceiptDesk::deliver(Account& account, Delivery&& delivery) {
    delivery.source = smpp::hasResponse(delivery.command) ? &source_ : nullptr;
    delivery.arrived = Moment::now();
    if (delivery.record != nullptr) delivery.record->account = account.systemId();
    if (handOver<&AccountDesk::deliverNow>(account.desk(), delivery)) return;
    deliveredNow(delivery.link, delivery.sequence, delivery.command, delivery.about, delivery.state,
                 Delivered::refused, Status::msgQFul);
}

// --- what became of it ----------------------------------------------------------------------

void ReceiptDesk::deliveredNow(nio::ChannelHandle link, std::uint32_t sequence, Command command,
                               MessageId about, std::uint8_t state, Delivered how, Status status) {
    respond({link, command, sequence}, status);
    const bool safe = how == Delivered::safe;
    if (safe && status == Status::ok) {
        ++(about == 0 ? counters_.delivered : counters_.receipts);
    }
    IdEntry* entry = about == 0 ? nullptr : ids_.find(about);
    const PassedReceipts::Place place = state & ~finalMark;
    if (entry != nullptr) {
        entry->passed.ended(place, safe);
        if ((state & finalMark) != 0) entry->finalPending = false;
        if (safe && (state & finalMark) != 0) {
            ids_.finish(*entry, wallSeconds());
            if (ids_.left() > mostLeft || home_.isDraining()) removeLeftNow();
        }
    }
    answerDoubles(about, place, status);
}

void ReceiptDesk::answerDoubles(MessageId about, PassedReceipts::Place place, Status status) {
    const auto isIt = [&](const auto& each) { return each.second.place == place; };
    // One after the other: an answer may end the link, which may bring more of them.
    for (;;) {
        const auto [first, last] = doubles_.equal_range(about);
        const auto found = std::find_if(first, last, isIt);
        if (found == last) return;
        Double each = std::move(found->second);
        doubles_.erase(found);
        respond(each.asker, status);
        write(std::move(each.record), status, "duplicate");
    }
}

void ReceiptDesk::tick() {
    tick_.wakeAfter(tickPeriod);  // first: what follows may throw
    // Others may have its message: who has any is asked when its time has come.
    const nio::TimePoint oldest = others_.empty() ? oldestRequest_() : nio::TimePoint::min();
    for (const HeldReceipt& held : held_.due(Moment::now(), oldest)) again(held);
    const std::size_t before = ids_.size();
    removeFromStore(ids_.expire(wallSeconds()));
    if (before - ids_.size() >= IdMap::expiredAtOnce) tick_.wakeAfter(tickSoon);
}

// --- records --------------------------------------------------------------------------------

std::unique_ptr<MessageRecord> ReceiptDesk::recordOf(const smpp::Pdu& pdu,
                                                     MessageRecord::Kind kind) {
    if (!home_.services().records.isOn()) return nullptr;
    auto record = deliveryRecord(pdu, kind);
    record->connector = name_;
    return record;
}

std::unique_ptr<MessageRecord> ReceiptDesk::recordOf(const smpp::Pdu& pdu, const IdEntry& entry) {
    auto record = recordOf(pdu, MessageRecord::Kind::receipt);
    if (record == nullptr) return record;
    record->account = entry.account->systemId();
    record->messageId = textOf(entry.shown).view();
    record->smscMessageId = entry.smscId;
    return record;
}

void ReceiptDesk::write(std::unique_ptr<MessageRecord> record, Status status,
                        std::string_view outcome) {
    if (record == nullptr) return;
    record->status = status;
    record->outcome = outcome;
    home_.services().records.write(std::move(*record));
}

}  // namespace router
