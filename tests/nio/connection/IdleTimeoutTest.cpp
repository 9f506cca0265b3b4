#include <nio/connection/IdleTimeout.h>

#include <gtest/gtest.h>

#include <memory>

#include <nio/loop/SelectorThread.h>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;

class Sleeper final : public ReadWriteSelectorHandler {
  public:
    Sleeper(SocketChannel channel, int& told) : channel_(std::move(channel)), told_(told) {}
    SelectableChannel& channel() override { return channel_; }
    void handleRead() override {}
    void handleWrite() override {}
    void handleIdle() override { ++told_; }

    IdleTimeout idle;

  private:
    SocketChannel channel_;
    int& told_;
};

class IdleTimeoutTest : public testing::Test {
  protected:
    Sleeper& add(int& told, std::chrono::milliseconds timeout) {
        links_.push_back(support::makeLink());
        Sleeper& sleeper = dispatcher_.add(
            std::make_unique<Sleeper>(std::move(links_.back().channel), told), Interest::none);
        dispatcher_.inTurn([&] {
            onDispatcher.assertCurrent();
            sleeper.idle.start(sleeper, dispatcher_->idleTimeouts(), timeout);
        });
        return sleeper;
    }
    // Others with the same timeout have been told.
    bool turnUntilItExpires(std::chrono::milliseconds timeout) {
        int told = 0;
        add(told, timeout);
        return dispatcher_.turnUntil([&] { return told == 1; });
    }

    std::vector<support::Link> links_;
    support::TestDispatcher dispatcher_;
    int told_ = 0;
};

TEST_F(IdleTimeoutTest, TellsItsOwnerOnce) {
    add(told_, 16ms);
    EXPECT_TRUE(turnUntilItExpires(16ms));
    EXPECT_EQ(told_, 1);
}

TEST_F(IdleTimeoutTest, ZeroNeverExpires) {
    Sleeper& sleeper = add(told_, 0ms);
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        sleeper.idle.touch();
        sleeper.idle.suspend();
        sleeper.idle.resume(dispatcher_->idleTimeouts(), 0ms);
    });
    EXPECT_TRUE(turnUntilItExpires(16ms));
    EXPECT_EQ(told_, 0);
}

TEST_F(IdleTimeoutTest, DoesNotExpireOnceStopped) {
    add(told_, 16ms).idle.stop();
    EXPECT_TRUE(turnUntilItExpires(16ms));
    EXPECT_EQ(told_, 0);
}

TEST_F(IdleTimeoutTest, ActivityPutsItOff) {
    Sleeper& sleeper = add(told_, 32ms);
    int other = 0;
    add(other, 32ms);
    EXPECT_TRUE(dispatcher_.turnUntil([&] {
        dispatcher_.inTurn([&] {
            onDispatcher.assertCurrent();
            sleeper.idle.touch();
        });
        return other == 1;
    }));
    EXPECT_EQ(told_, 0);
}

TEST_F(IdleTimeoutTest, IsNotToldWhileItMigrates) {
    Sleeper& sleeper = add(told_, 16ms);
    dispatcher_.inTurn([&] { sleeper.idle.suspend(); });
    EXPECT_TRUE(turnUntilItExpires(16ms));
    EXPECT_EQ(told_, 0);
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        sleeper.idle.resume(dispatcher_->idleTimeouts(), 16ms);
    });
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return told_ == 1; }));
}

}  // namespace
}  // namespace nio
