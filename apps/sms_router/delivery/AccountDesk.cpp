#include "sms_router/delivery/AccountDesk.h"

#include <algorithm>

#include "sms_router/model/FlagGuard.h"
#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

// What a live bind has not acknowledged after so long is put into the store, so that the SMSC need
// not wait for an ESME that is slow.
constexpr std::chrono::seconds keepAfter{3};
// So much may wait for binds also where little may be kept.
constexpr std::size_t leastMessages = 1000;
constexpr std::size_t leastBytes = 1024 * 1024;
constexpr std::chrono::milliseconds firstPause{500};
constexpr std::chrono::milliseconds longestPause{30'000};
constexpr std::chrono::seconds lookAtAge{60};
constexpr unsigned mostAttemptsUnkept = 2;

// An ESME that has not seen the answer to its bind yet says invBndSts, of itself.
bool isTemporary(smpp::Status status) {
    return status == smpp::Status::xTAppn || status == smpp::Status::msgQFul ||
           status == smpp::Status::throttled || status == smpp::Status::sysErr ||
           status == smpp::Status::invBndSts;
}

std::chrono::milliseconds pauseAfter(unsigned attempts) {
    return std::min(longestPause, firstPause * (1u << std::min(attempts, 10u)));
}

// In the history of a message that was sent by HTTP.
void note(Shard& home, const Delivery& delivery, const std::string& event) {
    if (delivery.whole.parts == 0) return;
    home.services().store.addEvent(delivery.whole.id, std::to_string(wallSeconds()) + " " + event,
                                   home.thread());
}

std::string eventOf(const Delivery& delivery, const smpp::Receipt& receipt) {
    return "receipt " + std::to_string(static_cast<int>(*receipt.state)) + " " +
           std::to_string(delivery.about) + " " + std::string(receipt.error.view());
}

}  // namespace

// --- connections ----------------------------------------------------------------------------

bool AccountDesk::admitNow(const Entrant& entrant) {
    return binds_.admit(entrant.link, entrant.receives);
}

void AccountDesk::boundNow(nio::ChannelHandle link) {
    if (binds_.bound(link)) repeatAll();
    pump();
}

void AccountDesk::unbindsNow(nio::ChannelHandle link) {
    binds_.unbinds(link);
    if (!binds_.haveReceiver()) keepAll();
}

void AccountDesk::leaveNow(nio::ChannelHandle link) {
    const std::optional<DeskBinds::Numbers> orphans = binds_.remove(link);
    if (!orphans) return;
    for (const std::uint64_t number : *orphans) items_.find(number)->second.inFlight = false;
    ready_.insert(ready_.begin(), orphans->begin(), orphans->end());
    if (!binds_.haveReceiver()) keepAll();
    pump();
}

// What is kept at once, in place, may push out what was kept before.
void AccountDesk::keepAll() {
    for (std::size_t left = owed_.size(); left > 0 && !owed_.empty(); --left) keepFirstOwed();
}

void AccountDesk::owe(std::uint64_t number, Item& item) {
    if (item.isOwed) return;
    owed_.emplace_back(Moment::now() + keepAfter, number);
    item.isOwed = true;
}

// What can be neither kept nor dropped now is looked at again.
void AccountDesk::keepFirstOwed() {
    const std::uint64_t number = owed_.front().second;
    owed_.pop_front();
    const auto owed = items_.find(number);
    if (owed == items_.end()) return;
    owed->second.isOwed = false;
    keep(number, owed->second);
    const auto still = items_.find(number);
    if (still != items_.end() && still->second.keeping == Keeping::no) owe(number, still->second);
}

// --- the way of a delivery ------------------------------------------------------------------

void AccountDesk::deliverNow(Delivery&& delivery) {
    const bool alert = delivery.command == smpp::Command::alertNotification;
    if (alert && !binds_.haveRoom()) return;
    if (!alert && isCrowded()) return refuse(std::move(delivery));
    const std::uint64_t number =
        home_.services().deliveries.fetch_add(1, std::memory_order_relaxed);
    delivery.number = number;
    Item& item = items_[number];
    item.delivery = std::move(delivery);
    bytes_ += item.delivery.pdu->size();
    if (!isWhole(number, item)) return;
    if (order_.enter(item.delivery.whole, number)) ready_.push_back(number);
    if (!binds_.haveReceiver()) return keep(number, item);
    if (!alert) owe(number, item);
    pump();
    rearm();
}

