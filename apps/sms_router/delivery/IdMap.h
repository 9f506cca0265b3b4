// The messages that one SMSC has accepted: by its id, for receipts, and by ours, for query_sm,
// cancel_sm and replace_sm.
//
// SMSCs use ids again (a counter that starts anew, for example): all messages with an id stay known
// by it, and the addresses of a receipt choose between them; see docs/decisions/0010. Entries leave
// some time after the final receipt (a repetition of it is still recognized), or when they are too
// old, or, oldest first, when there are too many.
//
// Thread: one at a time. Time goes in: seconds since any fixed point.
// Lifetime: an entry is valid until the next add(), finish() or expire().
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/delivery/HashIndex.h"
#include "sms_router/delivery/PassedReceipts.h"
#include "sms_router/delivery/StrayReceipt.h"
#include "sms_router/model/AddressMark.h"
#include "sms_router/model/MessageId.h"
#include "sms_router/model/SourceAddress.h"

namespace router {

class Account;

struct IdEntry {
    MessageId id = 0;
    MessageId shown = 0;  // what the ESME knows it by
    Account* account = nullptr;
    std::string smscId;         // as its answer had it
    SharedSource source{};      // as it was sent
    SharedOwn own{};            // null: receipts have the addresses that the SMSC gives them
    AddressMark destination{};  // likewise
    AddressMark sender{};       // likewise
    PassedReceipts passed{};
    Whole whole{};        // `id` is never 0 where there are parts
    bool isPart = false;  // of several messages that have `shown` in common
    bool committed = false;
    bool otherDestination = false;     // than the ESME's
    bool severalDestinations = false;  // as many receipts of each state as it has destinations
    bool finished = false;
    bool finalPending = false;  // a final receipt is in flight to the account
    bool wantsReceipt = false;

    // Whether receipts are still to come.
    bool isOpen() const { return severalDestinations || !(finished || finalPending); }
};

// The addresses of a receipt: it comes from the number that the message went to, and goes to the
// message's sender.
struct ReceiptAddresses {
    AddressMark from{};
    AddressMark to{};
};

class IdMap {
  public:
    static constexpr std::size_t expiredAtOnce = 4096;
    // That are known by one id of the SMSC. Of more, the oldest finished one is not found by it any
    // longer, or else the oldest one of the account that has the most: the newest's own if no other
    // one has more, and then rather one to the same number. Where each has one only, none leaves.
    static constexpr std::size_t mostCandidates = 64;

    struct Limits {
        std::size_t entries = 2'000'000;
        std::int64_t seconds = 3 * 24 * 3600;
        std::int64_t secondsWithoutReceipt = 6 * 3600;
        std::int64_t secondsAfterFinal = 3600;
    };

    IdMap(const IdMap&) = delete;
    IdMap& operator=(const IdMap&) = delete;

    static Limits limitsOf(const StoreConfig& config);

    explicit IdMap(Limits limits);
    void useLimits(Limits limits) { limits_ = limits; }

    IdEntry& add(IdEntry entry, std::int64_t now);
    struct Match {
        IdEntry* entry = nullptr;
        bool otherForm = false;  // found in decimal instead of hexadecimal, or the other way round
        bool inDoubt = false;    // and nothing else speaks for it but, at best, the destination
        bool anyNumber = false;  // nor that: it went to several, or to no number
        bool otherNumber = false;  // it went to another one
        bool otherSender = false;  // it came from another one
        bool sameNumber = false;   // it went to this one
        bool sameSender = false;   // it came from this one
        bool isOver = false;       // it has had its final receipt
        bool isContested = false;  // none, since it could be one of several accounts'

        Fit fit() const;
    };
    // By an id of the SMSC as a receipt writes it: as it is but for case and leading zeros; or, if
    // that finds nothing or a message to another number, in the other base or without its suffix,
    // for a message to this number, or from its sender if the receipt names no number (in the other
    // base, only with usesOtherForm()); or with the suffix of a first part, for a message to this
    // number; or, unless ids are known to be written as they are, for one to several numbers or
    // none. Once enough have come in the other base, and none as they are, that goes first.
    //
    // Of several messages with the id, in this order: the number that the receipt comes from
    // decides, then whose id is spelled just so, the digits that agree, the sender, whether a
    // receipt is still to come; then the older account's message, and of one account's the newest.
    // Nothing is found where it could be another account's and no number speaks for it, nor, once
    // there are mostCandidates of several accounts, one that came from another sender, unless
    // senders are known to change. A message that went to another number and came from another
    // sender is not meant, unless the receipt itself goes to the message's number.
    Match findSmscId(std::string_view smscId, const ReceiptAddresses& receipt);
    // Whether receipts are known to come from other numbers than their messages went to, and to go
    // to other senders. noteAddresses() says what a receipt has shown.
    bool changesNumbers() const { return numbers_.isChanged(); }
    bool changesSenders() const { return senders_.isChanged(); }
    void noteAddresses(const Match& taken);
    // Whether ids are known to be written in the other base only; useOtherForm() says that they
    // are. Whether they are known to be written as they are is what findSmscId() has seen: one that
    // could have been meant otherwise, though not for a message to its number.
    bool usesOtherForm() const { return seenInOtherForm_ > 0 && !sameForm_; }
    bool usesSameForm() const { return sameForm_; }
    void useOtherForm() { seenInOtherForm_ = std::min(seenInOtherForm_ + 1, enough); }
    IdEntry* find(MessageId id);
    // By the id that its ESME got; not one that several messages have.
    IdEntry* findShown(MessageId shown);
    void finish(IdEntry& entry, std::int64_t now);
    void remove(MessageId id);
    // Removes what is too old or too much, up to expiredAtOnce of each kind: if as many have gone,
    // ask again soon. Returns takeLeft().
    std::vector<MessageId> expire(std::int64_t now);
    // The ids that are to leave the store: also those of finished messages, which stay here. The
    // store does not say that they are finished: after a restart they would take the receipts of
    // another account's message.
    std::vector<MessageId> takeLeft() { return std::exchange(left_, {}); }
    std::size_t left() const { return left_.size(); }
    std::size_t size() const { return size_; }

