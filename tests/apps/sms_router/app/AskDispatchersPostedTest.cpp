#include "sms_router/app/AskDispatchers.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/TestDispatcher.h"

namespace router {
namespace {

using support::TestDispatcher;

class AfterPostedTest : public ::testing::Test {
  protected:
    void ask(std::chrono::nanoseconds patience = std::chrono::hours(1)) {
        afterPosted({&*one, &*other}, *asker, patience, [this](Silent missing) {
            EXPECT_TRUE(asker->isCurrent());
            ++done;
            silent = std::move(missing);
        });
    }
    static void post(TestDispatcher& to, std::function<void()> task) {
        ASSERT_TRUE(to->invokeLater(std::move(task)));
    }
    void turnAll() {
        for (TestDispatcher* each : {&one, &other, &asker}) each->turn();
    }

    TestDispatcher one{"one"};
    TestDispatcher other{"other"};
    TestDispatcher asker{"asker"};
    int done = 0;
    Silent silent;
};

TEST_F(AfterPostedTest, IsDoneWhenWhatWasPostedAndWhatThatPostedIs) {
    int ran = 0;
    post(other, [&] { post(one, [&] { ++ran; }); });
    ask();
    for (int turns = 0; done == 0; ++turns) {
        ASSERT_LT(turns, 10);
        turnAll();  // in the order that leaves a task of `other`'s for the next time
    }
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(silent, Silent{});
}

TEST_F(AfterPostedTest, WaitsForTheSlowestOfThem) {
    ask();
    for (int turns = 0; turns < 5; ++turns) {
        one.turn();
        asker.turn();
    }
    EXPECT_EQ(done, 0);
    for (int turns = 0; turns < 5; ++turns) turnAll();
    EXPECT_EQ(done, 1);
}

TEST_F(AfterPostedTest, OneThatHangsIsNamedAndNotAskedASecondTime) {
    ask(std::chrono::milliseconds(1));
    other.turn();
    ASSERT_TRUE(asker.turnUntil([&] { return done == 1; }));
    EXPECT_EQ(silent, Silent{0});
    turnAll();
    EXPECT_EQ(done, 1);
}

TEST_F(AfterPostedTest, OnesThatHaveStoppedAreNotWaitedFor) {
    for (TestDispatcher* each : {&one, &other}) {
        (*each)->requestClose({std::chrono::milliseconds(0)});
        while (each->turn()) {
        }
    }
    ask();
    asker.turns(4);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(silent, Silent{});
}

}  // namespace
}  // namespace router
