#include "sms_router/egress/SmscConnector.h"

#include <nio/base/Log.h>

#include "sms_router/egress/RequestPatch.h"
#include "sms_router/model/FlagGuard.h"
#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"
#include "sms_router/session/LoginThrottle.h"
#include "sms_router/store/Store.h"

namespace router {

using smpp::Command;
using smpp::Status;

namespace {

// What binds are made of: a change of anything else needs no new ones.
auto essence(const ConnectorConfig& c) {
    return std::tie(c.host, c.port, c.bind, c.strict, c.outbindListen, c.timers.enquireLink,
                    c.timers.response, c.tls);
}

}  // namespace

SmscConnector::SmscConnector(Identity identity, Shard& home, ConnectorState& board,
                             const IdMap::Limits& limits)
    : identity_(identity),
      home_(home),
      board_(board),
      binds_(home.thread(), *this),
      outcomes_(home),
      waiting_(home, identity.index, outcomes_),
      receipts_(home, *this, identity.index, limits, [this] { return sent_.oldest(); }),
      sent_(home, identity.number, receipts_, outcomes_),
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
      replacement_(home.thread().deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          waitNoLonger();
      }) {}

SmscConnector::~SmscConnector() = default;

void SmscConnector::restore(IdEntry entry, std::int64_t time) {
    sent_.startIdsAfter(entry.id);
    entry.committed = true;
    receipts_.ids().add(std::move(entry), time);
}

// --- its binds ------------------------------------------------------------------------------

void SmscConnector::useNow(std::shared_ptr<const SmscDialing> dialing) {
    const bool anew =
        dialing_ == nullptr || retired_ || essence(dialing_->config) != essence(dialing->config);
    const bool wasTransmitting = canTransmit();
    if (std::exchange(retired_, false)) on_ = true;
    const bool otherRate =
        dialing_ == nullptr ||
        dialing_->config.messagesPerSecond != dialing->config.messagesPerSecond ||
        dialing_->config.adapts() != dialing->config.adapts();
    dialing_ = std::move(dialing);
    if (otherRate) throttle_ = ThrottleControl(config().messagesPerSecond, config().adapts());
    outcomes_.useName(config().name);
    waiting_.useLimits(config().queue, config().queueTime);
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
    const bool waits = wasTransmitting && !home_.isDraining();
    if (waits) replacement_.wakeAfter(config().timers.connectTimeout);
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
    opensDoor_.wakeAfter(config().timers.reconnectFirst);
}

void SmscConnector::noteTrouble(const std::string& what, const std::string& why) {
    troubles_.note(config(), what, why, on_ && !home_.isDraining());
}

void SmscConnector::drainNow() {
    receipts_.removeLeftNow();
    if (replacement_.isSet()) waitNoLonger();
}

void SmscConnector::unbindNow() {
    if (dialing_ != nullptr) switchNow(false);
}

bool SmscConnector::isQuietNow() const {
    return sent_.empty() && waiting_.empty();
}

bool SmscConnector::isClosedNow() const {
    return binds_.areClosed();
}

std::size_t SmscConnector::unansweredNow() const {
    return sent_.size() + waiting_.size();
}

void SmscConnector::linkBound(SmscLink& link) {
    binds_.boundNow(link);
    troubles_.bound(config());
    if (binds_.canTransmitNow()) replacement_.cancel();
    board_.settled.store(true, std::memory_order_relaxed);
    updateBoard();
    pump();
}

void SmscConnector::linkLeaves() {
    updateBoard();
    if (!takesMessages()) leaveQueue();
}

void SmscConnector::linkClosed(SmscLink& link, const std::string& why) {
    // One that was replaced was to end.
    if (!replacing_ && !binds_.isLeavingNow(link)) dialFailed(why);
    if (const auto refused = link.bindRefusal()) {
        ++outcomes_.figures().refusedBy.of(link.kind()).of(*refused);
    }
    binds_.closedNow(link);
    updateBoard();
    takesMessages() ? pump() : leaveQueue();
}

void SmscConnector::dialFailed(const std::string& why) {
    noteTrouble(": ", why);
    board_.settled.store(true, std::memory_order_relaxed);
}

void SmscConnector::callerRefused(const nio::SocketAddress& peer, const std::string& why) {
    ++home_.figures().refusedBinds[BindRefusal::outbind];
    const auto unsaid =
        home_.services().logins.refused(peer, Moment::now(), LoginThrottle::Why::other);
    if (!unsaid) return;
    nio::log(nio::LogLevel::warning, "connector '" + config().name + "': connection from " +
                                         peer.toString() + " refused: " + why +
                                         unsaidText(*unsaid));
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
        const bool isFromHere = submission.origin.link.dispatcher() == &dispatcher();
        submission.handedOver = isFromHere ? submission.arrived : Moment::now();
    }
    // Ids of an earlier run may be here before the configuration is.
    if (dialing_ == nullptr) return askNextOrRefuse(submission, home_.config().router.noConnector);
    if (submission.about == 0) ++outcomes_.figures().counters.submitted;
    if (submission.about != 0 && !nameMessage(submission)) {
        return askNextOrRefuse(submission, Status::invMsgId);
    }
    if (couldNotBeStored(submission)) {
        return outcomes_.refuseNow(submission, Status::sysErr, "refused");
    }
    const nio::TimePoint now = Moment::now();
    SmscLink* link = waiting_.empty() ? takeTurn(submission, now) : nullptr;
    if (link != nullptr) {
        sent_.sendNow(*link, std::move(submission), now);
        return countOutstanding();
    }
    if (!takesMessages()) return waiting_.moveOrRefuseNow(submission);
    waiting_.pushNow(std::move(submission));
    updateBoard();
    pump();
    if (!overdue_.isSet()) lookForOverdue();
}

