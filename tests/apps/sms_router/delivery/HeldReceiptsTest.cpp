#include "sms_router/delivery/HeldReceipts.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

constexpr nio::TimePoint start{1h};

HeldReceipt receiptOf(std::string id, const std::string& text = "a receipt",
                      nio::TimePoint until = start) {
    return {{}, nio::copyOf(nio::asBytes(text)), std::move(id), until, until};
}

std::vector<std::string> textsOf(const std::vector<HeldReceipt>& receipts) {
    std::vector<std::string> texts;
    for (const HeldReceipt& receipt : receipts) texts.emplace_back(nio::asText(receipt.pdu));
    return texts;
}

using Texts = std::vector<std::string>;

TEST(HeldReceipts, HoldsUntilTheMessageIsKnown) {
    HeldReceipts held;
    EXPECT_TRUE(held.empty());
    EXPECT_FALSE(held.hold(receiptOf("abc", "one")));
    EXPECT_EQ(held.size(), 1u);
    EXPECT_EQ(textsOf(held.release("xyz")), Texts{});
    EXPECT_EQ(textsOf(held.release("abc")), Texts{"one"});
    EXPECT_TRUE(held.empty());
    EXPECT_EQ(textsOf(held.release("abc")), Texts{});
}

TEST(HeldReceipts, FindsTheMessageHoweverTheSmscWritesItsId) {
    const std::pair<const char*, const char*> pairs[] = {
        {"00ABC", "abc"}, {"abc", "0ABC"}, {"1234", "4D2"}, {"4d2", "1234"}, {"0004D2", "001234"}};
    for (const auto& [inReceipt, inAnswer] : pairs) {
        HeldReceipts held;
        EXPECT_FALSE(held.hold(receiptOf(inReceipt)));
        EXPECT_EQ(held.release(inAnswer).size(), 1u) << inReceipt << " and " << inAnswer;
        EXPECT_TRUE(held.empty());
    }
}

TEST(HeldReceipts, FindsTheMessageWhoseIdHasBlanks) {
    for (const char* const inAnswer : {"MC", "MC 70 0012"}) {
        HeldReceipts held;
        HeldReceipt receipt = receiptOf("MC");
        receipt.longerId = "MC 70 0012";
        (void)held.hold(std::move(receipt));
        EXPECT_EQ(held.release("MC 70 0013").size(), 0u);
        EXPECT_EQ(held.release(inAnswer).size(), 1u) << inAnswer;
        EXPECT_EQ(held.release("MC").size() + held.release("MC 70 0012").size(), 0u);
    }
}

TEST(HeldReceipts, GivesBackWhatArrivedBeforeAllThatIsNotAnswered) {
    HeldReceipts held;
    for (const auto& [text, after] : {std::pair("one", 1s), {"two", 2s}, {"three", 3s}}) {
        HeldReceipt receipt = receiptOf("abc", text, start + 1h);
        receipt.arrived = start + after;
        (void)held.hold(std::move(receipt));
    }
    EXPECT_EQ(textsOf(held.due(start + 5s, start + 1s)), Texts{});
    EXPECT_EQ(textsOf(held.due(start + 5s, start + 3s)), (Texts{"one", "two"}));
    EXPECT_EQ(textsOf(held.due(start + 5s, nio::TimePoint::max())), Texts{"three"});
}

TEST(HeldReceipts, GivesTheReceiptsOfOneMessageInTheirOrder) {
    HeldReceipts held;
    (void)held.hold(receiptOf("abc", "enroute"));
    (void)held.hold(receiptOf("xyz", "another's"));
    (void)held.hold(receiptOf("0ABC", "accepted"));
    (void)held.hold(receiptOf("ABC", "delivered"));
    EXPECT_EQ(textsOf(held.release("abc")), (Texts{"enroute", "accepted", "delivered"}));
    EXPECT_EQ(held.size(), 1u);
    EXPECT_EQ(textsOf(held.release("xyz")), Texts{"another's"});
}

TEST(HeldReceipts, AnAmbiguousReceiptGoesToTheFirstKnownMessage) {
    HeldReceipts held;
    (void)held.hold(receiptOf("1234"));
    EXPECT_EQ(held.release("1234").size(), 1u);
    EXPECT_EQ(held.release("4D2").size(), 0u);
}

TEST(HeldReceipts, GivesThoseThatAreToBeLookedAtAgain) {
    HeldReceipts held;
    (void)held.hold(receiptOf("a", "one", start + 1s));
    (void)held.hold(receiptOf("b", "two", start + 2s));
    EXPECT_EQ(textsOf(held.due(start + 999ms)), Texts{});
    EXPECT_EQ(textsOf(held.due(start + 1s)), Texts{"one"});
    EXPECT_EQ(textsOf(held.release("a")), Texts{});
    EXPECT_EQ(textsOf(held.due(start + 1h)), Texts{"two"});
}

TEST(HeldReceipts, WhoIsHeldAgainKeepsItsPlace) {
    HeldReceipts held(2);
    (void)held.hold(receiptOf("abc", "first", start));
    (void)held.hold(receiptOf("abc", "second", start + 1s));
    std::vector<HeldReceipt> due = held.due(start);
    ASSERT_EQ(textsOf(due), Texts{"first"});
    EXPECT_FALSE(held.hold(std::move(due[0])));
    const std::optional<HeldReceipt> out = held.hold(receiptOf("abc", "third"));
    ASSERT_TRUE(out);
    EXPECT_EQ(nio::asText(out->pdu), "first");
    EXPECT_EQ(textsOf(held.release("abc")), (Texts{"second", "third"}));
}

TEST(HeldReceipts, OneTooManyPushesTheOldestOut) {
    HeldReceipts held(2);
    EXPECT_FALSE(held.hold(receiptOf("a", "one")));
    EXPECT_FALSE(held.hold(receiptOf("b", "two")));
    const std::optional<HeldReceipt> out = held.hold(receiptOf("c", "three"));
    ASSERT_TRUE(out);
    EXPECT_EQ(nio::asText(out->pdu), "one");
    EXPECT_EQ(held.size(), 2u);
    EXPECT_EQ(textsOf(held.release("a")), Texts{});
    EXPECT_EQ(textsOf(held.release("b")), Texts{"two"});
    EXPECT_EQ(textsOf(held.release("c")), Texts{"three"});
}

TEST(HeldReceipts, WhatLeftOneWayDoesNotLeaveAnother) {
    HeldReceipts held(3);
    (void)held.hold(receiptOf("1234", "one"));
    (void)held.hold(receiptOf("1234", "two"));
    EXPECT_EQ(textsOf(held.release("4d2")), (Texts{"one", "two"}));
    EXPECT_EQ(textsOf(held.release("1234")), Texts{});
    EXPECT_EQ(textsOf(held.due(start + 1h)), Texts{});
}

}  // namespace
}  // namespace router
