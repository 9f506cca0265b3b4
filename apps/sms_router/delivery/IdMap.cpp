#include "sms_router/delivery/IdMap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <smpp/text/MessageIdKey.h>

namespace router {

namespace {

// Whether more than case and leading zeros is left out of its key.
bool isTrimmed(std::string_view id) {
    return smpp::bareId(id).size() < id.size() || id.find_first_of(" \t") != std::string_view::npos;
}

// Without a suffix, another key is the id in the other base.
bool mayBeInOtherBase(std::string_view id) {
    const auto isDivider = [](char c) {
        return !(c >= '0' && c <= '9') && smpp::suffixDividers.find(c) != std::string_view::npos;
    };
    return std::none_of(id.begin(), id.end(), isDivider);
}

}  // namespace

IdMap::Limits IdMap::limitsOf(const StoreConfig& config) {
    Limits limits;
    limits.entries = config.maxIds;
    limits.seconds = config.idsFor.count();
    limits.secondsWithoutReceipt = std::min(limits.secondsWithoutReceipt, limits.seconds);
    limits.secondsAfterFinal = std::min(limits.secondsAfterFinal, limits.seconds);
    return limits;
}

IdMap::IdMap(Limits limits) : limits_(limits) {
    constexpr double largestLoad = 1.5;
    for (std::size_t i = 0; i < parts; ++i) {
        // They fill alike and double: between a half and one, evenly in the logarithm.
        const double share = std::exp2(-static_cast<double>(i) / parts);
        byId_[i].max_load_factor(static_cast<float>(largestLoad * share));
        byKey_[i].growAt(ByKey::largestShare * share);
    }
}

IdEntry& IdMap::add(IdEntry entry, std::int64_t now) {
    const MessageId id = entry.id;
    const Key key(smpp::exactKey(entry.smscId));
    const bool waits = entry.wantsReceipt;
    const auto [place, isNew] = byId(id).try_emplace(id, std::move(entry));
    IdEntry& added = place->second;
    if (!isNew) {
        forgetNames(added);
        added = std::move(entry);
    }
    if (isShort(added.shown) && !added.isPart) byShortId_.insert_or_assign(added.shown, id);
    if (!key.text.empty()) name(key, added);
    haveSuffixes_ = haveSuffixes_ || !mayBeInOtherBase(key.text);
    size_ += isNew ? 1 : 0;
    const std::int64_t lives = waits ? limits_.seconds : limits_.secondsWithoutReceipt;
    Queue& queue = waits ? waiting_ : silent_;
    late_ = late_ || (!queue.empty() && queue.back().when > now + lives);
    queue.push_back({now + lives, id});
    return added;
}

const IdMap::Named& IdMap::namedBy(const Key& key) {
    named_.clear();
    byKey(key).each(key.hash, [&](IdEntry& entry) {
        const bool isSame = entry.smscId == key.text || smpp::exactKey(entry.smscId) == key.text;
        if (isSame) named_.push_back(&entry);
    });
    return named_;
}

void IdMap::name(const Key& key, IdEntry& entry) {
    ByKey& index = byKey(key);
    const Named& named = namedBy(key);
    if (named.size() >= mostCandidates) forgetOne(index, key, named, entry);
    index.insert(key.hash, entry);
}

// An SMSC that gives all messages one id must not make each look at all of them. An account must
// not lose its receipts to another one that sends more.
void IdMap::forgetOne(ByKey& index, const Key& key, const Named& named, const IdEntry& newest) {
    const Account* most = accountWithMost(named, newest);
    constexpr unsigned othersOpen = 3;
    const auto worthOf = [&](const IdEntry& entry) -> unsigned {
        if (!entry.isOpen()) return 0;
        if (entry.account != most) return othersOpen;
        const bool isOwn = most == newest.account;
        return isOwn && entry.destination.likeness(newest.destination) >= AddressMark::same ? 1 : 2;
    };
    const auto isLess = [&](const IdEntry* a, const IdEntry* b) {
        return std::pair(worthOf(*a), a->id) < std::pair(worthOf(*b), b->id);
    };
    const IdEntry& least = **std::min_element(named.begin(), named.end(), isLess);
    if (worthOf(least) != othersOpen) index.erase(key.hash, least);
}

// The newest's own, if no other one has more.
const Account* IdMap::accountWithMost(const Named& named, const IdEntry& newest) {
    std::vector<std::pair<const Account*, std::size_t>> shares{{newest.account, 1}};
    for (const IdEntry* entry : named) {
        const Account* account = entry->account;
        const auto share = std::find_if(shares.begin(), shares.end(),
                                        [&](const auto& of) { return of.first == account; });
        if (share != shares.end()) {
            ++share->second;
        } else {
            shares.emplace_back(account, 1);
        }
    }
    const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(shares.begin(), shares.end(), isLess)->first;
}

void IdMap::forgetNames(const IdEntry& entry) {
    const Key key(smpp::exactKey(entry.smscId));
    byKey(key).erase(key.hash, entry);
    if (!isShort(entry.shown)) return;
    const auto named = byShortId_.find(entry.shown);
    if (named != byShortId_.end() && named->second == entry.id) byShortId_.erase(named);
}

// --- which message a receipt is about -------------------------------------------------------

IdMap::Rank IdMap::rankOf(const IdEntry& entry, const Asked& asked) {
    Rank rank;
    rank.isSpelledSo = entry.smscId == asked.smscId;
    rank.open = !entry.isOpen() ? 0 : entry.wantsReceipt ? 2 : 1;
    rank.number = entry.destination.likeness(asked.receipt.from);
    rank.sender = entry.sender.likeness(asked.receipt.to);
    if (rank.number == AddressMark::different) {
        // Some SMSCs leave the addresses as they were in the message.
        const unsigned number = entry.destination.likeness(asked.receipt.to);
        const unsigned sender = entry.sender.likeness(asked.receipt.from);
        if (number >= AddressMark::same && sender != AddressMark::different) {
            rank.number = number;
            rank.sender = sender;
        } else if (number >= AddressMark::same) {
            // The sender may have been replaced by the SMSC: it tells nothing.
            rank.sender = std::max(rank.sender, AddressMark::unknown);
        }
    }
    rank.mayBeNumber = rank.number != AddressMark::different;
    // Then its number must speak for it.
    if (!rank.mayBeNumber && !rank.isSpelledSo &&
        (isTrimmed(entry.smscId) || isTrimmed(asked.smscId)))
        rank.sender = AddressMark::different;
    return rank;
}

IdMap::Candidate IdMap::bestOf(const Named& named, const Asked& asked) {
    Candidate best;
    bool isTied = false;
    for (IdEntry* entry : named) {
        const Rank rank = rankOf(*entry, asked);
        if (rank.isOther()) continue;
        isTied = best.entry != nullptr && (rank == best.rank || (isTied && rank < best.rank));
        if (best.entry == nullptr || best.rank < rank) best = {entry, rank};
    }
    if (isTied) best.entry = earliestAccountsNewest(named, asked, best.rank);
    return best;
}

// Accounts: first come, first served. Within one the newest message counts: where the SMSC has
// started to count anew, the older ones get no receipts any more.
IdEntry* IdMap::earliestAccountsNewest(const Named& named, const Asked& asked, const Rank& rank) {
    IdEntry* earliest = nullptr;
    for (IdEntry* entry : named) {
        if (rankOf(*entry, asked) != rank) continue;
        if (earliest == nullptr || entry->id < earliest->id) earliest = entry;
    }
    IdEntry* newest = earliest;
    for (IdEntry* entry : named) {
        if (rankOf(*entry, asked) != rank) continue;
        const bool isNewer = newest->id < entry->id;
        if (isNewer && entry->account == earliest->account) newest = entry;
    }
    return newest;
}

// Whether the receipt could be another account's just as well.
bool IdMap::hasRival(const Named& named, const Asked& asked, const Candidate& best) const {
    const auto isOthers = [&](const IdEntry* entry) {
        return entry->account != best.entry->account;
    };
    // The one that is meant may have been dropped.
    const bool isInDoubt = best.rank.sender == AddressMark::different && !changesSenders() &&
                           named.size() >= mostCandidates;
    if (isInDoubt && std::any_of(named.begin(), named.end(), isOthers)) return true;
    if (best.rank.number >= AddressMark::same) return false;
    const bool knowsSender = best.rank.sender >= AddressMark::same;
    return std::any_of(named.begin(), named.end(), [&](const IdEntry* entry) {
        if (!isOthers(entry)) return false;
        const Rank rank = rankOf(*entry, asked);
        if (rank.isOther()) return false;
        if (rank.isSpelledSo < best.rank.isSpelledSo) return false;
        if (rank.mayBeNumber < best.rank.mayBeNumber) return false;
        if (knowsSender && rank.sender < best.rank.sender) return false;
        return !best.rank.mayBeNumber || rank.open > 0 || best.rank.open == 0;
    });
}

IdMap::Candidate IdMap::findKey(const Key& key, const Asked& asked) {
    const Named& named = namedBy(key);
    const Candidate best = bestOf(named, asked);
    if (best.entry == nullptr) return {};
    return hasRival(named, asked, best) ? Candidate{nullptr, {}, true} : best;
}

Fit IdMap::Match::fit() const {
    if (entry == nullptr) return Fit::none;
    if (anyNumber) return Fit::anyNumber;
    if (otherNumber) return Fit::otherNumber;
    if (inDoubt) return Fit::otherForm;
    if (otherSender) return Fit::otherSender;
    return isOver ? Fit::over : Fit::sure;
}

IdMap::Match IdMap::findSmscId(std::string_view smscId, const ReceiptAddresses& receipt) {
    const Asked asked{smscId, receipt};
    const auto inOtherForm = [&] { return findOtherForm(asked, false); };
    const auto ofOtherForm = [&](const Candidate& found, bool inDoubt) {
        Match match{found.entry, mayBeInOtherBase(smscId), inDoubt};
        match.sameNumber = found.rank.number >= AddressMark::same;
        return match;
    };
    const bool goesFirst = seenInOtherForm_ == enough && !sameForm_;
    Candidate other = goesFirst ? inOtherForm() : Candidate{};
    if (other.entry != nullptr) return ofOtherForm(other, false);
    const Key exact(smpp::exactKey(smscId));
    const Candidate same = exact.text.empty() ? Candidate{} : findKey(exact, asked);
    if (same.rank.mayBeNumber) {
        // It could have been meant otherwise, and was not.
        if (!sameForm_ && inOtherForm().entry == nullptr) {
            sameForm_ = mayBeInOtherBase(smscId) && !smpp::alternativeKeys(smscId).empty();
        }
        Match match{same.entry};
        match.otherSender = same.rank.sender == AddressMark::different;
        match.sameNumber = same.rank.number >= AddressMark::same;
        match.sameSender = same.rank.sender >= AddressMark::same;
        match.isOver = same.rank.open == 0;
        return match;
    }
    other = inOtherForm();
    if (other.entry != nullptr) return ofOtherForm(other, same.entry == nullptr);
    if (same.entry == nullptr && haveSuffixes_) other = findWithSuffix(exact.text, asked);
    if (other.entry != nullptr) {
        Match match{other.entry, false, true};
        match.sameNumber = true;
        return match;
    }
    if (same.entry != nullptr) return {same.entry, false, !same.rank.isSpelledSo, false, true};
    if (same.isContested) {
        Match none;
        none.isContested = true;
        return none;
    }
    if (sameForm_) return {};
    // Nothing speaks for it but the id.
    other = findOtherForm(asked, true);
    if (other.entry == nullptr) return {};
    return {other.entry, mayBeInOtherBase(smscId), true, true};
}

IdMap::Candidate IdMap::findOtherForm(const Asked& asked, bool ofAnyNumber) {
    for (const std::string& key : smpp::alternativeKeys(asked.smscId)) {
        const Candidate found = findKey(Key(key), {key, asked.receipt});
        if (found.entry == nullptr) continue;
        const bool isOfAny = !found.entry->destination.isKnown();
        const bool isOfThis = found.rank.number >= AddressMark::same;
        // The receipt comes from no number: then the sender speaks for the message, though not for
        // the base of its id.
        const bool isKnownForm = usesOtherForm() || !mayBeInOtherBase(asked.smscId);
        const bool isOfSender = isKnownForm && !isOfAny &&
                                found.rank.number == AddressMark::unknown &&
                                found.rank.sender >= AddressMark::same;
        if (ofAnyNumber ? isOfAny : isOfThis || isOfSender) return found;
    }
    return {};
}

// The answer's id has the suffix of a first part, for a message to this number.
IdMap::Candidate IdMap::findWithSuffix(const std::string& key, const Asked& asked) {
    if (key.empty()) return {};
    for (const char divider : smpp::suffixDividers) {
        for (const char first : {'1', '0'}) {
            const std::string longer = key + divider + first;
            const Candidate found = findKey(Key(longer), {longer, asked.receipt});
            if (found.entry != nullptr && found.rank.number >= AddressMark::same) return found;
        }
    }
    return {};
}

void IdMap::noteAddresses(const Match& taken) {
    numbers_.note(taken.otherNumber, taken.sameNumber);
    senders_.note(taken.otherSender, taken.sameSender);
}

IdEntry* IdMap::find(MessageId id) {
    const auto found = byId(id).find(id);
    return found == byId(id).end() ? nullptr : &found->second;
}

IdEntry* IdMap::findShown(MessageId shown) {
    if (!isShort(shown)) return find(shown);
    const auto found = byShortId_.find(shown);
    return found == byShortId_.end() ? nullptr : find(found->second);
}

void IdMap::finish(IdEntry& entry, std::int64_t now) {
    if (entry.finished || entry.severalDestinations) return;
    entry.finished = true;
    finished_.push_back({now + limits_.secondsAfterFinal, entry.id});
    left_.push_back(entry.id);
}

void IdMap::remove(MessageId id) {
    drop(id);
}

void IdMap::drop(MessageId id) {
    const auto found = byId(id).find(id);
    if (found == byId(id).end()) return;
    forgetNames(found->second);
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
        if (!ofFinished) left_.push_back(first.id);
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
    return takeLeft();
}

}  // namespace router
