// Ids that an SMSC has given more than once.
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "sms_router/delivery/IdMap.h"
#include "sms_router/model/Account.h"

namespace router {
namespace {

const std::string one = "41790000001";
const std::string two = "41790000002";

// All messages have the id "1".
class IdMapReuse : public ::testing::Test {
  protected:
    IdEntry& add(MessageId id, Account& account, std::string_view to,
                 std::string_view sender = "777") {
        IdEntry entry;
        entry.id = id;
        entry.account = &account;
        entry.smscId = "1";
        entry.destination = AddressMark::of(to);
        entry.sender = AddressMark::of(sender);
        entry.wantsReceipt = true;
        return map.add(std::move(entry), 0);
    }
    IdMap::Match match(std::string_view from, std::string_view to = "777") {
        return map.findSmscId("1", {AddressMark::of(from), AddressMark::of(to)});
    }
    // 0: none.
    MessageId found(std::string_view from, std::string_view to = "777") {
        const IdEntry* entry = match(from, to).entry;
        return entry == nullptr ? 0 : entry->id;
    }
    void finish(MessageId id) { map.finish(*map.find(id), 0); }

    Account a{"a"};
    Account b{"b"};
    Account c{"c"};
    IdMap map{IdMap::Limits{}};
};

TEST_F(IdMapReuse, TheNumberDecides) {
    add(1, a, one);
    add(2, b, two);
    add(3, c, "41790000003");
    EXPECT_EQ(found(one), 1u);
    EXPECT_EQ(found(two), 2u);
    EXPECT_EQ(found("0790000003"), 3u) << "the national spelling";
    finish(1);
    EXPECT_EQ(found(one), 1u) << "a repetition is not another's";
}

TEST_F(IdMapReuse, TheNumberWithMoreCommonDigitsDecides) {
    add(1, a, "41790000001");
    add(2, b, "49170000001");
    EXPECT_EQ(found("+41790000001"), 1u);
    EXPECT_EQ(found("0790000001"), 1u);
    EXPECT_EQ(found("0170000001"), 2u);
}

TEST_F(IdMapReuse, OfOneNumberTheSenderDecides) {
    add(1, a, one, "111");
    add(2, b, one, "Shop");
    EXPECT_EQ(found(one, "111"), 1u);
    EXPECT_EQ(found(one, "SHOP"), 2u);
    finish(1);
    EXPECT_EQ(found(one, "111"), 1u) << "a repetition is not another's";
}

TEST_F(IdMapReuse, AMessageThatHasItsFinalReceiptComesLast) {
    add(1, a, one);
    add(2, b, one);
    add(3, a, one);
    EXPECT_EQ(found(one), 3u) << "the earliest account's newest";
    finish(3);
    EXPECT_EQ(found(one), 1u);
    map.find(1)->finalPending = true;
    EXPECT_EQ(found(one), 2u);
    EXPECT_FALSE(match(one).isOver);
    finish(2);
    EXPECT_TRUE(match(one).isOver);
}

TEST_F(IdMapReuse, AFinishedMessageLeavesTheStore) {
    add(1, a, one);
    EXPECT_TRUE(map.takeLeft().empty());
    finish(1);
    EXPECT_EQ(map.takeLeft(), std::vector<MessageId>{1}) << "a rival may come after a restart";
    finish(1);
    add(2, b, one);
    EXPECT_TRUE(map.takeLeft().empty()) << "once";
    EXPECT_NE(map.find(1), nullptr) << "a repetition is still recognized";
}

TEST_F(IdMapReuse, OneThatAskedForNoReceiptComesAfterOneThatDid) {
    add(1, a, one).wantsReceipt = false;
    add(2, b, one);
    EXPECT_EQ(found(one), 2u);
}

TEST_F(IdMapReuse, AnotherNumberIsNobodysIfItCouldBeSeveralAccounts) {
    add(1, a, one, "111");
    EXPECT_EQ(found("499", "111"), 1u) << "a number that the SMSC has changed";
    add(2, a, two, "111");
    EXPECT_EQ(found("499", "111"), 2u) << "one account's";
    add(3, b, two, "222");
    EXPECT_EQ(found("499", ""), 0u);
    EXPECT_EQ(found("499", "222"), 3u) << "the sender's";
    finish(3);
    EXPECT_EQ(found("499", ""), 0u) << "it may be a repetition";
}

TEST_F(IdMapReuse, WithoutANumberTheSenderDecidesOrNobody) {
    add(1, a, one, "111");
    add(2, b, two, "222");
    EXPECT_EQ(found("", "111"), 1u);
    EXPECT_EQ(found("", "222"), 2u);
    EXPECT_EQ(found("", ""), 0u);
    EXPECT_EQ(found("", "333"), 0u);
    finish(2);
    EXPECT_EQ(found("", ""), 1u) << "the only one that waits for one";
}

TEST_F(IdMapReuse, AnotherNumberAndSenderAreAnotherMessages) {
    add(1, a, one, "111");
    EXPECT_EQ(found(two, "222"), 0u);
    EXPECT_FALSE(match(two, "222").isContested) << "it is not known";
    EXPECT_EQ(found(two, "111"), 1u) << "the SMSC has changed the number";
    EXPECT_EQ(found(one, "222"), 1u) << "or the sender";
    EXPECT_EQ(found("", "222"), 1u) << "no number contradicts";
    EXPECT_EQ(found(two, "Shop"), 1u) << "a name in place of a number neither";
    add(2, a, one, "111");
    EXPECT_EQ(found(two, "222"), 0u) << "of one account's neither";
    EXPECT_EQ(found("+" + one, "0111"), 2u);
}

TEST_F(IdMapReuse, SpellingsOfANumberDoNotCross) {
    for (const bool isAFirst : {true, false}) {
        add(isAFirst ? 1 : 2, a, one, "111");
        add(isAFirst ? 2 : 1, b, two, "222");
        for (const std::string front : {"41", "+41", "0041", "0", ""}) {
            EXPECT_EQ(found(front + "790000001", ""), isAFirst ? 1u : 2u) << front;
            EXPECT_EQ(found(front + "790000002", ""), isAFirst ? 2u : 1u) << front;
        }
        map.remove(1);
        EXPECT_EQ(found(isAFirst ? one : two, isAFirst ? "111" : "222"), 0u)
            << "the other account's has left";
        map.remove(2);
    }
}

TEST_F(IdMapReuse, AddressesMayBeLeftAsInTheMessage) {
    add(1, a, one, "111");
    add(2, b, two, "222");
    EXPECT_EQ(found("111", one), 1u);
    EXPECT_EQ(found("222", two), 2u);
    EXPECT_FALSE(match("222", two).otherNumber);
}

TEST_F(IdMapReuse, AddressesMayBeLeftButForTheSender) {
    add(1, a, one, "54321");
    EXPECT_EQ(found("41799998877", one), 1u);
    EXPECT_EQ(match("41799998877", one).fit(), Fit::otherNumber) << "it waits for a better one";
    EXPECT_EQ(found("41799998877", two), 0u);
    add(2, b, two, "333");
    EXPECT_EQ(found("41799998877", one), 1u);
    add(3, b, "41799998877", one);
    EXPECT_EQ(found("41799998877", one), 3u) << "the one that both addresses fit";
}

TEST_F(IdMapReuse, TellsThatTheSenderDiffers) {
    add(1, a, one, "111");
    EXPECT_TRUE(match(one, "222").otherSender);
    EXPECT_EQ(match(one, "222").fit(), Fit::otherSender);
    EXPECT_FALSE(match(one, "111").otherSender);
    EXPECT_FALSE(match(one, "").otherSender);
}

TEST_F(IdMapReuse, OneIdForAllKeepsABoundedNumberOfCandidates) {
    constexpr MessageId many = 10'000;
    for (MessageId id = 1; id <= many; ++id) {
        add(id, a, std::to_string(41790000000 + id));
        if (id > many - 10) finish(id);
    }
    const auto to = [&](MessageId id) { return found(std::to_string(41790000000 + id)); };
    EXPECT_EQ(to(many), many);
    EXPECT_EQ(to(many - 15), many - 15);
    EXPECT_NE(to(1), 1u);
    EXPECT_EQ(map.size(), many);
    EXPECT_NE(map.find(1), nullptr) << "by our id";
    for (MessageId id = 1; id <= many; ++id) map.remove(id);
    EXPECT_EQ(to(many), 0u);
}

TEST_F(IdMapReuse, TooManyOfOneAccountDropNoneOfOthers) {
    constexpr MessageId many = IdMap::mostCandidates;
    add(1, b, one, "222");
    for (MessageId id = 2; id <= 2 * many; ++id) {
        add(id, a, std::to_string(41790000000 + id), "111");
    }
    add(2 * many + 1, c, two, "333");
    EXPECT_EQ(found(one, "222"), 1u);
    EXPECT_EQ(found(two, "333"), 2 * many + 1);
    EXPECT_EQ(found(std::to_string(41790000000 + 2 * many), "111"), 2 * many);
    EXPECT_TRUE(match(std::to_string(41790000000 + 5), "111").otherNumber) << "dropped";
    finish(1);
    add(2 * many + 2, c, "41790000009", "333");
    EXPECT_EQ(found(two, "333"), 2 * many + 1) << "a finished one goes first, whoever's it is";
    EXPECT_EQ(found(one, "222"), 0u);
}

TEST_F(IdMapReuse, AnAccountWithMostMakesRoomForAnother) {
    constexpr MessageId many = IdMap::mostCandidates;
    const auto number = [](MessageId id) { return std::to_string(41790000000 + id); };
    for (MessageId id = 1; id <= many; ++id) add(id, a, number(id), "111");
    for (MessageId id = 1; id <= many; ++id) add(many + id, b, number(many + id), "222");
    const auto known = [&](MessageId first, std::string_view sender) {
        int count = 0;
        for (MessageId id = first; id < first + many; ++id)
            count += found(number(id), sender) == id;
        return count;
    };
    EXPECT_EQ(known(1, "111"), 32);
    EXPECT_EQ(known(many + 1, "222"), 32);
    EXPECT_EQ(found(number(many), "111"), many) << "its newest";
    EXPECT_EQ(found(number(2 * many), "222"), 2 * many);
}

TEST_F(IdMapReuse, OfTooManyEachAccountKeepsOne) {
    std::deque<Account> accounts;
    for (MessageId id = 1; id <= IdMap::mostCandidates + 1; ++id) {
        const std::string name = std::to_string(41790000000 + id);
        add(id, accounts.emplace_back(name), name, name);
    }
    for (const Account& account : accounts) {
        const IdEntry* entry = match(account.systemId(), account.systemId()).entry;
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(entry->account, &account);
    }
}

TEST_F(IdMapReuse, ReceiptsOfDroppedOnesDoNotCross) {
    constexpr MessageId many = IdMap::mostCandidates;
    for (MessageId id = 1; id <= many; ++id) add(id, a, std::to_string(41790000000 + id), "111");
    add(many + 1, b, one, "222");
    EXPECT_EQ(found(one, "222"), many + 1);
    EXPECT_TRUE(match(one, "111").isContested) << "the first one has been dropped";
    IdMap::Match other;
    other.otherSender = true;
    for (int i = 0; i < 8; ++i) map.noteAddresses(other);
    EXPECT_EQ(found(one, "111"), many + 1) << "the SMSC is known to change senders";
}

TEST_F(IdMapReuse, OfTooManyToOneNumberTheOldestIsDropped) {
    constexpr MessageId many = IdMap::mostCandidates;
    for (MessageId id = 1; id < many; ++id) add(id, a, std::to_string(41790000000 + id), "111");
    add(many, a, two, "111");
    add(many + 1, a, two, "111");
    map.remove(many);
    map.remove(many + 1);
    EXPECT_TRUE(match(two, "111").otherNumber) << "no message to it is known any more";
    EXPECT_EQ(found(one, "111"), 1u) << "an older one to another number is";
}

TEST_F(IdMapReuse, LearnsWhetherReceiptsComeFromOtherNumbers) {
    add(1, a, one);
    EXPECT_FALSE(map.changesNumbers());
    for (int i = 0; i < 8; ++i) map.noteAddresses(match(two));
    EXPECT_TRUE(map.changesNumbers());
    map.noteAddresses(match(""));
    EXPECT_TRUE(map.changesNumbers()) << "no number tells nothing";
    map.noteAddresses(match(one));
    EXPECT_FALSE(map.changesNumbers()) << "not always";
}

TEST_F(IdMapReuse, LearnsWhetherReceiptsGoToOtherSenders) {
    add(1, a, one, "111");
    for (int i = 0; i < 8; ++i) {
        EXPECT_FALSE(map.changesSenders());
        map.noteAddresses(match(one, "222"));
        map.noteAddresses(match(one, ""));
    }
    EXPECT_TRUE(map.changesSenders());
    map.noteAddresses(match(one, "111"));
    EXPECT_FALSE(map.changesSenders()) << "not always";
}

}  // namespace
}  // namespace router
