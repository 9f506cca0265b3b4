#include "sms_router/app/Settling.h"

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"

namespace router {
namespace {

using namespace std::chrono_literals;

class SettlingTest : public ::testing::Test {
  protected:
    void await(nio::Clock::duration within) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            settling.awaitNow([this] { ++ready; }, within);
        });
    }

    support::TestDispatcher dispatcher;
    bool isSettled = false;
    int ready = 0;
    Settling settling{*dispatcher, [this] { return isSettled; }};
};

TEST_F(SettlingTest, IsOverAtOnceWhereAllAreSettled) {
    isSettled = true;
    await(1h);
    EXPECT_EQ(ready, 1);
}

TEST_F(SettlingTest, WaitsUntilAllAreSettled) {
    await(1h);
    EXPECT_EQ(ready, 0);
    isSettled = true;
    EXPECT_TRUE(dispatcher.turnUntil([&] { return ready > 0; }));
    dispatcher.turns(5);
    EXPECT_EQ(ready, 1);
}

TEST_F(SettlingTest, IsOverInAnyCaseAfterAWhile) {
    await(1ms);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return ready > 0; }));
}

}  // namespace
}  // namespace router
