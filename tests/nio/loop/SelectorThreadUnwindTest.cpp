// A callback or a task that ends the dispatcher's thread (pthread_exit): the dispatcher stops, and
// no waiter hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nio/connection/StreamHandler.h>
#include <nio/loop/SelectorThread.h>
#include <nio/timers/Deadline.h>

#include "support/Engines.h"
#include "support/LogCapture.h"
#include "support/TestSockets.h"

namespace nio {
namespace {

using support::Link;
using support::makeLink;

void endThread() {
    ::pthread_exit(nullptr);
}

class SelectorThreadUnwind : public testing::TestWithParam<SelectorKind> {
  protected:
    SelectorThreadUnwind() {
        SelectorThreadOptions options = support::with(GetParam());
        options.name = "doomed";
        options.onGivingUp = [this](const Error& why) { why_.push_back(why.message()); };
        dispatcher_.emplace(std::move(options));
    }

    void expectStopped() {
        dispatcher_->join();
        EXPECT_TRUE(dispatcher_->isStopped());
        EXPECT_THAT(why_, testing::ElementsAre(
                              "dispatcher doomed: a callback ended the dispatcher's thread"));
        EXPECT_EQ(log_.count("dispatcher doomed stops and closes its connections"), 1u);
        EXPECT_FALSE(dispatcher_->invokeLater([] {}));
        EXPECT_TRUE(dispatcher_->invokeAndWait([] {}).error().is(Errc::stopped));
        EXPECT_EQ(dispatcher_->connectionCount(), 0u);
        EXPECT_EQ(dispatcher_->life().busyTime(), std::chrono::nanoseconds::zero());
    }

    const support::LogCapture log_;
    std::vector<std::string> why_;
    std::optional<SelectorThread> dispatcher_;
};

TEST_P(SelectorThreadUnwind, FromATaskStopsTheDispatcher) {
    dispatcher_->start();
    ASSERT_TRUE(dispatcher_->invokeLater(endThread));
    expectStopped();
}

TEST_P(SelectorThreadUnwind, TasksBehindItStillRunOnce) {
    int before = 0;
    int behind = 0;
    ASSERT_TRUE(dispatcher_->invokeLater([&] { ++before; }));
    ASSERT_TRUE(dispatcher_->invokeLater(endThread));
    ASSERT_TRUE(dispatcher_->invokeLater([&] { ++behind; }));
    dispatcher_->start();
    expectStopped();
    EXPECT_EQ(before, 1);
    EXPECT_EQ(behind, 1);
}

TEST_P(SelectorThreadUnwind, WhoWaitsForItGetsAnError) {
    dispatcher_->start();
    const Result<void> ran = dispatcher_->invokeAndWait(endThread);
    ASSERT_FALSE(ran.ok());
    EXPECT_TRUE(ran.error().is(Errc::threadEnded));
    expectStopped();
}

TEST_P(SelectorThreadUnwind, FromADeadlineStopsTheDispatcher) {
    std::optional<Deadline> deadline;
    deadline.emplace(dispatcher_->deadlines(), endThread);
    ASSERT_TRUE(dispatcher_->invokeLater([&] {
        onDispatcher.assertCurrent();
        deadline->wakeAfter(Clock::duration::zero());
    }));
    dispatcher_->start();
    expectStopped();
}

TEST_P(SelectorThreadUnwind, OfTurnsMadeByHandStopsTheDispatcher) {
    ASSERT_TRUE(dispatcher_->invokeLater(endThread));
    std::thread([this] {
        while (dispatcher_->turn(std::nullopt)) {
        }
    }).join();
    expectStopped();
}

class UnwoundStream final : public StreamHandler {
  public:
    struct Told {
        std::atomic<int> closed{0};
    };
    enum class Ends { nothing, atOnce, withInput };
    UnwoundStream(SocketChannel channel, Told& told, Ends ends)
        : StreamHandler(std::move(channel), std::make_shared<StreamOptions>()),
          told_(told),
          ends_(ends) {}

  protected:
    void connectionOpened() override NIO_REQUIRES(onDispatcher) {
        if (ends_ == Ends::atOnce) endThread();
    }
    void bytesArrived(ByteView) override NIO_REQUIRES(onDispatcher) {
        if (ends_ == Ends::withInput) endThread();
    }
    void connectionClosed(const std::optional<Error>&) override NIO_REQUIRES(onDispatcher) {
        ++told_.closed;
    }

  private:
    Told& told_;
    const Ends ends_;
};

TEST_P(SelectorThreadUnwind, FromACallbackClosesAllConnections) {
    UnwoundStream::Told told;
    Link bad = makeLink();
    Link other = makeLink();
    ASSERT_TRUE(dispatcher_->registerChannelLater(
        std::make_unique<UnwoundStream>(std::move(bad.channel), told,
                                        UnwoundStream::Ends::withInput),
        Interest::read));
    ASSERT_TRUE(dispatcher_->registerChannelLater(
        std::make_unique<UnwoundStream>(std::move(other.channel), told,
                                        UnwoundStream::Ends::nothing),
        Interest::read));
    dispatcher_->start();
    bad.peer.send("x");
    expectStopped();
    EXPECT_EQ(told.closed, 2);
    EXPECT_EQ(bad.peer.receiveAll(), "");
    EXPECT_EQ(other.peer.receiveAll(), "");
}

TEST_P(SelectorThreadUnwind, WhileItRegistersDestroysTheHandlerOnce) {
    UnwoundStream::Told told;
    Link bad = makeLink();
    ASSERT_TRUE(dispatcher_->registerChannelLater(
        std::make_unique<UnwoundStream>(std::move(bad.channel), told, UnwoundStream::Ends::atOnce),
        Interest::read));
    dispatcher_->start();
    expectStopped();
    EXPECT_EQ(told.closed, 1);
    EXPECT_EQ(bad.peer.receiveAll(), "");
}

INSTANTIATE_TEST_SUITE_P(On, SelectorThreadUnwind, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
}  // namespace nio
