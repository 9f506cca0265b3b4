#include "sms_router/smsc/IdMap.h"

#include <algorithm>
#include <tuple>
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
    if (!key.empty()) name(std::move(key), added);
    ++size_;
    const std::int64_t lives = waits ? limits_.seconds : limits_.secondsWithoutReceipt;
    Queue& queue = waits ? waiting_ : silent_;
    late_ = late_ || (!queue.empty() && queue.back().when > now + lives);
    queue.push_back({now + lives, id});
    return added;
}

void IdMap::name(std::string key, IdEntry& entry) {
    ByKey& table = byKey(key);
    const auto [first, last] = table.equal_range(key);
    const auto same = std::find_if(
        first, last, [&](const auto& named) { return named.second->smscId == entry.smscId; });
    if (same == last) {
        table.emplace(std::move(key), &entry);
    } else if (same->second->id < entry.id) {
        same->second = &entry;
    }
}

void IdMap::unname(const IdEntry& entry) {
    const std::string key = smpp::exactKey(entry.smscId);
    ByKey& table = byKey(key);
    const auto [first, last] = table.equal_range(key);
    const auto named =
        std::find_if(first, last, [&](const auto& each) { return each.second == &entry; });
    if (named != last) table.erase(named);
}

IdEntry* IdMap::findKey(const std::string& key, std::string_view smscId,
                        std::uint16_t destination) {
    const auto fitness = [&](const IdEntry& entry) {
        return std::tuple(mayBeSameNumber(entry.destination, destination), entry.smscId == smscId,
                          entry.id);
    };
    IdEntry* best = nullptr;
    const auto [first, last] = byKey(key).equal_range(key);
    for (auto each = first; each != last; ++each) {
        if (best == nullptr || fitness(*best) < fitness(*each->second)) best = each->second;
    }
    return best;
}

Fit IdMap::Match::fit() const {
    if (entry == nullptr) return Fit::none;
    if (anyNumber) return Fit::anyNumber;
    if (otherNumber) return Fit::otherNumber;
    return inDoubt ? Fit::otherForm : Fit::sure;
}

IdMap::Match IdMap::findSmscId(std::string_view smscId, std::uint16_t destination) {
    const auto inOtherForm = [&] {
        return destination == 0 ? nullptr : findOtherForm(smscId, destination);
    };
    const bool goesFirst = seenInOtherForm_ == enough && !sameForm_;
    IdEntry* other = goesFirst ? inOtherForm() : nullptr;
    if (other != nullptr) return {other, true};
    const std::string exact = smpp::exactKey(smscId);
    IdEntry* same = exact.empty() ? nullptr : findKey(exact, smscId, destination);
    if (same != nullptr && mayBeSameNumber(same->destination, destination)) {
        // It could have been meant otherwise, and was not.
        if (!sameForm_ && !inOtherForm()) sameForm_ = !smpp::alternativeKeys(smscId).empty();
        return {same};
    }
    other = inOtherForm();
    if (other != nullptr) return {other, true, same == nullptr};
    if (same != nullptr) return {same, false, same->smscId != smscId, false, true};
    if (sameForm_) return {};
    // Nothing speaks for it but the id.
    other = findOtherForm(smscId, 0);
    return other == nullptr ? Match{} : Match{other, true, true, true};
}

IdEntry* IdMap::findOtherForm(std::string_view smscId, std::uint16_t destination) {
    for (const std::string& key : smpp::alternativeKeys(smscId)) {
        IdEntry* entry = findKey(key, key, destination);
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
    unname(*found->second);
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

// Those that came back when others were there already have their place among these.
void IdMap::sortLate(Queue& queue) {
    const auto isSooner = [](const Leaving& a, const Leaving& b) { return a.when < b.when; };
    const auto late = std::is_sorted_until(queue.begin(), queue.end(), isSooner);
    if (!std::is_sorted(late, queue.end(), isSooner)) {
        return std::stable_sort(queue.begin(), queue.end(), isSooner);
    }
    std::inplace_merge(queue.begin(), late, queue.end(), isSooner);
}

std::vector<MessageId> IdMap::expire(std::int64_t now) {
    if (std::exchange(late_, false)) {
        sortLate(waiting_);
        sortLate(silent_);
    }
    forgetGone(silent_, false);
    forgetGone(waiting_, false);
    expireQueue(finished_, true, now, expiredAtOnce);
    expireQueue(silent_, false, now, expiredAtOnce);
    expireQueue(waiting_, false, now, expiredAtOnce);
    return std::exchange(left_, {});
}

}  // namespace router
