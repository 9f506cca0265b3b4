#include "sms_router/model/Post.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/TestDispatcher.h"

namespace router {
namespace {

using support::TestDispatcher;

struct Box {
    explicit Box(nio::SelectorThread& home) : home(home) {}
    nio::SelectorThread& dispatcher() const { return home; }
    void takeNow(std::string&& message) NIO_REQUIRES(nio::onDispatcher) {
        EXPECT_TRUE(home.isCurrent());
        taken.push_back(std::move(message));
    }

    nio::SelectorThread& home;
    std::vector<std::string> taken;
};

TEST(Post, WhatIsForThisDispatcherHappensAtOnce) {
    TestDispatcher here;
    bool ran = false;
    here.inTurn([&] {
        EXPECT_TRUE(post(*here, [&] { ran = true; }));
        EXPECT_TRUE(ran);
    });
    EXPECT_TRUE(ran);
}

TEST(Post, WhatIsForAnotherWaitsForItsTurn) {
    TestDispatcher here("here");
    TestDispatcher there("there");
    bool ran = false;
    here.inTurn([&] {
        EXPECT_TRUE(post(*there, [&] { ran = there->isCurrent(); }));
        EXPECT_FALSE(ran);
    });
    EXPECT_FALSE(ran);
    there.turn();
    EXPECT_TRUE(ran);
}

TEST(Post, OutsideOfAnyDispatcherItWaits) {
    TestDispatcher there;
    bool ran = false;
    EXPECT_TRUE(post(*there, [&] { ran = true; }));
    EXPECT_FALSE(ran);
    there.turn();
    EXPECT_TRUE(ran);
}

TEST(Post, KeepsTheOrderBetweenTwo) {
    TestDispatcher here("here");
    TestDispatcher there("there");
    std::vector<int> ran;
    here.inTurn([&] {
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(post(*there, [&ran, i] { ran.push_back(i); }));
    });
    there.turn();
    EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Post, AStoppedDispatcherLeavesTheTaskAlone) {
    TestDispatcher there;
    there->requestClose({std::chrono::milliseconds(0)});
    while (there.turn()) {
    }
    // A task that tells whether it still has what it was made with.
    struct Task {
        std::unique_ptr<int> kept = std::make_unique<int>(7);
        void operator()() const { FAIL() << "it ran"; }
    };
    Task task;
    EXPECT_FALSE(post(*there, std::move(task)));
    ASSERT_NE(task.kept, nullptr);
    EXPECT_EQ(*task.kept, 7);
}

TEST(Post, AFullQueueRefusesNothing) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 2;
    TestDispatcher there("there", options);
    int ran = 0;
    EXPECT_TRUE(post(*there, [&] { ++ran; }));
    EXPECT_TRUE(post(*there, [&] { ++ran; }));
    EXPECT_TRUE(post(*there, [&] { ++ran; }));
    there.turns(2);
    EXPECT_EQ(ran, 3);
}

TEST(Post, HandsAMessageOverInPlaceOrLater) {
    TestDispatcher here("here");
    TestDispatcher there("there");
    Box near(*here);
    Box far(*there);
    here.inTurn([&] {
        std::string message = "near";
        EXPECT_TRUE(handOver<&Box::takeNow>(near, message));
        EXPECT_EQ(near.taken, std::vector<std::string>{"near"});
        message = "far";
        EXPECT_TRUE(handOver<&Box::takeNow>(far, message));
    });
    EXPECT_TRUE(far.taken.empty());
    there.turn();
    EXPECT_EQ(far.taken, std::vector<std::string>{"far"});
}

TEST(Post, AMessageThatIsRefusedStays) {
    TestDispatcher there;
    there->requestClose({std::chrono::milliseconds(0)});
    while (there.turn()) {
    }
    Box gone(*there);
    std::string message = "a message";
    EXPECT_FALSE(handOver<&Box::takeNow>(gone, message));
    EXPECT_EQ(message, "a message");
}

}  // namespace
}  // namespace router