  private:
    // One may be chance.
    static constexpr unsigned enough = 8;
    // Many small tables instead of a large one: none of them takes long to grow, and each grows at
    // another time.
    static constexpr std::size_t parts = 64;
    using ById = std::unordered_map<MessageId, IdEntry>;
    using ByKey = HashIndex<IdEntry>;
    // smpp::exactKey() of an id.
    struct Key {
        explicit Key(std::string key)
            : text(std::move(key)), hash(std::hash<std::string>()(text)) {}
        std::string text;
        std::size_t hash;
    };
    struct Leaving {
        std::int64_t when = 0;
        MessageId id = 0;
    };
    using Queue = std::deque<Leaving>;

    ById& byId(MessageId id) { return byId_[id % parts]; }
    // Not the bits by which the index itself chooses a slot.
    ByKey& byKey(const Key& key) { return byKey_[(key.hash >> 32) % parts]; }
    // How well a message fits a receipt with its id: what comes first decides first.
    struct Rank {
        bool mayBeNumber = false;
        bool isSpelledSo = false;
        unsigned number = AddressMark::different;
        unsigned sender = AddressMark::different;
        unsigned open = 0;  // 2: a receipt was asked for and is still to come; 1: not asked for

        auto operator<=>(const Rank&) const = default;
        bool isOther() const {
            return number == AddressMark::different && sender == AddressMark::different;
        }
    };
    struct Candidate {
        IdEntry* entry = nullptr;
        Rank rank{};
        bool isContested = false;
    };
    using Named = std::vector<IdEntry*>;  // by one key
    struct Asked {
        std::string_view smscId;
        const ReceiptAddresses& receipt;
    };

    // Whether the SMSC writes another address than the message had, whenever that can be told.
    struct Habit {
        bool isChanged() const { return seenOther == enough && !seenSame; }
        void note(bool isOther, bool isSame) {
            if (isOther) seenOther = std::min(seenOther + 1, enough);
            seenSame = seenSame || isSame;
        }

        unsigned seenOther = 0;  // up to `enough`
        bool seenSame = false;
    };

    static Rank rankOf(const IdEntry& entry, const Asked& asked);
    static Candidate bestOf(const Named& named, const Asked& asked);
    static IdEntry* earliestAccountsNewest(const Named& named, const Asked& asked,
                                           const Rank& rank);
    bool hasRival(const Named& named, const Asked& asked, const Candidate& best) const;
    // Until it is called again.
    const Named& namedBy(const Key& key);
    void name(const Key& key, IdEntry& entry);
    static const Account* accountWithMost(const Named& named, const IdEntry& newest);
    static void forgetOne(ByKey& index, const Key& key, const Named& named, const IdEntry& newest);
    void forgetNames(const IdEntry& entry);
    Candidate findKey(const Key& key, const Asked& asked);
    Candidate findOtherForm(const Asked& asked, bool ofAnyNumber);
    Candidate findWithSuffix(const std::string& key, const Asked& asked);
    void drop(MessageId id);
    static void sortLate(Queue& queue);
    void forgetGone(Queue& queue, bool ofFinished);
    void expireQueue(Queue& queue, bool ofFinished, std::int64_t now, std::size_t most);

    Limits limits_;
    std::array<ById, parts> byId_;
    std::array<ByKey, parts> byKey_;
    Named named_;                                         // by the key that was asked for last
    std::unordered_map<MessageId, MessageId> byShortId_;  // what is shown: the id
    Queue waiting_;                                       // for a receipt
    Queue silent_;                                        // none was asked for
    Queue finished_;
    std::vector<MessageId> left_;
    bool late_ = false;          // one came that is older than those before it
    bool haveSuffixes_ = false;  // ids that may have one came
    bool sameForm_ = false;
    unsigned seenInOtherForm_ = 0;  // up to `enough`
    Habit numbers_;
    Habit senders_;
    std::size_t size_ = 0;
};

}  // namespace router
