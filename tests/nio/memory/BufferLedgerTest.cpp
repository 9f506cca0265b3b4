#include <nio/memory/BufferLedger.h>

#include <gtest/gtest.h>

namespace {

using nio::BufferLedger;

TEST(BufferLedger, AddsUpWhatAllHold) {
    BufferLedger ledger;
    EXPECT_EQ(ledger.sum(), 0U);
    ledger.set(7, 100);
    ledger.set(0, 20);
    EXPECT_EQ(ledger.sum(), 120U);
    ledger.set(7, 30);
    EXPECT_EQ(ledger.sum(), 50U);
    EXPECT_EQ(ledger.held(7), 30U);
    EXPECT_EQ(ledger.held(3), 0U);
    EXPECT_EQ(ledger.held(1000), 0U);
}

TEST(BufferLedger, KnowsWhoHoldsTheMost) {
    BufferLedger ledger;
    EXPECT_EQ(ledger.size(), 0U);
    ledger.set(2, 10);
    ledger.set(5, 30);
    ledger.set(9, 20);
    EXPECT_EQ(ledger.size(), 10U);
    EXPECT_EQ(ledger.worst(), 5U);
    ledger.set(5, 0);
    EXPECT_EQ(ledger.worst(), 9U);
}

TEST(BufferLedger, ThoseEvictedFirstAreWorseThanAllOthers) {
    BufferLedger ledger;
    ledger.set(2, 1000);
    ledger.set(5, 30, true);
    ledger.set(9, 20, true);
    EXPECT_EQ(ledger.sum(), 1050U);
    EXPECT_EQ(ledger.evictFirst(), 50U);
    EXPECT_EQ(ledger.held(5), 30U);
    EXPECT_EQ(ledger.worst(), 5U);
    ledger.set(5, 30);
    EXPECT_EQ(ledger.evictFirst(), 20U);
    EXPECT_EQ(ledger.worst(), 9U);
    ledger.set(9, 0, true);
    EXPECT_EQ(ledger.evictFirst(), 0U);
    EXPECT_EQ(ledger.worst(), 2U);
}

}  // namespace
