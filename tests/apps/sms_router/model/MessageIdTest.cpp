#include "sms_router/model/MessageId.h"

#include <gtest/gtest.h>

#include <set>

namespace router {
namespace {

std::string written(MessageId id) {
    return std::string(textOf(id).view());
}

TEST(MessageId, IsSixteenHexadecimalDigitsInUpperCase) {
    EXPECT_EQ(written(shortIds), "00000290D7410000");
    EXPECT_EQ(written(0x00A1B2C3D4E5F607), "00A1B2C3D4E5F607");
    EXPECT_EQ(written(~MessageId{0}), "FFFFFFFFFFFFFFFF");
}

TEST(MessageId, AShortOneIsEightDigitsAndLetters) {
    EXPECT_EQ(written(1), "00000001");
    EXPECT_EQ(written(35), "0000000Z");
    EXPECT_EQ(written(shortIds - 1), "ZZZZZZZZ");
    for (const MessageId id : {MessageId{1}, MessageId{12'345'678'901}, shortIds - 1}) {
        EXPECT_EQ(messageIdOf(written(id)), id);
        EXPECT_EQ(connectorNumberOf(id), 0u) << "which no connector has";
    }
    EXPECT_EQ(messageIdOf("0000000z"), 35u);
    EXPECT_FALSE(messageIdOf("0000000-"));
    EXPECT_FALSE(messageIdOf("0000000000000023")) << "short ids are not written long";
}

TEST(MessageId, IsReadInAnyCase) {
    EXPECT_EQ(messageIdOf("00A1B2C3D4E5F607"), 0x00A1B2C3D4E5F607u);
    EXPECT_EQ(messageIdOf("00a1b2c3d4e5f607"), 0x00A1B2C3D4E5F607u);
    EXPECT_EQ(messageIdOf("FFFFFFFFFFFFFFFF"), ~MessageId{0});
}

TEST(MessageId, WhatDoesNotLookLikeOneOfOursIsNone) {
    for (const char* text : {"", "1", "00A1B2C3D4E5F60", "00A1B2C3D4E5F6070", "00A1B2C3D4E5F60G",
                             "0x00A1B2C3D4E5F6", "00A1B2C3-D4E5F60", " 0A1B2C3D4E5F607"}) {
        EXPECT_FALSE(messageIdOf(text)) << text;
    }
    EXPECT_FALSE(messageIdOf(std::string_view("00A1B2C3D4E5F60\0", 16)));
}

TEST(MessageId, ZeroIsNone) {
    EXPECT_FALSE(messageIdOf("00000000"));
    EXPECT_FALSE(messageIdOf("0000000000000000"));
}

TEST(MessageId, ItsFirstThreeDigitsAreTheConnector) {
    EXPECT_EQ(connectorNumberOf(0x0070000000000001), 7u);
    EXPECT_EQ(connectorNumberOf(0xFFF0000000000000), 4095u);
    EXPECT_EQ(connectorNumberOf(0x000FFFFFFFFFFFFF), 0u);
}

TEST(MessageIdMaker, MakesEachIdOnceAndAscending) {
    MessageIdMaker maker(7, 1'700'000'000);
    MessageId last = 0;
    for (int i = 0; i < 1000; ++i) {
        const MessageId id = maker.make();
        EXPECT_GT(id, last);
        EXPECT_EQ(connectorNumberOf(id), 7u);
        last = id;
    }
}

TEST(MessageIdMaker, ALaterRunBeginsBehindAMillionIdsForEachSecond) {
    MessageIdMaker earlier(7, 1'700'000'000);
    MessageIdMaker later(7, 1'700'000'001);
    MessageId last = 0;
    for (int i = 0; i < 1'000'000; ++i) last = earlier.make();
    EXPECT_GT(later.make(), last);
}

TEST(MessageIdMaker, ALaterRunOfTheSameSecondRepeatsNoId) {
    const std::chrono::system_clock::time_point start(std::chrono::milliseconds(1'700'000'000'200));
    MessageIdMaker earlier(7, start);
    MessageIdMaker later(7, start + std::chrono::milliseconds(100));
    MessageId last = 0;
    for (int i = 0; i < 100'000; ++i) last = earlier.make();
    EXPECT_LT(last, later.make());
    EXPECT_LT(later.make(), MessageIdMaker(7, 1'700'000'001).make());
}

TEST(MessageIdMaker, ConnectorsNeverShareAnId) {
    MessageIdMaker one(1, 1'700'000'000);
    MessageIdMaker other(4095, 1'700'000'000);
    std::set<MessageId> ids;
    for (int i = 0; i < 100; ++i) ids.insert({one.make(), other.make()});
    EXPECT_EQ(ids.size(), 200u);
}

TEST(MessageIdMaker, TheClockDoesNotReachIntoTheConnectorsNumber) {
    // 2106-02-07: the seconds need 32 bits and more.
    EXPECT_EQ(connectorNumberOf(MessageIdMaker(7, (1ull << 32) - 1).make()), 7u);
    EXPECT_EQ(connectorNumberOf(MessageIdMaker(7, (1ull << 32) + 5).make()), 7u);
}

TEST(MessageIdMaker, GoesOnBehindWhatIsTaken) {
    MessageIdMaker maker(7, 1'700'000'000);
    const MessageId taken = maker.make() + 5000;
    maker.startAfter(taken);
    EXPECT_EQ(maker.make(), taken + 1);
}

TEST(MessageIdMaker, WhatWasTakenEarlierDoesNotTurnItBack) {
    MessageIdMaker maker(7, 1'700'000'000);
    const MessageId first = maker.make();
    maker.startAfter(first - 5000);
    EXPECT_EQ(maker.make(), first + 1);
}

TEST(MessageIdMaker, WhatAnotherConnectorHasTakenDoesNotCount) {
    MessageIdMaker maker(7, 1'700'000'000);
    const MessageId first = maker.make();
    maker.startAfter(MessageIdMaker(8, 1'700'000'000).make());
    EXPECT_EQ(maker.make(), first + 1);
}

}  // namespace
}  // namespace router