// A short id does not say which connector has its message: all are asked in turn.
void SmscConnector::askNextOrRefuse(Submission& submission, Status status) {
    const std::vector<Egress*>& all = home_.topology().connectors;
    const std::size_t next = identity_.index + 1;
    const bool asksNext = submission.about != 0 && isShort(submission.about) && next < all.size();
    if (asksNext && handOver<&Egress::submitNow>(*all[next], submission)) return;
    outcomes_.refuseNow(submission, status, "refused");
}

// What the SMSC accepts now would be refused to the ESME, which sends it again: once more each
// time.
bool SmscConnector::couldNotBeStored(const Submission& submission) const {
    const Store::Figures& store = home_.services().store.figures();
    return submission.about == 0 && store.lastFailed.load(std::memory_order_relaxed);
}

bool SmscConnector::nameMessage(Submission& submission) {
    const IdEntry* entry = receipts_.ids().findShown(submission.about);
    if (entry == nullptr || entry->account != submission.account) return false;
    return nameToSmsc(submission, *entry);
}

// A link that may be sent to now; the rate has been charged for it, or is waited for.
SmscLink* SmscConnector::takeTurn(const Submission& submission, nio::TimePoint now) {
    SmscLink* link = on_ ? binds_.withRoomNow(config().window) : nullptr;
    if (link == nullptr || throttle_.take(now, submission.messages)) return link;
    wake_.wakeAt(throttle_.next());
    return nullptr;
}

void SmscConnector::senderGoneNow(nio::ChannelHandle link) {
    if (waiting_.empty()) return;
    waiting_.senderGoneNow(link);
    countOutstanding();
}

// Sending may end the link in place, and that comes back here.
void SmscConnector::pump() {
    if (pumping_) return;
    if (!waiting_.empty()) pumpAll();
    countOutstanding();
}

void SmscConnector::pumpAll() {
    const FlagGuard pumping(pumping_);
    const nio::TimePoint now = Moment::now();
    while (!waiting_.empty()) {
        const bool isRefused = couldNotBeStored(waiting_.front());
        SmscLink* link = isRefused ? nullptr : takeTurn(waiting_.front(), now);
        if (!isRefused && link == nullptr) break;
        Submission next = waiting_.pop();
        isRefused ? outcomes_.refuseNow(next, Status::sysErr, "refused")
                  : sent_.sendNow(*link, std::move(next), now);
    }
}

// The board says that no bind is up before another connector is looked for.
void SmscConnector::leaveQueue() {
    updateBoard();
    waiting_.leaveNow(board_);
    countOutstanding();
}

void SmscConnector::lookForOverdue() {
    overdue_.cancel();
    const std::size_t before = waiting_.size();
    const std::optional<nio::TimePoint> next = waiting_.lookForOverdueNow();
    if (waiting_.size() != before) countOutstanding();
    if (next) overdue_.wakeAt(*next);
}

void SmscConnector::countOutstanding() {
    board_.outstanding.store(unansweredNow(), std::memory_order_relaxed);
    waiting_.putOn(board_);
}

// --- what comes from the SMSC ---------------------------------------------------------------

void SmscConnector::answerArrived(const smpp::Pdu& answer, smpp::Cookie cookie) {
    Flight flight = sent_.take(cookie);
    const nio::TimePoint now = Moment::now();
    isThrottling(answer.status()) ? throttle_.throttled(flight.sent, now)
                                  : throttle_.accepted(flight.sent, flight.submission.messages);
    sent_.answeredNow(std::move(flight), answer, now);
    pump();
    sent_.tellIfNothingComesNow();
}

void SmscConnector::requestLost(smpp::Cookie cookie, smpp::Lost how, Status status) {
    Flight flight = sent_.take(cookie);
    const bool nacked = how == smpp::Lost::nacked;
    if (nacked && isThrottling(status)) throttle_.throttled(flight.sent, Moment::now());
    outcomes_.refuseNow(flight.submission, nacked ? status : home_.config().router.linkLost,
                        nacked ? "refused" : "lost", flight.sent);
    pump();
    sent_.tellIfNothingComesNow();
}

void SmscConnector::requestArrived(SmscLink& link, const smpp::Pdu& request) {
    receipts_.arrivedNow(link.handle(), request);
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
    row.queued = waiting_.size();
    row.moved = waiting_.moved();
    row.outstanding = sent_.size();
    const nio::TimePoint now = Moment::now();
    const ThrottleControl throttle = throttle_.at(now);
    row.allowedPerSecond = throttle.allowedPerSecond();
    if (throttle.isLowered()) {
        row.throttledUntil = std::chrono::system_clock::now() + (throttle.nextRaise() - now);
    }
    row.counters = outcomes_.figures().counters;
    row.refusedBy = outcomes_.figures().refusedBy;
    row.refusedDeliveries = receipts_.refused();
    row.stages = outcomes_.figures().stages;
    row.refusedStages = outcomes_.figures().refusedStages;
    row.malformed = malformed_.counts();
    row.counters.delivered = receipts_.counters().delivered;
    row.counters.receipts = receipts_.counters().receipts;
    row.receipts = {sent_.wantReceipts(), receipts_.foundReceipts(), receipts_.ids().size(),
                    receipts_.held(), receipts_.unmatchedReceipts()};
    row.lastError = later(receipts_.lastError(), later(troubles_.last(), malformed_.last())).text;
    row.bindError = troubles_.last().text;
    return row;
}

}  // namespace router
