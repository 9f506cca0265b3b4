#include "sms_router/smsc/SmscConnector.h"

#include <nio/base/Log.h>
#include <smpp/pdu/PduPatch.h>

#include "sms_router/esme/EsmeLink.h"
#include "sms_router/flow/FlagGuard.h"
#include "sms_router/link/PlainPeer.h"
#include "sms_router/store/Store.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

// What binds are made of: a change of anything else needs no new ones.
auto essence(const ConnectorConfig& c) {
    return std::tie(c.host, c.port, c.systemId, c.password, c.systemType, c.addressRange,
                    c.addressTon, c.addressNpi, c.interfaceVersion, c.strict, c.transceivers,
                    c.transmitters, c.receivers, c.outbindListen, c.enquireLink, c.response, c.tls);
}

constexpr std::size_t mostTroubles = 16;  // that are told apart

bool clearDestination(smpp::PduPatch& patch) {
    return patch.number(Field::destinationTon, 0) && patch.number(Field::destinationNpi, 0) &&
           patch.text(Field::destinationAddress, "");
}

}  // namespace

SmscConnector::SmscConnector(Identity identity, Shard& home, ConnectorState& board,
                             const IdMap::Limits& limits)
    : identity_(identity),
      home_(home),
      board_(board),
      binds_(home.thread(), static_cast<SmscLinkOwner&>(*this)),
      queue_(home.thread()),
      wake_(home.thread().deadlines(),
            [this] {
                nio::onDispatcher.assertCurrent();
                pump();
            }),
      overdue_(home.thread().deadlines(),
               [this] {
                   nio::onDispatcher.assertCurrent();
                   lookForOverdue();
               }),
      opensDoor_(home.thread().deadlines(),
                 [this] {
                     nio::onDispatcher.assertCurrent();
                     if (on_ && !binds_.canBeCalledNow()) startBinds();
                 }),
      replacement_(home.thread().deadlines(),
                   [this] {
                       nio::onDispatcher.assertCurrent();
                       waitNoLonger();
                   }),
      ids_(identity.number, static_cast<std::uint64_t>(wallSeconds())),
      receipts_(home, *this, identity.index, limits, [this] { return flights_.oldest(); }) {}

SmscConnector::~SmscConnector() = default;

void SmscConnector::restore(IdEntry entry, std::int64_t time) {
    ids_.startAfter(entry.id);
    entry.committed = true;
    receipts_.ids().add(std::move(entry), time);
}

// --- its binds ------------------------------------------------------------------------------

void SmscConnector::useNow(std::shared_ptr<const SmscDialing> dialing) {
    const bool anew =
        dialing_ == nullptr || retired_ || essence(dialing_->config) != essence(dialing->config);
    const bool wasTransmitting = canTransmit();
    draining_ = draining_ || home_.isDraining();
    if (std::exchange(retired_, false)) on_ = true;
    const bool otherRate =
        dialing_ == nullptr ||
        dialing_->config.messagesPerSecond != dialing->config.messagesPerSecond ||
        dialing_->config.adapts() != dialing->config.adapts();
    dialing_ = std::move(dialing);
    if (otherRate) throttle_ = ThrottleControl(config().messagesPerSecond, config().adapts());
    receipts_.useConfigNow(config().name);
    lookForOverdue();
    if (!anew) {
        binds_.useNow(dialing_);
        return pump();
    }
    awaitReplacement(wasTransmitting);
    {
        const FlagGuard replacing(replacing_);
        binds_.makeNow(dialing_);
    }
    if (on_) switchNow(true);
    if (!takesMessages()) leaveQueue();
}

// Before they are made: an old one may end in place. Not anew when one reload follows another.
void SmscConnector::awaitReplacement(bool wasTransmitting) {
    if (!config().sends()) return replacement_.cancel();
    if (wasTransmitting && !draining_) replacement_.wakeAfter(config().connectTimeout);
}

void SmscConnector::waitNoLonger() {
    replacement_.cancel();
    updateBoard();
    if (!takesMessages()) leaveQueue();
}

void SmscConnector::retireNow() {
    if (dialing_ != nullptr && !retired_) switchNow(false);
    retired_ = true;
    board_.settled.store(true, std::memory_order_relaxed);
}

void SmscConnector::switchNow(bool on) {
    if (on && retired_) return;
    on_ = on;
    if (!on) replacement_.cancel();
    // Its configuration is still on its way.
    if (dialing_ == nullptr) return;
    on ? startBinds() : binds_.stopNow();
    updateBoard();
    if (!on) leaveQueue();
}

// The port for outbinds may be another one's until a moment from now, as in a reload.
void SmscConnector::startBinds() {
    const nio::Result<void> started = binds_.startNow();
    if (started) return;
    noteTrouble(" cannot listen for outbinds: ", started.error().message());
    opensDoor_.wakeAfter(config().reconnectFirst);
}

