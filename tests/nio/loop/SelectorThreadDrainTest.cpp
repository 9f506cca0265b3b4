// requestClose: the orderly end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>

#include "support/FailingMemory.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::FailingMemory;
using support::Link;
using support::makeLink;
using support::TestDispatcher;

// Stays until it is let go, and remains what the test says.
class Stubborn final : public ReadWriteSelectorHandler {
  public:
    Stubborn(SocketChannel channel, Remains remains)
        : channel_(std::move(channel)), remains_(remains) {}
    SocketChannel& channel() override { return channel_; }
    void handleRead() override { channel_.close(); }
    void handleWrite() override {}
    void handleDrain(const DrainOptions& options) override {
        ++drains;
        deadline = options.deadline;
    }
    Remains remains() const override { return remains_; }

    int drains = 0;
    std::chrono::milliseconds deadline{};

  private:
    SocketChannel channel_;
    Remains remains_;
};

// A listener that has never accepted all that waits.
class Tireless final : public AcceptSelectorHandler {
  public:
    ServerSocketChannel& channel() override { return channel_; }
    void handleAccept() override {}
    void handleDrain(const DrainOptions&) override { dispatcher().revisitLater(channel_); }

  private:
    ServerSocketChannel channel_ = ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow();
};

class SelectorThreadDrainTest : public testing::Test {
  protected:
    Stubborn& add(Remains remains = {}) {
        links_.push_back(makeLink());
        return dispatcher_.add(
            std::make_unique<Stubborn>(std::move(links_.back().channel), remains), Interest::read);
    }
    static DrainOptions within(std::chrono::milliseconds deadline) {
        DrainOptions options;
        options.deadline = deadline;
        return options;
    }
    void letGo(std::size_t index) { links_[index].peer.send("x"); }

    std::vector<Link> links_;
    TestDispatcher dispatcher_;
};

TEST_F(SelectorThreadDrainTest, AsksEveryHandlerAndEndsWhenTheLastHasGone) {
    Stubborn& one = add();
    Stubborn& two = add({0, 5});
    dispatcher_->requestClose(within(1h));
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_EQ(one.drains, 1);
    EXPECT_EQ(two.deadline, 1h);
    letGo(0);
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_TRUE(dispatcher_.turn());
    letGo(1);
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_FALSE(dispatcher_.turn());
    EXPECT_EQ(dispatcher_->draining().report().toString(),
              "2 connections drained, 0 aborted, 0 bytes lost, 5 bytes unread");
}

TEST_F(SelectorThreadDrainTest, AbortsWhatIsLeftAtItsDeadlineAndSaysWhatWasLost) {
    add({7, 1});
    add({3, 0});
    dispatcher_->requestClose(within(20ms));
    dispatcher_.turn();
    letGo(0);
    dispatcher_.turn();
    const TimePoint start = Clock::now();
    dispatcher_->run();
    EXPECT_LT(Clock::now() - start, kerneltest::patience);
    EXPECT_EQ(dispatcher_->draining().report().toString(),
              "0 connections drained, 1 aborted, 1 cut off, 10 bytes lost, 1 bytes unread");
    EXPECT_EQ(links_[1].peer.receiveAll(), "");
}

TEST_F(SelectorThreadDrainTest, AbortsAtOnceWithADeadlineOfZero) {
    add();
    dispatcher_->requestClose(within(0ms));
    EXPECT_FALSE(dispatcher_.turn());
    EXPECT_EQ(dispatcher_->draining().report().aborted, 1u);
}

TEST_F(SelectorThreadDrainTest, CountsTheEarlierDeadlineWhenAskedTwice) {
    Stubborn& handler = add();
    dispatcher_->requestClose(within(1h));
    dispatcher_.turn();
    dispatcher_->requestClose(within(2h));
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_EQ(handler.drains, 1) << "asked once";
    dispatcher_->requestClose(within(0ms));
    EXPECT_FALSE(dispatcher_.turn());
}

TEST_F(SelectorThreadDrainTest, OfTwoTimesToBeginByTheEarlierCounts) {
    const TimePoint now = Clock::now();
    for (const bool earlierFirst : {true, false}) {
        TestDispatcher dispatcher;
        Link link = makeLink();
        auto& handler = dispatcher.add(
            std::make_unique<Stubborn>(std::move(link.channel), Remains{}), Interest::read);
        dispatcher.inTurn([&] {
            if (!earlierFirst) dispatcher->draining().beginAt(now + 1h, within(2h));
            dispatcher->draining().beginAt(now, within(3h));
            if (earlierFirst) dispatcher->draining().beginAt(now + 1h, within(2h));
        });
        dispatcher.turns(2);
        EXPECT_EQ(handler.drains, 1) << earlierFirst;
        EXPECT_EQ(handler.deadline, 3h) << earlierFirst;
    }
}

