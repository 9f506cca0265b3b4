#include <nio/group/Rebalancer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include <nio/group/SelectorThreadGroup.h>

#include "support/FailingMemory.h"
#include "support/MovingHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::makeLink;
using support::MovingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;
using Transfer = Rebalancer::Transfer;

std::vector<Transfer> transfers(std::vector<double> shares) {
    return Rebalancer::transfers(shares, 0.10);
}

TEST(Rebalancer, LeavesAloneWhatDiffersByLessThanTheDifference) {
    EXPECT_THAT(transfers({0.50, 0.41}), IsEmpty());
    EXPECT_THAT(transfers({0, 0}), IsEmpty());
    EXPECT_THAT(transfers({1.0}), IsEmpty());
    EXPECT_THAT(Rebalancer::transfers(std::vector{0.3, 0.3}, 0), IsEmpty()) << "nothing to give";
}

TEST(Rebalancer, TheBusiestGivesHalfTheDifferenceToTheLeastBusy) {
    EXPECT_THAT(transfers({0.8, 0.0}), ElementsAre(Transfer{0, 1, 0.5}));
    EXPECT_THAT(transfers({0.25, 0.75, 0.5}), ElementsAre(Transfer{1, 0, 0.25 / 0.75}));
}

TEST(Rebalancer, OfFourTheNextGivesToTheNext) {
    EXPECT_THAT(transfers({0.75, 0.25, 0.5, 0.0}),
                ElementsAre(Transfer{0, 3, 0.5}, Transfer{2, 1, 0.25}));
    EXPECT_THAT(transfers({0.75, 0.5, 0.5, 0.25}), ElementsAre(Transfer{0, 3, 0.25 / 0.75}));
}

TEST(Rebalancer, LeavesOutThoseThatTakeNoConnections) {
    const std::vector<double> shares{0.8, 0.0, 0.4};
    EXPECT_THAT(Rebalancer::transfers(shares, 0.10, {true, false, true}),
                ElementsAre(Transfer{0, 2, 0.25}));
    EXPECT_THAT(Rebalancer::transfers(shares, 0.10, {true, false, false}), IsEmpty());
}

TEST(Rebalancer, TheMostActiveThatFitGo) {
    const std::vector<std::uint32_t> activities{10, 40, 20, 0, 30};
    EXPECT_THAT(Rebalancer::chosen(activities, 100, 0.5, 10), ElementsAre(1, 0));
    EXPECT_THAT(Rebalancer::chosen(activities, 100, 0.5, 1), ElementsAre(1)) << "at most one";
    EXPECT_THAT(Rebalancer::chosen(activities, 100, 0.05, 10), IsEmpty());
    EXPECT_THAT(Rebalancer::chosen(activities, 100, 1.0, 10), ElementsAre(1, 4, 2, 0));
    EXPECT_THAT(Rebalancer::chosen({}, 0, 0.5, 10), IsEmpty());
}

TEST(Rebalancer, TheOnlyBusyConnectionStays) {
    EXPECT_THAT(Rebalancer::chosen(std::vector<std::uint32_t>{1000}, 1000, 0.5, 10), IsEmpty());
    EXPECT_THAT(Rebalancer::chosen(std::vector<std::uint32_t>{1000, 1}, 1001, 0.5, 10),
                ElementsAre(1));
}

// Each connection costs what it costs, wherever it is; looks and moves alternate.
class Model {
  public:
    Model(std::size_t dispatchers, std::vector<std::uint32_t> costs)
        : places_(costs.size(), 0), costs_(std::move(costs)), dispatchers_(dispatchers) {}

    std::vector<double> shares() const {
        const double all = std::accumulate(costs_.begin(), costs_.end(), 0.0);
        std::vector<double> shares(dispatchers_);
        for (std::size_t i = 0; i < costs_.size(); ++i) shares[places_[i]] += costs_[i] / all;
        return shares;
    }
    // How many moved.
    std::size_t look() {
        std::size_t moved = 0;
        for (const Transfer& transfer : transfers(shares())) {
            std::vector<std::size_t> here;
            std::vector<std::uint32_t> activities;
            for (std::size_t i = 0; i < costs_.size(); ++i) {
                if (places_[i] != transfer.from) continue;
                here.push_back(i);
                activities.push_back(costs_[i]);
            }
            const auto total =
                std::accumulate(activities.begin(), activities.end(), std::uint64_t{0});
            for (const std::size_t which :
                 Rebalancer::chosen(activities, total, transfer.share, 100)) {
                places_[here[which]] = transfer.to;
                ++moved;
            }
        }
        return moved;
    }

  private:
    std::vector<std::size_t> places_;
    std::vector<std::uint32_t> costs_;
    std::size_t dispatchers_;
};