// Said once for each reason (of the first mostTroubles), until a bind is up.
void SmscConnector::noteTrouble(const std::string& what, const std::string& why) {
    lastError_.note(why);
    const bool isOver = !on_ || draining_ || toldTroubles_.size() == mostTroubles;
    if (isOver || !toldTroubles_.insert(why).second) return;
    nio::log(nio::LogLevel::warning, nameForLog() + what + why);
}

std::string SmscConnector::nameForLog() const {
    const ConnectorConfig& is = config();
    const std::string where =
        is.outbindListen.empty() ? is.host + ":" + std::to_string(is.port) : is.outbindListen;
    return "connector '" + is.name + "' (" + where + ")";
}

void SmscConnector::noteBound() {
    if (toldTroubles_.empty()) return;
    toldTroubles_.clear();
    nio::log(nio::LogLevel::info, nameForLog() + " is bound");
}

void SmscConnector::drainNow() {
    draining_ = true;
    if (replacement_.isSet()) waitNoLonger();
}

void SmscConnector::unbindNow() {
    if (dialing_ != nullptr) switchNow(false);
}

bool SmscConnector::isQuietNow() const {
    return flights_.size() == 0 && committing_ == 0 && queue_.empty();
}

bool SmscConnector::isClosedNow() const {
    return binds_.areClosed();
}

std::size_t SmscConnector::unansweredNow() const {
    return flights_.size() + queue_.size();
}

void SmscConnector::linkBound(SmscLink& link) {
    binds_.boundNow(link);
    noteBound();
    if (binds_.canTransmitNow()) replacement_.cancel();
    board_.settled.store(true, std::memory_order_relaxed);
    updateBoard();
    pump();
}

void SmscConnector::linkLeaves(SmscLink&) {
    updateBoard();
    if (!takesMessages()) leaveQueue();
}

void SmscConnector::linkClosed(SmscLink& link, const std::string& why) {
    // One that was replaced was to end.
    if (!replacing_ && !binds_.isLeavingNow(link)) dialFailed(why);
    binds_.closedNow(link, why);
    updateBoard();
    takesMessages() ? pump() : leaveQueue();
}

void SmscConnector::dialFailed(const std::string& why) {
    noteTrouble(": ", why);
    board_.settled.store(true, std::memory_order_relaxed);
}

void SmscConnector::malformedArrived(SmscLink& link, Status problem, nio::ByteView octets) {
    ++home_.figures().malformed;
    const auto peer = link.connection()->channel().peerAddress();
    malformed_.note("connector '" + config().name + "'", peer ? peer.value().toString() : "a peer",
                    true, problem, octets);
}

bool SmscConnector::canTransmit() const {
    return on_ && binds_.canTransmitNow();
}

// Binds that a new configuration replaces are no reason to refuse what the next ones will take.
bool SmscConnector::takesMessages() const {
    return canTransmit() || (on_ && replacement_.isSet());
}

void SmscConnector::updateBoard() {
    const bool live = canTransmit();
    board_.put(live, takesMessages());
    if (live || !on_ || !config().outbindListen.empty()) {
        board_.settled.store(true, std::memory_order_relaxed);
    }
    countOutstanding();
}

// --- towards the SMSC -----------------------------------------------------------------------

void SmscConnector::submitNow(Submission&& submission) {
    if (submission.moves == 0) {
        count(stages_.handOff, submission.handedOver - submission.arrived);
    }
    // Ids of an earlier run may be here before the configuration is.
    if (dialing_ == nullptr) return askNextOrRefuse(submission, home_.config().noConnector);
    if (submission.about == 0) ++counters_.submitted;
    if (submission.about != 0 && !addressMessage(submission)) {
        return askNextOrRefuse(submission, Status::invMsgId);
    }
    if (couldNotBeStored(submission)) return refuse(submission, Status::sysErr, "refused");
    const nio::TimePoint now = nio::Clock::now();
    SmscLink* link = queue_.empty() ? takeTurn(submission, now) : nullptr;
    if (link != nullptr) return sendOn(*link, std::move(submission), now);
    if (!takesMessages()) return moveOrRefuse(submission);
    std::optional<Submission> noPlace = queue_.push(std::move(submission), config().queue);
    if (noPlace) refuse(*noPlace, Status::msgQFul, "refused");
    updateBoard();
    pump();
    if (!overdue_.isSet()) lookForOverdue();
}

// A short id does not say which connector has its message: all are asked in turn.
void SmscConnector::askNextOrRefuse(Submission& submission, Status status) {
    const std::vector<SubmitGate*>& all = home_.topology().connectors;
    const std::size_t next = identity_.index + 1;
    const bool asksNext = submission.about != 0 && isShort(submission.about) && next < all.size();
    if (asksNext && handOver(*all[next], submission)) return;
    refuse(submission, status, "refused");
}