// The receipt of a message's part waits for those of the others, in the store.
bool AccountDesk::isWhole(std::uint64_t number, Item& item) {
    const Whole& whole = item.delivery.whole;
    if (whole.parts == 0) return true;
    const smpp::Scanned scanned = smpp::scan(*item.delivery.pdu, smpp::Reading::tolerant);
    const auto receipt = scanned.pdu ? smpp::receiptOf(*scanned.pdu) : std::nullopt;
    if (!receipt || !receipt->state) return true;
    if (item.keeping == Keeping::no) note(home_, item.delivery, eventOf(item.delivery, *receipt));
    if (whole.parts == 1 || !receipt->final || !isKeepable(item)) return true;
    const auto verdict = join_.add(whole, item.delivery.about, number, *receipt->state);
    if (verdict == ReceiptJoin::Verdict::waits) keep(number, item);
    if (verdict == ReceiptJoin::Verdict::isTold) finishJoined({number});
    return verdict == ReceiptJoin::Verdict::passes;
}

void AccountDesk::finishJoined(const std::vector<std::uint64_t>& numbers) {
    for (const std::uint64_t number : numbers) {
        const auto found = items_.find(number);
        if (found != items_.end()) finish(found, Delivered::safe, smpp::Status::ok, "joined");
    }
}

void AccountDesk::giveUpNow(MessageId message) {
    finishJoined(join_.giveUp(message));
    forgetGone();
}

bool AccountDesk::isCrowded() const {
    return items_.size() - figures_.kept >= std::max(limits_.messages, leastMessages) ||
           bytes_ - figures_.keptBytes >= std::max(limits_.bytes, leastBytes);
}

void AccountDesk::refuse(Delivery&& delivery) {
    figures_.lastError.note("too many messages wait for its binds");
    report(delivery, Delivered::refused, smpp::Status::msgQFul);
    write(delivery, smpp::Status::msgQFul, "refused");
}

// A bind may answer in place that it cannot be sent this, and that comes back here.
void AccountDesk::pump() {
    if (pumping_) return;
    const FlagGuard pumping(pumping_);
    while (!ready_.empty()) {
        const auto found = items_.find(ready_.front());
        if (found == items_.end()) {
            ready_.pop_front();
            continue;
        }
        const std::optional<DeskBinds::Taken> bind = binds_.take(found->first);
        if (!bind) return;
        ready_.pop_front();
        send(*bind, found->first, found->second);
    }
}

void AccountDesk::send(DeskBinds::Taken bind, std::uint64_t number, Item& item) {
    item.inFlight = true;
    item.on = bind.link;
    // An ESME that is gone meanwhile is found out by leaveNow().
    auto deliver = [bind, number, pdu = item.delivery.pdu] {
        bind.ingress->deliver(bind.link, number, *pdu);
    };
    (void)post(*bind.link.dispatcher(), std::move(deliver));
}

void AccountDesk::answeredNow(nio::ChannelHandle link, std::uint64_t number,
                              std::optional<smpp::Status> status) {
    binds_.leaveWindow(link, number);
    status ? binds_.answered(link) : binds_.didNotAnswer(link, Moment::now() + longestPause);
    const auto found = items_.find(number);
    if (found != items_.end() && found->second.inFlight && found->second.on == link) {
        Item& item = found->second;
        item.inFlight = false;
        if (status == smpp::Status::ok) {
            finish(found, Delivered::safe, *status, "delivered");
        } else if (!status || isTemporary(*status)) {
            figures_.lastError.note(status ? "answered " + smpp::nameOf(*status)
                                           : "response timed out");
            retry(found, status);
        } else {
            figures_.lastError.note("answered " + smpp::nameOf(*status));
            finish(found, Delivered::refused, *status, "refused");
        }
    }
    pump();
}

// Before what came later.
void AccountDesk::readyAgain(std::uint64_t number) {
    const auto next = std::find_if(ready_.begin(), ready_.end(),
                                   [&](std::uint64_t other) { return other > number; });
    ready_.insert(next, number);
}

void AccountDesk::returnedNow(nio::ChannelHandle link, std::uint64_t number) {
    binds_.leaveWindow(link, number);
    binds_.unbinds(link);
    const auto found = items_.find(number);
    if (found == items_.end() || !found->second.inFlight || !(found->second.on == link)) return;
    found->second.inFlight = false;
    readyAgain(number);
    if (!binds_.haveReceiver()) keep(number, found->second);
    pump();
}

void AccountDesk::answeredLateNow(nio::ChannelHandle link, std::uint64_t number,
                                  smpp::Status status) {
    binds_.answered(link);
    const auto found = items_.find(number);
    if (found != items_.end() && status == smpp::Status::ok) {
        finish(found, Delivered::safe, smpp::Status::ok, "delivered");
    }
    pump();
}

// What waits for another attempt need not wait for a bind that is new; binds that come and go are
// no reason to try again and again.
void AccountDesk::repeatAll() {
    const nio::TimePoint now = Moment::now();
    if (later_.empty() || now < hurriesAgainAt_) return;
    hurriesAgainAt_ = now + longestPause;
    const auto before = static_cast<std::ptrdiff_t>(ready_.size());
    for (const auto& [when, number] : later_) ready_.push_back(number);
    later_.clear();
    const auto added = ready_.begin() + before;
    std::sort(added, ready_.end());
    std::inplace_merge(ready_.begin(), added, ready_.end());
}

