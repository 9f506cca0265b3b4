#include "smpp_bench/esme/ReceiptLedger.h"

#include <gtest/gtest.h>

namespace {

using smppbench::ReceiptLedger;

TEST(ReceiptLedger, IsContentWithOneReceiptForEachAnswerInEitherOrder) {
    ReceiptLedger ledger;
    ledger.answered("a", 0);
    ledger.receipt("a", 0);
    ledger.receipt("b", 1);
    EXPECT_EQ(ledger.totals().unknown, 1u);
    ledger.answered("b", 1);
    EXPECT_EQ(ledger.totals().complete, 2u);
    EXPECT_EQ(ledger.totals().lost(), 0u);
    EXPECT_EQ(ledger.totals().unknown, 0u);
    EXPECT_EQ(ledger.totals().duplicated, 0u);
    EXPECT_EQ(ledger.totals().misrouted, 0u);
}

TEST(ReceiptLedger, MissesAReceiptThatDoesNotCome) {
    ReceiptLedger ledger;
    ledger.answered("a", 0);
    ledger.answered("b", 0);
    ledger.receipt("b", 0);
    EXPECT_EQ(ledger.totals().lost(), 1u);
}

TEST(ReceiptLedger, CountsEachReceiptBeyondTheFirst) {
    ReceiptLedger ledger;
    ledger.answered("a", 0);
    for (int i = 0; i < 3; ++i) ledger.receipt("a", 0);
    EXPECT_EQ(ledger.totals().duplicated, 2u);
    EXPECT_EQ(ledger.totals().receipts, 3u);
    EXPECT_EQ(ledger.totals().complete, 1u);
}

TEST(ReceiptLedger, SeesAReceiptAtTheWrongAccount) {
    ReceiptLedger ledger;
    ledger.answered("a", 0);
    ledger.receipt("a", 1);
    ledger.receipt("b", 0);
    ledger.answered("b", 1);
    EXPECT_EQ(ledger.totals().misrouted, 2u);
}

TEST(ReceiptLedger, SeesAMessageIdThatIsGivenTwice) {
    ReceiptLedger ledger;
    ledger.answered("a", 0);
    ledger.answered("a", 1);
    EXPECT_EQ(ledger.totals().repeatedIds, 1u);
    EXPECT_EQ(ledger.totals().answered, 1u);
}

}  // namespace