// What the SMSC accepts now would be refused to the ESME, which sends it again: once more each
// time.
bool SmscConnector::couldNotBeStored(const Submission& submission) const {
    const Store::Figures& store = home_.services().store.figures();
    return submission.about == 0 && store.lastFailed.load(std::memory_order_relaxed);
}

// The SMSC's id instead of ours, and the source that it knows. A destination that it does not know
// says nothing: with an id none need be given (SMPP 3.4, 4.9.1).
bool SmscConnector::addressMessage(Submission& submission) {
    const IdEntry* entry = receipts_.ids().findShown(submission.about);
    if (entry == nullptr || entry->account != submission.account) return false;
    // Without an id a cancel_sm would be about all messages from its source to its destination.
    if (entry->smscId.empty()) return false;
    const smpp::Scanned scanned = smpp::scan(submission.pdu, smpp::Reading::tolerant);
    smpp::PduPatch patch(*scanned.pdu);
    // As it came, even if it is longer than its field may be.
    const std::string idOctets = entry->smscId + '\0';
    const std::size_t size = scanned.pdu->sizeOf(Field::messageId);
    const std::size_t offset = scanned.pdu->offsetOf(Field::messageId);
    if (!patch.octets(offset, size, nio::asBytes(idOctets))) return false;
    if (!setSource(patch, entry->source)) return false;
    if (entry->otherDestination && scanned.pdu->command() == Command::cancelSm) {
        if (!clearDestination(patch)) return false;
    }
    submission.pdu = patch.bytes();
    return true;
}

// A link that may be sent to now; the rate has been charged for it.
SmscLink* SmscConnector::takeTurn(const Submission& submission, nio::TimePoint now) {
    SmscLink* link = on_ ? binds_.withRoomNow(config().window) : nullptr;
    return link != nullptr && throttle_.take(now, submission.messages) ? link : nullptr;
}

void SmscConnector::sendOn(SmscLink& link, Submission&& submission, nio::TimePoint now) {
    count(stages_.windowWait, now - submission.handedOver);
    nio::Bytes pdu = std::move(submission.pdu);
    if (!link.session().peerKnowsTlvs()) {
        std::optional<nio::Bytes> plain = plainSubmission(pdu);
        if (!plain) return refuse(submission, Status::optParNotAllwd, "refused");
        pdu = std::move(*plain);
    }
    const std::size_t cookie = flights_.add({std::move(submission), now});
    countOutstanding();
    if (!link.requestNow(pdu, cookie)) {
        Flight flight = flights_.take(cookie);
        refuse(flight.submission, home_.config().linkLost, "lost");
    }
}

// --- what it is asked for -------------------------------------------------------------------

void SmscConnector::requestArrived(SmscLink& link, const smpp::Pdu& request) {
    if (draining_) {
        if (!smpp::hasResponse(request.command())) return;
        return link.respondNow(request.command(), Status::xTAppn, request.sequence());
    }
    receipts_.arrivedNow(link, request);
}

void SmscConnector::deliveredNow(nio::ChannelHandle link, std::uint32_t sequence, Command command,
                                 MessageId about, std::uint8_t state, Delivered how,
                                 Status status) {
    receipts_.deliveredNow(link, sequence, command, about, state, how, status);
}

ConnectorRow SmscConnector::describeNow() const {
    ConnectorRow row;
    if (dialing_ == nullptr) return row;
    row.name = config().name;
    const bool called = !config().outbindListen.empty();
    row.address =
        called ? config().outbindListen : config().host + ":" + std::to_string(config().port);
    row.stopped = !on_;
    row.live = canTransmit();
    row.sends = config().sends();
    row.binds = binds_.describeNow();
    row.queued = queue_.size();
    row.moved = moved_;
    row.outstanding = flights_.size();
    const nio::TimePoint now = nio::Clock::now();
    const ThrottleControl throttle = throttle_.at(now);
    row.allowedPerSecond = throttle.allowedPerSecond();
    if (throttle.isLowered()) {
        row.throttledUntil = std::chrono::system_clock::now() + (throttle.nextRaise() - now);
    }
    row.counters = counters_;
    row.refusedBy = refusedBy_;
    row.stages = stages_;
    row.malformed = malformed_.counts();
    row.counters.delivered = receipts_.counters().delivered;
    row.counters.receipts = receipts_.counters().receipts;
    row.wantReceipts = wantReceipts_;
    row.foundReceipts = receipts_.foundReceipts();
    row.ids = receipts_.ids().size();
    row.heldReceipts = receipts_.held();
    row.lastError = later(receipts_.lastError(), later(lastError_, malformed_.last())).text;
    row.bindError = lastError_.text;
    row.unmatchedReceipts = receipts_.unmatchedReceipts();
    return row;
}

}  // namespace router