// What cannot be kept is the SMSC's again after a while.
void AccountDesk::retry(Items::iterator again, std::optional<smpp::Status> status) {
    auto& [number, item] = *again;
    const bool isKept = item.keeping != Keeping::no;
    if (!isKept && !isKeepable(item) && item.attempts >= mostAttemptsUnkept) {
        return finish(again, Delivered::refused, status.value_or(smpp::Status::xTAppn), "refused");
    }
    // One that does not answer is no reason to make the others wait.
    const bool isAtOnce = !status && binds_.haveAnswering();
    const auto pause = isAtOnce ? std::chrono::milliseconds(0) : pauseAfter(item.attempts);
    ++item.attempts;
    later_.emplace(Moment::now() + pause, number);
    rearm();
    keep(number, item);
}

void AccountDesk::report(Delivery& delivery, Delivered how, smpp::Status status) {
    Egress* source = std::exchange(delivery.source, nullptr);
    if (source == nullptr) return;
    auto tell = [source, link = delivery.link, sequence = delivery.sequence,
                 command = delivery.command, about = delivery.about, state = delivery.state, how,
                 status] {
        nio::onDispatcher.assertCurrent();
        source->deliveredNow(link, sequence, command, about, state, how, status);
    };
    // A dispatcher that has stopped has no SMSC to answer to.
    (void)post(source->dispatcher(), std::move(tell));
}

void AccountDesk::finish(Items::iterator item, Delivered how, smpp::Status status,
                         std::string_view outcome) {
    Item ended = std::move(item->second);
    items_.erase(item);
    if (ended.inFlight) binds_.forget(ended.on, ended.delivery.number);
    const Whole& whole = ended.delivery.whole;
    const auto next = order_.leave(whole, ended.delivery.number);
    if (next) readyAgain(*next);
    std::vector<std::uint64_t> joined;
    if (whole.parts > 1) {
        const bool comesAgain = how == Delivered::refused && ended.delivery.source != nullptr;
        joined = join_.ended(whole, ended.delivery.number, !comesAgain);
    }
    const std::size_t most = 2 * items_.size() + 64;
    const auto isGone = [this](std::uint64_t number) { return !items_.contains(number); };
    if (ready_.size() > most) std::erase_if(ready_, isGone);
    if (owed_.size() > most)
        std::erase_if(owed_, [&](const auto& each) { return isGone(each.second); });
    bytes_ -= ended.delivery.pdu->size();
    report(ended.delivery, how, status);
    if (ended.keeping != Keeping::no) home_.services().store.removeKept({ended.delivery.number});
    if (ended.keeping == Keeping::done) {
        --figures_.kept;
        figures_.keptBytes -= ended.delivery.pdu->size();
    }
    if (how == Delivered::safe && status == smpp::Status::ok && outcome == "delivered") {
        ++(ended.delivery.about == 0 ? figures_.delivered : figures_.receipts);
        note(home_, ended.delivery, "told");
    }
    write(ended.delivery, status, outcome);
    finishJoined(joined);
}

void AccountDesk::write(Delivery& delivery, smpp::Status status, std::string_view outcome) {
    if (delivery.record == nullptr) return;
    MessageRecord& record = *delivery.record;
    record.outcome = outcome;
    record.status = status;
    record.took =
        std::chrono::duration_cast<std::chrono::microseconds>(Moment::now() - delivery.arrived);
    home_.services().records.write(std::move(record));
}

// --- time -----------------------------------------------------------------------------------

void AccountDesk::tick() {
    armed_ = nio::TimePoint::max();
    const nio::TimePoint now = Moment::now();
    while (!later_.empty() && later_.begin()->first <= now) {
        readyAgain(later_.begin()->second);
        later_.erase(later_.begin());
    }
    while (!owed_.empty() && owed_.front().first <= now) keepFirstOwed();
    dropExpired();
    pump();
    rearm();
}

void AccountDesk::rearm() {
    nio::TimePoint next = nio::TimePoint::max();
    if (!kept_.empty()) next = Moment::now() + lookAtAge;
    if (!later_.empty()) next = std::min(next, later_.begin()->first);
    if (!owed_.empty()) next = std::min(next, owed_.front().first);
    if (next == nio::TimePoint::max()) return;
    if (!deadline_) {
        deadline_.emplace(home_.thread().deadlines(), [this] {
            nio::onDispatcher.assertCurrent();
            tick();
        });
    }
    if (next >= armed_) return;
    armed_ = next;
    deadline_->wakeAt(next);
}

AccountDesk::Figures AccountDesk::figuresNow() const {
    Figures figures = figures_;
    figures.waiting = items_.size();
    return figures;
}

std::size_t AccountDesk::unsafe() const {
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(),
                      [](const auto& entry) { return entry.second.delivery.source != nullptr; }));
}

}  // namespace router