TEST_F(SelectorThreadDrainTest, ATimeToBeginByBoundsADrainThatHasBegun) {
    Stubborn& handler = add();
    dispatcher_->requestClose(within(1h));
    dispatcher_.turn();
    dispatcher_.inTurn([&] { dispatcher_->draining().beginAt(Clock::now() + 1h, within(0ms)); });
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_EQ(handler.drains, 1);
    dispatcher_.inTurn([&] { dispatcher_->draining().beginAt(Clock::now(), within(0ms)); });
    dispatcher_.turn();
    EXPECT_TRUE(dispatcher_->isStopped());
    EXPECT_EQ(dispatcher_->draining().report().aborted, 1u);
}

TEST_F(SelectorThreadDrainTest, RefusesNewListenersAndDrainsNewConnections) {
    add();
    dispatcher_->requestClose(within(1h));
    dispatcher_.turn();
    support::Journal journal;
    auto acceptor = std::make_unique<support::RecordingAcceptHandler>(
        ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow(), "listener", journal);
    dispatcher_.inTurn([&] {
        const auto refused = dispatcher_->registerChannelNow(std::move(acceptor), Interest::accept);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(Errc::stopped));
    });
    EXPECT_EQ(add().drains, 1);
    EXPECT_EQ(dispatcher_->connectionCount(), 2u);
}

TEST_F(SelectorThreadDrainTest, ClosesHandlersThatKnowNothingOfIt) {
    support::Journal journal;
    Link link = makeLink();
    dispatcher_.add(link, "a", journal);
    dispatcher_->requestClose();
    EXPECT_FALSE(dispatcher_.turn());
    EXPECT_THAT(journal, testing::ElementsAre("a destroyed"));
    EXPECT_EQ(dispatcher_->draining().report().drained, 1u);
    EXPECT_EQ(dispatcher_->connectionCount(), 0u);
}

TEST_F(SelectorThreadDrainTest, ClosesListenersAloneWhenAskedForThat) {
    support::Journal journal;
    Stubborn& connection = add();
    auto listener = std::make_unique<support::RecordingAcceptHandler>(
        ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow(), "listener", journal);
    dispatcher_.add(std::move(listener), Interest::accept);
    bool closed = false;
    dispatcher_->draining().closeListenersLater([&] {
        EXPECT_TRUE(dispatcher_->isCurrent());
        closed = true;
    });
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_TRUE(closed);
    EXPECT_THAT(journal, testing::ElementsAre("listener destroyed"));
    EXPECT_EQ(connection.drains, 0);
}

TEST_F(SelectorThreadDrainTest, WaitsForAListenerNoLongerThanTheDeadline) {
    dispatcher_.add(std::make_unique<Tireless>(), Interest::accept);
    const TimePoint begin = Clock::now();
    std::optional<Clock::duration> waited;
    dispatcher_->draining().closeListenersLater([&] { waited = Clock::now() - begin; },
                                                within(20ms));
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return waited.has_value(); }));
    EXPECT_GE(*waited, 20ms);
}

// Whatever allocation fails: who waits for the end of a group's listeners would wait for ever.
TEST_F(SelectorThreadDrainTest, SaysOnceThatItsListenersAreClosedWithoutMemoryToo) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const support::LogCapture log;
    dispatcher_.add(std::make_unique<Tireless>(), Interest::accept);
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        int said = 0;
        const FailingMemory memory = FailingMemory::nth(n);
        try {
            dispatcher_->draining().closeListenersLater([&] { ++said; }, within(1ms));
        } catch (const std::bad_alloc&) {
            continue;
        }
        ASSERT_TRUE(dispatcher_.turnUntil([&] { return said > 0; })) << n;
        dispatcher_.turns(2);
        EXPECT_EQ(said, 1) << n;
        failed = memory.hasFailed();
    }
}

TEST_F(SelectorThreadDrainTest, AbortsInTheDestructor) {
    support::Journal journal;
    Link link = makeLink();
    {
        SelectorThread dispatcher;
        dispatcher.start();
        ASSERT_TRUE(dispatcher.registerChannelLater(
            std::make_unique<Stubborn>(std::move(link.channel), Remains{}), Interest::read));
    }
    EXPECT_EQ(link.peer.receiveAll(), "");
}

}  // namespace
}  // namespace nio
