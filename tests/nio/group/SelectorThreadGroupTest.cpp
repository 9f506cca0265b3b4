#include <nio/group/SelectorThreadGroup.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>

#include "support/PatientHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::PatientHandler;
using support::RecordingHandler;
using testing::ElementsAre;

SelectorThreadGroupOptions ofThreads(std::size_t threads) {
    SelectorThreadGroupOptions options;
    options.threads = threads;
    options.thread.name = "group";
    return options;
}

TEST(SelectorThreadGroup, HasOneDispatcherPerCpuByDefault) {
    const SelectorThreadGroup group;
    EXPECT_EQ(group.size(), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(SelectorThreadGroup, NamesItsDispatchers) {
    const SelectorThreadGroup group(ofThreads(2));
    ASSERT_EQ(group.size(), 2u);
    EXPECT_EQ(group[0].name(), "group-1");
    EXPECT_EQ(group[1].name(), "group-2");
    EXPECT_EQ(group.selectorName(), group[0].registry().selectorName());
}

TEST(SelectorThreadGroup, AnUnstartedDispatcherRunsItsQueuedTasks) {
    int ran = 0;
    {
        SelectorThreadGroupOptions options = ofThreads(2);
        options.thread.maxTasksPerTurn = 1;
        SelectorThreadGroup group(std::move(options));
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(group[1].invokeLater([&] { ++ran; }));
    }
    EXPECT_EQ(ran, 3);
}

TEST(SelectorThreadGroup, ASingleDispatcherIsNotRebalanced) {
    SelectorThreadGroupOptions options = ofThreads(1);
    options.rebalance = RebalanceOptions{};
    SelectorThreadGroup group(std::move(options));
    group.start();
    EXPECT_TRUE(group[0].invokeAndWait([] {}).ok());
}

TEST(SelectorThreadGroup, DealsExactlyEvenlyByDefault) {
    SelectorThreadGroup group(ofThreads(3));
    std::map<SelectorThread*, int> dealt;
    for (int i = 0; i < 300; ++i) ++dealt[&group.next()];
    ASSERT_EQ(dealt.size(), 3u);
    for (const auto& [thread, count] : dealt) EXPECT_EQ(count, 100) << thread->name();
}

TEST(SelectorThreadGroup, DealsToTheFewestConnectionsWhenAskedTo) {
    SelectorThreadGroupOptions options = ofThreads(3);
    options.dealing = std::make_unique<FewestConnections>();
    Journal journal;
    SelectorThreadGroup group(std::move(options));
    std::vector<Link> links;
    for (int i = 0; i < 9; ++i) {
        links.push_back(makeLink());
        auto handler =
            std::make_unique<RecordingHandler>(std::move(links.back().channel), "c", journal);
        // The first dispatcher has two already when the dealing begins.
        SelectorThread& thread = i < 2 ? group[0] : group.next();
        ASSERT_TRUE(thread.registerChannelLater(std::move(handler), Interest::read));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(group[i].connectionCount(), 3u);
    EXPECT_EQ(group.connectionCount(), 9u);
}

TEST(SelectorThreadGroup, RunsEachDispatcherOnAThreadOfItsOwn) {
    SelectorThreadGroup group(ofThreads(3));
    group.start();
    std::vector<std::thread::id> ids{std::this_thread::get_id()};
    for (std::size_t i = 0; i < 3; ++i) {
        ids.push_back(group[i].invokeAndWait([] { return std::this_thread::get_id(); }).orThrow());
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST(SelectorThreadGroup, GoesOnWhereItIsStartedTwice) {
    SelectorThreadGroup group(ofThreads(2));
    group.start();
    EXPECT_THROW(group.start(), std::logic_error);
    EXPECT_TRUE(group[0].invokeAndWait([] {}).ok());
}

TEST(SelectorThreadGroup, StopsAllWhenAskedTo) {
    SelectorThreadGroup group(ofThreads(3));
    group.start();
    group.requestClose();
    group.join();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(group[i].isStopped());
}

TEST(SelectorThreadGroup, MayBeAskedToStopAgainAlsoWhenItHasStopped) {
    SelectorThreadGroup group(ofThreads(2));
    group.start();
    group.requestClose();
    group.requestClose();
    group.join();
    EXPECT_NO_THROW(group.requestClose());
}

// Accepts all that waits when it is drained, and deals it to another dispatcher of the group.
class Dealing final : public AcceptSelectorHandler {
  public:
    Dealing(ServerSocketChannel channel, SelectorThread& target, Journal& journal)
        : channel_(std::move(channel)), target_(target), journal_(journal) {}
    SelectableChannel& channel() override { return channel_; }
    void handleAccept() override {}
    void handleDrain(const DrainOptions&) override {
        for (;;) {
            kernel::Accepted accepted = channel_.accept();
            if (!accepted.result.isDone()) break;
            EXPECT_TRUE(target_.registerChannelLater(
                std::make_unique<RecordingHandler>(SocketChannel(std::move(accepted.fd)), "dealt",
                                                   journal_),
                Interest::read, [](const Error& error) { ADD_FAILURE() << error.message(); }));
        }
        channel_.close();
    }

  private:
    ServerSocketChannel channel_;
    SelectorThread& target_;
    Journal& journal_;
};

TEST(SelectorThreadGroup, WaitsForConnectionsThatWereDealtOutAtTheLastMoment) {
    Journal journal;
    SelectorThreadGroup group(ofThreads(2));
    SelectorThread& target = group[1];
    auto listener = ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow();
    const SocketAddress address = listener.localAddress().orThrow();
    ASSERT_TRUE(group[0].registerChannelLater(
        std::make_unique<Dealing>(std::move(listener), target, journal), Interest::none));
    group[0].turn(0ns);
    const UniqueFd client = kernel::openStreamSocket(address.family()).orThrow();
    ASSERT_TRUE(kerneltest::connectTo(client.get(), address).isDone());

    group.requestClose();
    // The target is ahead by many turns, and still does not stop before it has got the connection.
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(target.turn(0ns));
    group[0].turn(0ns);
    EXPECT_EQ(target.connectionCount(), 1u);
    while (!target.isStopped() || !group[0].isStopped()) {
        target.turn(0ns);
        group[0].turn(0ns);
    }
    EXPECT_THAT(journal, ElementsAre("dealt destroyed"));
    EXPECT_EQ(group.drainReport().drained, 1u);
}

TEST(SelectorThreadGroup, DispatchersCanPostToEachOtherUntilAllStopped) {
    std::atomic<int> answered{0};
    for (int round = 0; round < 20; ++round) {
        SelectorThreadGroup group(ofThreads(2));
        group.start();
        for (std::size_t i = 0; i < 2; ++i) {
            ASSERT_TRUE(group[i].invokeLater([&, i] {
                if (!group[1 - i].invokeLater([&] { ++answered; })) ++answered;
            }));
        }
    }
    EXPECT_EQ(answered.load(), 40);
}

TEST(SelectorThreadGroup, AGroupThatNeverRanRunsItsQueuedTasks) {
    int ran = 0;
    {
        SelectorThreadGroup group(ofThreads(3));
        for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(group[i].invokeLater([&] { ++ran; }));
    }
    EXPECT_EQ(ran, 3);
}

TEST(SelectorThreadGroup, ClosesThoseThatHaveStartedWhereOneCannot) {
    SelectorThreadGroup group(ofThreads(3));
    group[1].start();
    EXPECT_THROW(group.start(), std::logic_error);
    group.requestClose();
    group.join();
    EXPECT_FALSE(group[0].invokeLater([] {}));
}

// `ask` asks a group to close of which one dispatcher is stuck: the other's connection ends
// meanwhile.
template <class Ask>
void expectAnEndBesideOneThatIsStuck(Ask&& ask) {
    Journal journal;
    Link link = makeLink();
    std::atomic<bool> isStuck{false}, goesOn{false};
    SelectorThreadGroup group(ofThreads(2));
    group.start();
    ASSERT_TRUE(group[0].invokeLater([&] {
        isStuck = true;
        while (!goesOn) std::this_thread::yield();
    }));
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "h", journal);
    ASSERT_TRUE(group[1].registerChannelLater(std::move(handler), Interest::read));
    while (!isStuck) std::this_thread::yield();
    ask(group);
    (void)link.peer.receiveAll();
    EXPECT_EQ(link.peer.last().status, IoStatus::closed) << "while the other is stuck";
    goesOn = true;
    group.join();
}

TEST(SelectorThreadGroup, AnEndAtOnceDoesNotWaitForOneThatIsStuck) {
    expectAnEndBesideOneThatIsStuck([](SelectorThreadGroup& group) {
        group.requestClose();
        group.requestClose(DrainOptions::atOnce());
    });
}

TEST(SelectorThreadGroup, AStuckDispatcherDelaysADrainToItsDeadlineOnly) {
    expectAnEndBesideOneThatIsStuck([](SelectorThreadGroup& group) {
        group.requestClose({.deadline = std::chrono::milliseconds(20)});
        group.requestClose({.deadline = std::chrono::hours(1)});
    });
}

// The first one makes no turn any more when the group is asked again.
TEST(SelectorThreadGroup, AStuckDispatcherDoesNotDelayAnEarlierDeadline) {
    Link links[] = {makeLink(), makeLink()};
    SelectorThreadGroup group(ofThreads(2));
    for (std::size_t i : {0u, 1u}) {
        auto handler = std::make_unique<PatientHandler>(links[i]);
        ASSERT_TRUE(group[i].registerChannelLater(std::move(handler), Interest::read));
    }
    group.requestClose({.deadline = std::chrono::hours(1)});
    for (int turns = 0; turns < 4; ++turns) {
        for (std::size_t i : {0u, 1u}) ASSERT_TRUE(group[i].turn(0ns));
    }
    group.requestClose({.deadline = std::chrono::milliseconds(1)});
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (group[1].turn(std::chrono::milliseconds(100)) && Clock::now() < end) {
    }
    EXPECT_TRUE(group[1].isStopped());
}

}  // namespace
}  // namespace nio
