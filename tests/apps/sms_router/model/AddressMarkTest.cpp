#include "sms_router/model/AddressMark.h"

#include <gtest/gtest.h>

namespace router {
namespace {

unsigned likeness(std::string_view a, std::string_view b) {
    const unsigned there = AddressMark::of(a).likeness(AddressMark::of(b));
    EXPECT_EQ(AddressMark::of(b).likeness(AddressMark::of(a)), there);
    return there;
}

bool mayBeSame(std::string_view a, std::string_view b) {
    return likeness(a, b) >= AddressMark::same;
}

TEST(AddressMark, ComparesTheLastSixDigits) {
    EXPECT_TRUE(mayBeSame("+491701234567", "01701234567"));
    EXPECT_TRUE(mayBeSame("0049 170 1234567", "1234567"));
    EXPECT_TRUE(mayBeSame("+44 7700 900123", "447700900123"));
    EXPECT_TRUE(mayBeSame("004477009001230000000", "9001230000000"));
    EXPECT_FALSE(mayBeSame("491701234567", "491701234568"));
    EXPECT_FALSE(mayBeSame("491701234567", "491701334567"));
    EXPECT_FALSE(mayBeSame("12345", "912345"));
    EXPECT_TRUE(mayBeSame("12345", "12345"));
    EXPECT_TRUE(mayBeSame("0", "000000"));
}

TEST(AddressMark, PrefersTheNumberWithMoreCommonDigits) {
    const std::string_view national = "0170000001";
    EXPECT_GT(likeness("49170000001", national), likeness("41790000001", national));
    EXPECT_GT(likeness("49170000001", "+49170000001"), likeness("49170000001", national));
}

TEST(AddressMark, ComparesNamesWithoutCaseAndBlanks) {
    EXPECT_TRUE(mayBeSame("My Shop", "MYSHOP"));
    EXPECT_EQ(likeness("MyShop", "MyBank"), AddressMark::different);
    EXPECT_EQ(likeness("Shop24", "24"), AddressMark::unknown) << "a name and a number";
}

TEST(AddressMark, IsUnknownWithoutDigitsOrLetters) {
    EXPECT_FALSE(AddressMark::of("").isKnown());
    EXPECT_FALSE(AddressMark::of("+").isKnown());
    EXPECT_TRUE(AddressMark::of("0").isKnown());
    EXPECT_TRUE(AddressMark::of("SHOP").isKnown());
    EXPECT_EQ(likeness("", "41791234567"), AddressMark::unknown);
    EXPECT_EQ(likeness("", ""), AddressMark::unknown);
}

TEST(AddressMark, ComesBackFromTheStoreAsItWas) {
    for (const std::string_view address : {"", "0", "41791234567", "999999999999999", "Shop"}) {
        const AddressMark mark = AddressMark::of(address);
        const AddressMark restored = AddressMark::fromStore(mark.forStore());
        EXPECT_EQ(restored.isKnown(), mark.isKnown()) << address;
        EXPECT_EQ(restored.likeness(mark), mark.likeness(mark)) << address;
    }
    EXPECT_FALSE(AddressMark::fromStore(-1).isKnown()) << "a damaged row";
}

TEST(AddressMark, ComparesTheTailOfAnOlderStore) {
    // What version 2 of the store had of 41791234567: 765432 % 65521 + 1.
    const AddressMark tail = AddressMark::ofTail(44'702);
    EXPECT_EQ(tail.likeness(AddressMark::of("0791234567")), AddressMark::same);
    EXPECT_EQ(AddressMark::of("0791234567").likeness(tail), AddressMark::same);
    EXPECT_EQ(tail.likeness(AddressMark::of("0791234568")), AddressMark::different);
    EXPECT_EQ(tail.likeness(AddressMark::of("Shop")), AddressMark::unknown);
    EXPECT_FALSE(AddressMark::ofTail(0).isKnown());
}

}  // namespace
}  // namespace router
