#include "sms_router/app/Drainer.h"

#include <gtest/gtest.h>

#include "apps/sms_router/app/CoreBench.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

using namespace std::chrono_literals;

class DrainerTest : public ::testing::Test {
  protected:
    ~DrainerTest() override {
        control->requestClose({0ms});
        while (control.turn()) {
        }
    }
    template <class F>
    void inTurn(F&& f) {
        control.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    void begin() {
        inTurn([&] { drainer.beginNow([this] { ++ended; }); });
    }

    // Destroyed after the bench, whose dispatchers still answer it.
    support::TestDispatcher control{"control"};
    CoreBench bench;
    Drainer drainer{*control, bench.shards, 1h};
    int ended = 0;
};

TEST_F(DrainerTest, EndsWhenNothingIsLeft) {
    EXPECT_FALSE(drainer.hasBegun());
    begin();
    EXPECT_TRUE(drainer.begun());
    EXPECT_TRUE(control.turnUntil([&] {
        bench.turn();
        return ended > 0;
    }));
    EXPECT_EQ(drainer.summary().why, "");
    EXPECT_TRUE(bench.shards[0].isDraining());
}

TEST_F(DrainerTest, EndsThoughADispatcherHangs) {
    inTurn([&] { drainer.useTimeout(1ms); });
    begin();
    EXPECT_TRUE(control.turnUntil([&] { return ended > 0; }));
    EXPECT_TRUE(drainer.summary().oneHangs);
    EXPECT_NE(drainer.summary().why, "");
}

TEST_F(DrainerTest, EndsAtOnceWhenAskedTwice) {
    begin();
    inTurn([&] { drainer.endNow(); });
    inTurn([&] { drainer.endNow(); });
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(drainer.summary().why.substr(0, 26), "stopped by a second signal");
}

}  // namespace
}  // namespace router
