#include "sms_router/delivery/IdMap.h"

#include <gtest/gtest.h>

#include <string>

#include "sms_router/model/Account.h"

#include "apps/sms_router/delivery/IdMapTesting.h"

namespace router {
namespace {

using namespace idmaptest;

const std::string otherNumber = "41790000006";
const std::string thirdNumber = "41790000007";

class IdMapTest : public ::testing::Test {
  protected:
    // The id found as it is, or 0.
    MessageId foundAs(std::string_view smscId, std::string_view from = number) {
        const IdMap::Match match = map.findSmscId(smscId, {mark(from), {}});
        return match.entry == nullptr || match.otherForm ? 0 : match.entry->id;
    }

    // The id found in the other form, or 0.
    MessageId otherForm(std::string_view smscId, std::string_view from = number) {
        const IdMap::Match match = map.findSmscId(smscId, {mark(from), {}});
        return match.otherForm ? match.entry->id : 0;
    }

    IdMap map{small()};
};

TEST_F(IdMapTest, FindsAMessageByTheShortIdThatItsEsmeGot) {
    const MessageId id = 0x0070000000000001;
    IdEntry entry = entryOf(id, "abc");
    entry.shown = 4711;
    map.add(entry, 0);
    ASSERT_NE(map.findShown(4711), nullptr);
    EXPECT_EQ(map.findShown(4711)->id, id);
    EXPECT_EQ(map.findShown(id)->id, id);
    EXPECT_EQ(map.findShown(4712), nullptr);
    map.remove(id);
    EXPECT_EQ(map.findShown(4711), nullptr);
    entry.isPart = true;
    map.add(entry, 0);
    EXPECT_EQ(map.findShown(4711), nullptr) << "several messages have it";
}

TEST_F(IdMapTest, FindsAMessageByOurIdAndByTheSmscs) {
    map.add(entryOf(1, "abc"), 0);
    map.add(entryOf(65, "def"), 0);  // of the same part of the table
    ASSERT_NE(map.find(1), nullptr);
    EXPECT_EQ(map.find(1)->smscId, "abc");
    EXPECT_EQ(map.find(65)->smscId, "def");
    EXPECT_EQ(map.find(2), nullptr);
    EXPECT_EQ(foundAs("abc"), 1u);
    EXPECT_EQ(foundAs("def"), 65u);
    EXPECT_EQ(foundAs("abcd"), 0u);
    EXPECT_EQ(map.size(), 2u);
}

TEST_F(IdMapTest, FindsAnIdInAnotherCaseOrWithoutLeadingZeros) {
    map.add(entryOf(1, "00AbCdEf"), 0);
    EXPECT_EQ(foundAs("ABCDEF"), 1u);
    EXPECT_EQ(foundAs("0000000abcdef"), 1u);
    map.add(entryOf(2, "6F9619FF-8B86-D011-B42D-00C04FC964FF"), 0);
    EXPECT_EQ(foundAs("6f9619ff-8b86-d011-b42d-00c04fc964ff"), 2u);
}

TEST_F(IdMapTest, IdsThatDifferInCaseOnlyBelongToEachItsOwn) {
    map.add(entryOf(1, "aBc"), 0);
    map.add(entryOf(2, "AbC"), 0);
    EXPECT_EQ(foundAs("aBc"), 1u);
    EXPECT_EQ(foundAs("AbC"), 2u);
    EXPECT_EQ(foundAs("ABC"), 2u) << "the newest";
    map.remove(2);
    EXPECT_EQ(foundAs("ABC"), 1u);
    EXPECT_EQ(foundAs("AbC"), 1u);
}

TEST_F(IdMapTest, TheDestinationDecidesIfIdsDifferOnlyInCase) {
    IdEntry other = entryOf(1, "aBc");
    other.destination = mark(otherNumber);
    map.add(std::move(other), 0);
    map.add(entryOf(2, "AbC"), 0);
    EXPECT_EQ(foundAs("AbC", otherNumber), 1u) << "the receipts' case is another";
    EXPECT_EQ(foundAs("aBc", number), 2u);
    EXPECT_EQ(foundAs("aBc", thirdNumber), 1u) << "a number that the SMSC has changed";
}

TEST_F(IdMapTest, InAnotherCaseAndFromAnotherNumberThereIsDoubt) {
    map.add(entryOf(1, "aBc"), 0);
    EXPECT_TRUE(map.findSmscId("AbC", {mark(otherNumber), {}}).inDoubt)
        << "its answer may come yet";
    EXPECT_FALSE(map.findSmscId("aBc", {mark(otherNumber), {}}).inDoubt);
    EXPECT_FALSE(map.findSmscId("AbC", {mark(number), {}}).inDoubt);
}

// Another account may use the sender's address, too.
TEST_F(IdMapTest, AnIdIsTrimmedOnlyForItsNumber) {
    IdEntry entry = entryOf(1, "4711 ");
    entry.sender = mark("INFO");
    map.add(std::move(entry), 0);
    const auto found = [&](std::string_view id, const std::string& from) {
        return map.findSmscId(id, {mark(from), mark("INFO")}).entry != nullptr;
    };
    EXPECT_TRUE(found("4711", number));
    EXPECT_TRUE(found("[4711]", number));
    EXPECT_TRUE(found("4711 ", otherNumber)) << "it is spelled so";
    EXPECT_FALSE(found("4711", otherNumber));
    EXPECT_FALSE(found("[4711]", otherNumber));
}

TEST_F(IdMapTest, AReceiptMayWriteHexadecimalAsDecimal) {
    map.add(entryOf(1, "4D2"), 0);  // 1234
    EXPECT_EQ(foundAs("1234"), 0u);
    EXPECT_EQ(otherForm("1234"), 1u);
    EXPECT_EQ(otherForm("0000001234"), 1u);
}

TEST_F(IdMapTest, AReceiptMayWriteDecimalAsHexadecimal) {
    map.add(entryOf(1, "1234"), 0);
    EXPECT_EQ(foundAs("4D2"), 0u);
    EXPECT_EQ(otherForm("4D2"), 1u);
    EXPECT_EQ(otherForm("000004d2"), 1u);
}

TEST_F(IdMapTest, InTheOtherFormItMustBeTheSameDestination) {
    map.add(entryOf(1, "4D2"), 0);
    EXPECT_EQ(otherForm("1234", otherNumber), 0u);
    EXPECT_EQ(otherForm("1234", ""), 0u) << "it is not known";
    EXPECT_EQ(otherForm("1234", number), 1u);
}

// The receipt's source is empty or a name.
TEST_F(IdMapTest, InTheOtherFormTheSenderMaySpeakForIt) {
    const auto found = [&](const char* id, const char* from, const char* to) {
        const IdMap::Match match = map.findSmscId(id, {mark(from), mark(to)});
        EXPECT_FALSE(match.sameNumber);
        return match.entry == nullptr ? 0 : match.entry->id;
    };
    IdEntry entry = entryOf(1, "4D2");
    entry.sender = mark("INFO");
    map.add(entry, 0);
    map.useOtherForm();
    EXPECT_EQ(found("1234", "", "INFO"), 1u);
    EXPECT_EQ(found("1234", "Operator", "INFO"), 1u);
    for (const char* to : {"OTHER", ""}) EXPECT_EQ(found("1234", "", to), 0u);
    EXPECT_EQ(found("1234", otherNumber.c_str(), "INFO"), 0u);
    EXPECT_TRUE(map.findSmscId("1234", {{}, mark("INFO")}).inDoubt) << "its answer may come yet";
    entry.id = 2;
    Account other{"other"};
    entry.account = &other;
    map.add(entry, 0);
    EXPECT_EQ(found("1234", "", "INFO"), 0u) << "it may be another account's";
}

// Or the receipt of an unknown message takes an open one of its sender.
TEST_F(IdMapTest, ASenderDoesNotTellInWhichFormAnIdIs) {
    IdEntry entry = entryOf(1, "4096");  // 0x1000
    entry.sender = mark("INFO");
    map.add(std::move(entry), 0);
    const auto isFound = [&] {
        return map.findSmscId("1000", {{}, mark("INFO")}).entry != nullptr;
    };
    EXPECT_FALSE(isFound()) << "nothing is known of the form";
    EXPECT_NE(map.findSmscId("4096-1", {{}, mark("INFO")}).entry, nullptr) << "no other base";
    map.useOtherForm();
    EXPECT_TRUE(isFound());
    map.add(entryOf(2, "7777"), 0);
    EXPECT_EQ(foundAs("7777"), 2u);
    ASSERT_TRUE(map.usesSameForm());
    EXPECT_FALSE(isFound()) << "ids come as they are, too";
}

TEST_F(IdMapTest, AsItIsGoesBeforeTheOtherForm) {
    map.add(entryOf(1, "4D2"), 0);
    map.add(entryOf(2, "1234"), 0);
    EXPECT_EQ(foundAs("1234"), 2u);
}

TEST_F(IdMapTest, TheDestinationDecidesBetweenTheForms) {
    IdEntry entry = entryOf(1, "4D2");
    entry.destination = mark(otherNumber);
    map.add(std::move(entry), 0);
    map.add(entryOf(2, "1234"), 0);
    EXPECT_EQ(otherForm("1234", otherNumber), 1u);
    EXPECT_FALSE(map.findSmscId("1234", {mark(otherNumber), {}}).inDoubt);
    EXPECT_EQ(foundAs("1234", thirdNumber), 2u) << "a number that the SMSC has changed";
}

TEST_F(IdMapTest, WithTheOtherFormAloneThereIsDoubt) {
    map.add(entryOf(1, "4D2"), 0);
    EXPECT_TRUE(map.findSmscId("1234", {mark(number), {}}).inDoubt);
}

TEST_F(IdMapTest, AnAnswersIdMayHaveASuffixForItsNumber) {
    for (const char* id : {"17-1", "17.0", "17_1", "17/1", "17:1"}) {
        map.add(entryOf(1, id), 0);
        const IdMap::Match match = map.findSmscId("0017", {mark(number), {}});
        ASSERT_NE(match.entry, nullptr) << id;
        EXPECT_TRUE(match.sameNumber && match.inDoubt && !match.otherForm) << id;
        EXPECT_EQ(map.findSmscId("17", {mark(otherNumber), {}}).entry, nullptr) << id;
    }
    map.add(entryOf(2, "17"), 0);
    EXPECT_EQ(foundAs("17"), 2u);
}

TEST_F(IdMapTest, RemembersInWhichFormIdsAreWritten) {
    EXPECT_FALSE(map.usesOtherForm());
    map.useOtherForm();
    EXPECT_TRUE(map.usesOtherForm());
    map.add(entryOf(1, "7"), 0);
    EXPECT_EQ(foundAs("7"), 1u);
    EXPECT_TRUE(map.usesOtherForm()) << "it could not be meant otherwise";
    map.add(entryOf(2, "1234"), 0);
    EXPECT_EQ(foundAs("1234"), 2u);
    EXPECT_TRUE(map.usesSameForm());
    EXPECT_FALSE(map.usesOtherForm()) << "not alone, after all";
}

TEST_F(IdMapTest, WhereIdsAreKnownToComeInTheOtherFormItGoesFirst) {
    map.add(entryOf(1, "4D2"), 0);
    map.add(entryOf(2, "1234"), 0);
    map.useOtherForm();
    EXPECT_EQ(foundAs("1234"), 2u) << "one may be chance";
    for (int i = 1; i < 8; ++i) map.useOtherForm();
    EXPECT_EQ(otherForm("1234"), 1u);
    EXPECT_TRUE(map.usesOtherForm());
    EXPECT_EQ(foundAs("1234", otherNumber), 2u) << "to neither's number";
}

TEST_F(IdMapTest, AnIdThatFitsInBothFormsTellsNothing) {
    map.add(entryOf(1, "4D2"), 0);
    map.add(entryOf(2, "1234"), 0);
    EXPECT_EQ(foundAs("1234"), 2u);
    EXPECT_FALSE(map.usesSameForm());
    map.remove(1);
    EXPECT_EQ(foundAs("1234"), 2u);
    EXPECT_TRUE(map.usesSameForm());
}

TEST_F(IdMapTest, AMessageWithoutAnIdOfTheSmscIsFoundByOursAlone) {
    map.add(entryOf(1, ""), 0);
    map.add(entryOf(2, ""), 0);
    EXPECT_NE(map.find(1), nullptr);
    EXPECT_NE(map.find(2), nullptr);
    EXPECT_EQ(foundAs(""), 0u);
}

TEST_F(IdMapTest, AReusedIdIsOfAnAccountsNewestMessage) {
    map.add(entryOf(1, "77"), 0);
    map.add(entryOf(2, "77"), 50);
    EXPECT_EQ(foundAs("77"), 2u);
    EXPECT_NE(map.find(1), nullptr);
    // The old one leaves without taking the new one's id with it.
    EXPECT_EQ(map.expire(100), Ids{1});
    EXPECT_EQ(foundAs("77"), 2u);
    EXPECT_EQ(map.expire(150), Ids{2});
    EXPECT_EQ(foundAs("77"), 0u);
}

TEST_F(IdMapTest, OurIdAgainReplacesTheMessage) {
    map.add(entryOf(1, "old"), 0);
    map.add(entryOf(1, "new"), 0);
    EXPECT_EQ(map.size(), 1u);
    EXPECT_EQ(foundAs("old"), 0u);
    EXPECT_EQ(foundAs("new"), 1u);
}

TEST_F(IdMapTest, RemovesWithoutATrace) {
    map.add(entryOf(1, "77"), 0);
    map.remove(1);
    map.remove(1);
    EXPECT_EQ(map.size(), 0u);
    EXPECT_EQ(map.find(1), nullptr);
    EXPECT_EQ(foundAs("77"), 0u);
    EXPECT_EQ(map.expire(1000), Ids{});
}

TEST_F(IdMapTest, AnOlderMessageDoesNotTakeTheIdFromANewerOne) {
    map.add(entryOf(2, "same"), 50);
    map.add(entryOf(1, "same"), 0);
    EXPECT_EQ(foundAs("same"), 2u);
}

TEST_F(IdMapTest, TheOtherFormOfSeveralNumbersIsALastResort) {
    const auto several = [&](MessageId id, std::string smscId) {
        IdEntry entry = entryOf(id, std::move(smscId));
        entry.destination = {};
        entry.severalDestinations = true;
        map.add(std::move(entry), 0);
    };
    several(1, "1A2B3C4D");
    const IdMap::Match match = map.findSmscId("439041101", {mark(number), {}});
    ASSERT_NE(match.entry, nullptr);
    EXPECT_TRUE(match.anyNumber && match.inDoubt && match.otherForm);
    map.add(entryOf(2, "439041101"), 0);
    EXPECT_EQ(foundAs("439041101", otherNumber), 2u) << "as it is, though the number differs";
    EXPECT_EQ(foundAs("439041101"), 2u);
    several(3, "1A2B3C4E");
    EXPECT_EQ(otherForm("439041102"), 0u) << "ids are known to be written as they are";
}

TEST_F(IdMapTest, OneLookRemovesABoundedNumber) {
    constexpr MessageId many = 10'000;
    for (MessageId id = 1; id <= many; ++id) map.add(entryOf(id, "s" + std::to_string(id)), 0);
    const std::size_t first = map.expire(1000).size();
    EXPECT_GT(first, 0u);
    EXPECT_LT(first, many);
    std::size_t all = first;
    for (int i = 0; i < 100 && map.size() > 0; ++i) all += map.expire(1000).size();
    EXPECT_EQ(all, many);
    EXPECT_EQ(map.size(), 0u);
}

TEST_F(IdMapTest, KeepsWhatItsOwnerNotes) {
    map.add(entryOf(1, "a"), 0).finalPending = true;
    map.find(1)->committed = true;
    ASSERT_NE(map.findSmscId("A", {mark(number), {}}).entry, nullptr);
    EXPECT_TRUE(map.findSmscId("A", {mark(number), {}}).entry->finalPending);
    EXPECT_TRUE(map.findSmscId("A", {mark(number), {}}).entry->committed);
}

}  // namespace
}  // namespace router
