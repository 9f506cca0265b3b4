// AccountDesk: what is put into the store, and what becomes of it there.
#include <algorithm>
#include <limits>

#include <smpp/text/Receipt.h>

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/model/Delivery.h"
#include "sms_router/model/Moment.h"
#include "sms_router/store/Store.h"

namespace router {

bool AccountDesk::isKeepable(const Item& item) const {
    return limits_.messages > 0 && item.delivery.pdu->size() <= limits_.bytes;
}

void AccountDesk::keep(std::uint64_t number, Item& item) {
    if (item.keeping != Keeping::no) return;
    if (item.delivery.command == smpp::Command::alertNotification) return;
    if (!isKeepable(item)) return keepNothing(number);
    item.keeping = Keeping::underWay;
    item.keptAt = wallSeconds();
    auto kept = [this, number](bool committed) {
        nio::onDispatcher.assertCurrent();
        keptNow(number, committed);
    };
    KeptRecord record{number, account_.systemId(), item.keptAt, *item.delivery.pdu};
    record.message = item.delivery.whole.id;
    record.parts = item.delivery.whole.parts;
    if (record.parts > 0) record.part = item.delivery.about;
    home_.services().store.keep(std::move(record), home_.thread(), std::move(kept));
}

// It stays with us as long as somebody may take it, or has it, and then with the SMSC.
void AccountDesk::keepNothing(std::uint64_t number) {
    if (binds_.haveReceiver() || items_.find(number)->second.inFlight) return;
    ++figures_.dropped;
    finish(items_.find(number), Delivered::refused, smpp::Status::msgQFul, "dropped");
}

void AccountDesk::keptNow(std::uint64_t number, bool committed) {
    const auto found = items_.find(number);
    if (found == items_.end()) return;
    Item& item = found->second;
    if (!committed) {
        item.keeping = Keeping::no;
        owe(number, item);
        rearm();
        figures_.lastError.note("the store is full or failing");
        // The SMSC keeps it, and will send it again.
        if (!item.inFlight && item.delivery.source != nullptr) {
            finish(found, Delivered::refused, smpp::Status::sysErr, "refused");
        }
        return;
    }
    item.keeping = Keeping::done;
    kept_.push_back(number);
    ++figures_.kept;
    figures_.keptBytes += item.delivery.pdu->size();
    report(item.delivery, Delivered::safe, smpp::Status::ok);
    dropBeyondLimits();
    pump();
    rearm();
}

void AccountDesk::restore(KeptRecord record) {
    const std::uint64_t number = record.number;
    figures_.keptBytes += record.pdu.size();
    bytes_ += record.pdu.size();
    ++figures_.kept;
    Item& item = items_[number];
    item.delivery.number = number;
    item.delivery.pdu = std::make_shared<const nio::Bytes>(std::move(record.pdu));
    item.delivery.arrived = Moment::now();
    item.delivery.record = recordOf(*item.delivery.pdu, record.time);
    item.keeping = Keeping::done;
    item.keptAt = record.time;
    item.delivery.whole = {record.message, static_cast<std::uint8_t>(record.parts)};
    item.delivery.about = record.part;
    kept_.push_back(number);
    const bool goesOut = isWhole(number, item) && order_.enter(item.delivery.whole, number);
    if (goesOut) ready_.push_back(number);
}

// What was kept by an earlier run: from which SMSC nobody knows any more.
std::unique_ptr<MessageRecord> AccountDesk::recordOf(nio::ByteView kept, std::int64_t time) const {
    const smpp::Scanned scanned = smpp::scan(kept, smpp::Reading::tolerant);
    if (!home_.services().records.isOn() || !scanned.pdu) return nullptr;
    std::optional<smpp::Receipt> receipt = smpp::receiptOf(*scanned.pdu);
    if (receipt && !receipt->isMarked) receipt.reset();
    using Kind = MessageRecord::Kind;
    auto record = deliveryRecord(*scanned.pdu, receipt ? Kind::receipt : Kind::mo);
    record->time = std::chrono::system_clock::from_time_t(time);
    record->account = account_.systemId();
    if (receipt) record->messageId = receipt->id();
    return record;
}

void AccountDesk::useLimitsNow(const AccountConfig& config) {
    limits_ = config.keep;
    // Its webhook is one more.
    binds_.useLimits(config.maxBinds + (config.http.webhook.isOn() ? 1 : 0), config.deliverWindow);
    dropBeyondLimits();
    pump();
    rearm();
}

void AccountDesk::dropBeyondLimits() {
    while (figures_.kept > limits_.messages || figures_.keptBytes > limits_.bytes) {
        if (!dropOldest()) break;
    }
    forgetGone();
}

// The numbers of what has left in another way than by the front.
void AccountDesk::forgetGone() {
    const auto isGone = [&](std::uint64_t number) { return !items_.contains(number); };
    while (!ready_.empty() && isGone(ready_.front())) ready_.pop_front();
    if (kept_.size() > 2 * figures_.kept + 64) std::erase_if(kept_, isGone);
}

// What is under way is about to leave by itself; it is dropped where there is nothing else.
bool AccountDesk::dropOldest() {
    std::optional<std::uint64_t> oldest = takeOldestKept(std::numeric_limits<std::int64_t>::max());
    if (!oldest && !kept_.empty()) {
        oldest = kept_.front();
        kept_.pop_front();
    }
    if (oldest) drop(*oldest, "dropped");
    return oldest.has_value();
}

// Of those that wait and were kept before this time; what has left is forgotten on the way.
std::optional<std::uint64_t> AccountDesk::takeOldestKept(std::int64_t before) {
    std::vector<std::uint64_t> underWay;
    std::optional<std::uint64_t> oldest;
    while (!kept_.empty() && !oldest) {
        const std::uint64_t number = kept_.front();
        const auto found = items_.find(number);
        if (found != items_.end() && found->second.keptAt >= before) break;
        kept_.pop_front();
        if (found == items_.end()) continue;
        found->second.inFlight ? underWay.push_back(number) : void(oldest = number);
    }
    kept_.insert(kept_.begin(), underWay.begin(), underWay.end());
    return oldest;
}

void AccountDesk::drop(std::uint64_t number, std::string_view outcome) {
    ++figures_.dropped;
    finish(items_.find(number), Delivered::refused, smpp::Status::msgQFul, outcome);
}

// What is under way when its time is over is looked at again a while later.
void AccountDesk::dropExpired() {
    const std::int64_t oldest = wallSeconds() - limits_.time.count();
    while (const auto expired = takeOldestKept(oldest)) drop(*expired, "expired");
}

}  // namespace router
