// When messages leave the memory of accepted ones.
#include <gtest/gtest.h>

#include <string>

#include "apps/sms_router/delivery/IdMapTesting.h"

namespace router {
namespace {

using namespace idmaptest;

class IdMapExpiry : public ::testing::Test {
  protected:
    // 0: none.
    MessageId foundAs(std::string_view smscId) {
        const IdMap::Match match = map.findSmscId(smscId, {mark(number), {}});
        return match.entry == nullptr ? 0 : match.entry->id;
    }

    IdMap map{small()};
};

TEST_F(IdMapExpiry, AMessageLeavesWhenItsTimeIsOverOldestFirst) {
    map.add(entryOf(1, "a"), 0);
    map.add(entryOf(2, "b"), 10);
    map.add(entryOf(3, "c"), 20);
    EXPECT_EQ(map.expire(99), Ids{});
    EXPECT_EQ(map.expire(110), (Ids{1, 2}));
    EXPECT_EQ(map.expire(110), Ids{});
    EXPECT_EQ(foundAs("b"), 0u);
    EXPECT_EQ(foundAs("c"), 3u);
}

TEST_F(IdMapExpiry, AMessageThatWantsNoReceiptLeavesEarlier) {
    map.add(entryOf(1, "a"), 0);
    map.add(entryOf(2, "b", false), 0);
    EXPECT_EQ(map.expire(29), Ids{});
    EXPECT_EQ(map.expire(30), Ids{2});
    EXPECT_EQ(map.expire(100), Ids{1});
}

TEST_F(IdMapExpiry, AfterItsLastReceiptAMessageStaysALittle) {
    IdEntry& entry = map.add(entryOf(1, "a"), 0);
    map.finish(entry, 20);
    EXPECT_EQ(map.takeLeft(), Ids{1}) << "the store at once";
    EXPECT_EQ(foundAs("a"), 1u);
    EXPECT_EQ(map.expire(29), Ids{});
    EXPECT_EQ(map.size(), 1u);
    EXPECT_EQ(map.expire(30), Ids{});
    EXPECT_EQ(map.size(), 0u);
    EXPECT_EQ(map.expire(200), Ids{}) << "it left twice";
}

TEST_F(IdMapExpiry, ASecondLastReceiptDoesNotKeepItLonger) {
    IdEntry& entry = map.add(entryOf(1, "a"), 0);
    map.finish(entry, 20);
    map.finish(entry, 25);
    EXPECT_EQ(map.expire(30), Ids{1});
    EXPECT_EQ(map.size(), 0u);
    EXPECT_EQ(map.expire(200), Ids{});
}

TEST_F(IdMapExpiry, AMessageToSeveralDestinationsHasNoLastReceipt) {
    IdEntry made = entryOf(1, "a");
    made.severalDestinations = true;
    map.finish(map.add(std::move(made), 0), 20);
    EXPECT_EQ(map.expire(99), Ids{});
    EXPECT_EQ(map.expire(100), Ids{1});
}

TEST_F(IdMapExpiry, WhenThereAreTooManyTheOldestLeave) {
    for (MessageId id = 1; id <= 8; ++id) map.add(entryOf(id, "s" + std::to_string(id)), 0);
    EXPECT_EQ(map.expire(0), (Ids{1, 2, 3}));
    EXPECT_EQ(map.size(), 5u);
    EXPECT_EQ(foundAs("s3"), 0u);
    EXPECT_EQ(foundAs("s4"), 4u);
}

TEST_F(IdMapExpiry, WhenThereAreTooManyThoseThatAreFinishedLeaveFirst) {
    for (MessageId id = 1; id <= 6; ++id) map.add(entryOf(id, "s" + std::to_string(id)), 0);
    map.finish(*map.find(4), 0);
    EXPECT_EQ(map.expire(0), Ids{4});
    EXPECT_EQ(map.find(4), nullptr);
    EXPECT_EQ(map.size(), 5u);
}

TEST_F(IdMapExpiry, ThenThoseThatWaitForNoReceipt) {
    for (MessageId id = 1; id <= 6; ++id) {
        map.add(entryOf(id, "s" + std::to_string(id), id != 5), 0);
    }
    EXPECT_EQ(map.expire(0), Ids{5});
}

TEST_F(IdMapExpiry, ALowerLimitCountsFromTheNextLookOn) {
    for (MessageId id = 1; id <= 5; ++id) map.add(entryOf(id, "s" + std::to_string(id)), 0);
    EXPECT_EQ(map.expire(0), Ids{});
    IdMap::Limits lower = small();
    lower.entries = 2;
    map.useLimits(lower);
    EXPECT_EQ(map.expire(0), (Ids{1, 2, 3}));
}

TEST_F(IdMapExpiry, OneThatComesBackLateHasItsPlaceAmongTheOthers) {
    map.add(entryOf(2, "b"), 50);
    map.add(entryOf(3, "c"), 60);
    map.add(entryOf(1, "a"), 0);
    map.add(entryOf(4, "d"), 70);
    EXPECT_EQ(map.expire(100), Ids{1});
    EXPECT_EQ(map.expire(160), (Ids{2, 3}));
}

}  // namespace
}  // namespace router
