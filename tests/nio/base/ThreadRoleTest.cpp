#include <nio/base/ThreadRole.h>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace nio {
namespace {

std::string refusal(const DispatcherIdentity& identity) {
    try {
        identity.assertCurrent("closeNow");
        return "not refused";
    } catch (const WrongThreadError& error) {
        return error.what();
    }
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(ThreadRole, IsHeldByNobodyOutsideOfATurn) {
    EXPECT_EQ(DispatcherIdentity::current(), nullptr);
    EXPECT_THROW(onDispatcher.assertCurrent(), WrongThreadError);
}

TEST(ThreadRole, IsHeldWhileATurnIsMade) {
    const DispatcherIdentity identity("one");
    {
        const DispatcherIdentity::Turn turn(identity);
        EXPECT_NO_THROW(onDispatcher.assertCurrent());
        EXPECT_NO_THROW(identity.assertCurrent("closeNow"));
        EXPECT_TRUE(identity.isCurrent());
        EXPECT_EQ(DispatcherIdentity::current(), &identity);
    }
    EXPECT_FALSE(identity.isCurrent());
    EXPECT_THROW(onDispatcher.assertCurrent(), WrongThreadError);
}

TEST(ThreadRole, ReturnsToTheOuterTurnWhenTurnsNest) {
    const DispatcherIdentity outer("outer");
    const DispatcherIdentity inner("inner");
    const DispatcherIdentity::Turn outerTurn(outer);
    EXPECT_EQ(outerTurn.outer(), nullptr);
    {
        const DispatcherIdentity::Turn innerTurn(inner);
        EXPECT_EQ(innerTurn.outer(), &outer);
        EXPECT_TRUE(inner.isCurrent());
        EXPECT_FALSE(outer.isCurrent());
    }
    EXPECT_TRUE(outer.isCurrent());
}

TEST(ThreadRole, IsLeftWhenATurnEndsByAnException) {
    const DispatcherIdentity identity("one");
    const auto turn = [&] {
        const DispatcherIdentity::Turn current(identity);
        throw std::runtime_error("on purpose");
    };
    EXPECT_THROW(turn(), std::runtime_error);
    EXPECT_EQ(DispatcherIdentity::current(), nullptr);
}

TEST(ThreadRole, IsNotSharedWithOtherThreads) {
    const DispatcherIdentity identity("one");
    const DispatcherIdentity::Turn turn(identity);
    bool currentElsewhere = true;
    std::thread([&] { currentElsewhere = identity.isCurrent(); }).join();
    EXPECT_FALSE(currentElsewhere);
}

TEST(ThreadRole, GoesWithTheTurnAndNotWithTheThread) {
    const DispatcherIdentity identity("one");
    for (int i = 0; i < 2; ++i) {
        std::thread([&] {
            const DispatcherIdentity::Turn turn(identity);
            EXPECT_NO_THROW(identity.assertCurrent("closeNow"));
        }).join();
    }
}

TEST(WrongThreadError, NamesTheCallAndTheOwnerOutsideOfATurn) {
    const std::string text = refusal(DispatcherIdentity("owner"));
    EXPECT_TRUE(contains(text, "closeNow")) << text;
    EXPECT_TRUE(contains(text, "'owner'")) << text;
    EXPECT_TRUE(contains(text, "outside")) << text;
}

TEST(WrongThreadError, NamesBothSidesInAnothersTurn) {
    const DispatcherIdentity guest("guest");
    const DispatcherIdentity::Turn turn(guest);
    const std::string text = refusal(DispatcherIdentity("owner"));
    EXPECT_TRUE(contains(text, "closeNow")) << text;
    EXPECT_TRUE(contains(text, "'owner'")) << text;
    EXPECT_TRUE(contains(text, "'guest'")) << text;
}

}  // namespace
}  // namespace nio