TEST(Rebalancer, ConvergesBelowTheDifferenceFromAnyStart) {
    std::minstd_rand random(7);
    for (const std::size_t dispatchers : {2u, 3u, 4u, 8u}) {
        for (int round = 0; round < 50; ++round) {
            std::vector<std::uint32_t> costs(200);
            for (auto& cost : costs) cost = 1 + static_cast<std::uint32_t>(random() % 100);
            Model model(dispatchers, costs);
            int looks = 0;
            while (model.look() > 0) ASSERT_LT(++looks, 20) << "it goes to and fro";
            EXPECT_THAT(transfers(model.shares()), IsEmpty());
        }
    }
}

TEST(Rebalancer, ADominantConnectionDoesNotPingPong) {
    Model model(2, {1000, 10, 10, 10});
    int looks = 0;
    while (model.look() > 0) ASSERT_LT(++looks, 5);
    EXPECT_LE(looks, 2);
}

TEST(GiveAway, MovesTheMovableByWhatWasDispatchedSinceTheLastCall) {
    support::Journal journal;
    TestDispatcher hot("hot"), cool("cool");
    std::vector<support::Link> links;
    std::vector<MovingHandler*> handlers;
    for (int i = 0; i < 5; ++i) {
        links.push_back(makeLink());
        handlers.push_back(
            &hot.add(std::make_unique<MovingHandler>(std::move(links.back().channel), "c", journal),
                     Interest::read));
    }
    handlers[0]->movable = false;
    const auto traffic = [&](std::vector<int> counts) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            for (int n = 0; n < counts[i]; ++n) {
                links[i].peer.send("x");
                hot.turn();
            }
        }
    };
    traffic({0, 0, 0, 0, 9});
    hot.inTurn(
        [&] { EXPECT_EQ(Rebalancer::giveAway(*hot, *cool, 0, 10), 0u) << "only counts anew"; });
    traffic({5, 3, 2, 0, 0});
    hot.inTurn([&] { EXPECT_EQ(Rebalancer::giveAway(*hot, *cool, 0.5, 10), 2u); });
    for (int i = 0; i < 3; ++i) {
        hot.turn();
        cool.turn();
    }
    for (std::size_t i : {0u, 3u, 4u}) EXPECT_EQ(&handlers[i]->dispatcher(), &*hot) << i;
    for (std::size_t i : {1u, 2u}) EXPECT_EQ(&handlers[i]->dispatcher(), &*cool) << i;
}

TEST(Rebalancer, MovesBusyConnectionsOfAGroupAndEndsWithIt) {
    support::Journal journals[4];
    SelectorThreadGroupOptions options;
    options.threads = 2;
    options.rebalance = RebalanceOptions{1ms, 0.01, 1};
    SelectorThreadGroup group(std::move(options));
    std::vector<support::Link> links;
    std::atomic<int> arrived{0};
    for (support::Journal& journal : journals) {
        links.push_back(makeLink());
        auto handler =
            std::make_unique<MovingHandler>(std::move(links.back().channel), "c", journal);
        handler->onArrived = [&] { ++arrived; };
        ASSERT_TRUE(group[0].registerChannelLater(std::move(handler), Interest::read));
    }
    group.start();
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (arrived == 0 && Clock::now() < end) {
        for (support::Link& link : links) (void)kernel::send(link.peer.fd(), asBytes("x"));
    }
    EXPECT_GT(arrived, 0);
    group.requestClose({.deadline = 0ms});
    group.join();
}

TEST(Rebalancer, LooksAgainThoughALookHasFailed) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    std::vector<std::unique_ptr<SelectorThread>> threads;
    std::vector<std::string> failures;
    SelectorThreadOptions watched;
    watched.onFailure = [&](const Failure& failure) { failures.push_back(failure.callback); };
    threads.push_back(std::make_unique<SelectorThread>(std::move(watched)));
    threads.push_back(std::make_unique<SelectorThread>());
    Rebalancer rebalancer(threads, {1ms, 0.01, 1});
    rebalancer.start();
    threads[0]->turn(0ns);
    ASSERT_EQ(threads[0]->deadlines().size(), 1u);
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (failures.empty() && Clock::now() < end) {
        const support::FailingMemory failing = support::FailingMemory::nth(0);
        threads[0]->turn(0ns);
    }
    EXPECT_THAT(failures, ElementsAre("expire"));
    EXPECT_EQ(threads[0]->deadlines().size(), 1u);
    threads[0]->requestClose({.deadline = 0ms});
    threads[0]->turn(0ns);
}

TEST(Rebalancer, KeepsNoGroupAlive) {
    SelectorThreadGroupOptions options;
    options.threads = 2;
    options.rebalance = RebalanceOptions{1ms};
    SelectorThreadGroup group(std::move(options));
    group.start();
    group.requestClose();
    group.join();
    EXPECT_TRUE(group[0].isStopped());
}

}  // namespace
}  // namespace nio
