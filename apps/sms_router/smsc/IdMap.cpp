#include "sms_router/smsc/IdMap.h"

#include <algorithm>
#include <utility>

#include <smpp/text/MessageIdKey.h>

#include "sms_router/flow/NumberMark.h"

namespace router {

IdMap::Limits IdMap::limitsOf(const StoreConfig& config) {
    Limits limits;
    limits.entries = config.maxIds;
    limits.seconds = config.idsFor.count();
    limits.secondsWithoutReceipt = std::min(limits.secondsWithoutReceipt, limits.seconds);
    limits.secondsAfterFinal = std::min(limits.secondsAfterFinal, limits.seconds);
    return limits;
}

IdMap::ByKey& IdMap::byKey(const std::string& key) {
    // Not the bits by which the table itself chooses its buckets.
    return byKey_[(std::hash<std::string>()(key) >> 32) % parts];
}

IdEntry& IdMap::add(IdEntry entry, std::int64_t now) {
    const MessageId id = entry.id;
    drop(id);
    std::string key = smpp::exactKey(entry.smscId);
    const bool waits = entry.wantsReceipt;
    auto owned = std::make_unique<IdEntry>(std::move(entry));
    IdEntry& added = *owned;
    byId(id).emplace(id, std::move(owned));
    if (!key.empty()) byKey(key)[std::move(key)] = &added;
    ++size_;
    const std::int64_t lives = waits ? limits_.seconds : limits_.secondsWithoutReceipt;
    (waits ? waiting_ : silent_).push_back({now + lives, id});
    return added;
}

IdEntry* IdMap::findKey(const std::string& key) {
    ByKey& table = byKey(key);
    const auto found = table.find(key);
    return found == table.end() ? nullptr : found->second;
}

IdMap::Match IdMap::findSmscId(std::string_view smscId, std::uint16_t destination) {
    const std::string exact = smpp::exactKey(smscId);
    IdEntry* same = exact.empty() ? nullptr : findKey(exact);
    if (same != nullptr && mayBeSameNumber(same->destination, destination)) {
        const bool ambiguous = !sameForm_ && !smpp::alternativeKeys(smscId).empty();
        sameForm_ = sameForm_ || ambiguous;
        return {same};
    }
    if (IdEntry* other = findOtherForm(smscId, destination)) return {other, true, same == nullptr};
    return {same};
}

IdEntry* IdMap::findOtherForm(std::string_view smscId, std::uint16_t destination) {
    if (destination == 0) return nullptr;
    for (const std::string& key : smpp::alternativeKeys(smscId)) {
        IdEntry* entry = findKey(key);
        if (entry != nullptr && entry->destination == destination) return entry;
    }
    return nullptr;
}

IdEntry* IdMap::find(MessageId id) {
    const auto found = byId(id).find(id);
    return found == byId(id).end() ? nullptr : found->second.get();
}

void IdMap::finish(IdEntry& entry, std::int64_t now) {
    if (entry.finished || entry.severalDestinations) return;
    entry.finished = true;
    finished_.push_back({now + limits_.secondsAfterFinal, entry.id});
}

void IdMap::remove(MessageId id) {
    drop(id);
}

void IdMap::drop(MessageId id) {
    const auto found = byId(id).find(id);
    if (found == byId(id).end()) return;
    const std::string key = smpp::exactKey(found->second->smscId);
    ByKey& table = byKey(key);
    const auto named = table.find(key);
    if (named != table.end() && named->second == found->second.get()) table.erase(named);
    byId(id).erase(found);
    --size_;
}

void IdMap::expireQueue(Queue& queue, bool ofFinished, std::int64_t now, std::size_t most) {
    for (; most > 0 && !queue.empty(); --most) {
        const Leaving first = queue.front();
        const IdEntry* entry = find(first.id);
        const bool elsewhere = entry == nullptr || entry->finished != ofFinished;
        if (!elsewhere && first.when > now && size_ <= limits_.entries) return;
        queue.pop_front();
        if (elsewhere) continue;
        drop(first.id);
        left_.push_back(first.id);
    }
}

// The places of what has left in another way than by the front.
void IdMap::forgetGone(Queue& queue, bool ofFinished) {
    if (queue.size() <= 2 * size_ + 1024) return;
    std::erase_if(queue, [&](const Leaving& leaving) {
        const IdEntry* entry = find(leaving.id);
        return entry == nullptr || entry->finished != ofFinished;
    });
}

std::vector<MessageId> IdMap::expire(std::int64_t now) {
    forgetGone(silent_, false);
    forgetGone(waiting_, false);
    expireQueue(finished_, true, now, expiredAtOnce);
    expireQueue(silent_, false, now, expiredAtOnce);
    expireQueue(waiting_, false, now, expiredAtOnce);
    return std::exchange(left_, {});
}

}  // namespace router
