#include "sms_router/egress/WaitingRequests.h"

#include <gtest/gtest.h>

#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"
#include "sms_router/routing/RouteHash.h"

namespace router {
namespace {

using namespace std::chrono_literals;
using smpp::Status;

// Of the first of two connectors of a group.
class WaitingRequestsTest : public ::testing::Test {
  protected:
    WaitingRequestsTest() {
        for (NotingEgress* gate : {&first, &second}) gate->standOn(*bench.dispatcher);
        GroupConfig& group = bench.config.groups.emplace_back();
        group.name = "g";
        group.tiers = {{0, 1}};
        group.overflowAfter = 1h;
        bench.board[1].live = true;
        bench.start();
        outcomes.emplace(bench.shards[0]);
        waiting.emplace(bench.shards[0], 0, *outcomes);
        waiting->useLimits(100, 0s);
    }
    Submission request(nio::Clock::duration ago = 0s, const std::string& group = "g") {
        Submission made;
        made.origin.link = nio::ChannelHandle(*bench.dispatcher, 1, 0);
        made.origin.command = smpp::Command::submitSm;
        made.origin.ingress = &EsmeLink::ingress();
        made.account = &bench.known;
        made.handedOver = nio::Clock::now() - ago;
        if (!group.empty()) made.rerouting.group = hashOf(group);
        return made;
    }
    template <class F>
    void inTurn(F&& f) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    void push(Submission submission) {
        inTurn([&] { waiting->pushNow(std::move(submission)); });
    }
    std::optional<nio::TimePoint> look() {
        std::optional<nio::TimePoint> next;
        inTurn([&] { next = waiting->lookForOverdueNow(); });
        return next;
    }
    void leave() {
        inTurn([&] { waiting->leaveNow(bench.board[0]); });
    }
    std::uint64_t refusedBy(Status status) const {
        const auto& counts = outcomes->figures().refusedBy.of(smpp::Command::submitSm).counts();
        const auto found = counts.find(status);
        return found == counts.end() ? 0 : found->second;
    }

    NotingEgress first;
    NotingEgress second;
    EsmeBench bench{storeInMemory(), {&first, &second}};
    std::optional<SubmitOutcomes> outcomes;
    std::optional<WaitingRequests> waiting;
};

TEST_F(WaitingRequestsTest, OneMoreThanMayWaitIsRefused) {
    waiting->useLimits(1, 0s);
    push(request());
    push(request());
    EXPECT_EQ(waiting->size(), 1u);
    EXPECT_EQ(refusedBy(Status::msgQFul), 1u);
}

TEST_F(WaitingRequestsTest, AreRefusedWhenTheirPatienceIsOver) {
    waiting->useLimits(100, 30min);
    push(request(40min));
    push(request(10min));
    const auto next = look();
    EXPECT_EQ(waiting->size(), 1u);
    EXPECT_EQ(refusedBy(Status::msgQFul), 1u);
    ASSERT_TRUE(next);
    EXPECT_LE(*next, nio::Clock::now() + 20min);
}

TEST_F(WaitingRequestsTest, OverflowToAConnectorWithRoom) {
    push(request(2h));
    push(request(0s));
    EXPECT_TRUE(look());
    EXPECT_EQ(waiting->size(), 1u);
    EXPECT_EQ(second.submissions.size(), 1u);
    EXPECT_EQ(waiting->moved(), 1u);
}

TEST_F(WaitingRequestsTest, NothingIsToBeLookedForWhenNoneWait) {
    EXPECT_FALSE(look());
}

TEST_F(WaitingRequestsTest, LeaveForALiveConnectorOfTheirGroup) {
    push(request());
    push(request(0s, ""));
    leave();
    EXPECT_TRUE(waiting->empty());
    EXPECT_EQ(second.submissions.size(), 1u);
    EXPECT_EQ(refusedBy(bench.config.router.noConnector), 1u)
        << "its route names the connector alone";
    EXPECT_EQ(bench.board[0].queued.load(), 0u);
}

TEST_F(WaitingRequestsTest, AreRefusedWhenTheyCannotLeaveForAnother) {
    bench.board[1].live = false;
    push(request());
    leave();
    EXPECT_EQ(refusedBy(bench.config.router.noConnector), 1u);
    EXPECT_TRUE(second.submissions.empty());
}

TEST_F(WaitingRequestsTest, StayWithTheConnectorInADrain) {
    push(request());
    inTurn([&] { bench.shards[0].drain(); });
    leave();
    EXPECT_EQ(refusedBy(bench.config.router.noConnector), 1u);
    EXPECT_TRUE(second.submissions.empty());
}

TEST_F(WaitingRequestsTest, ThoseOfASenderThatIsGoneAreRefused) {
    push(request());
    Submission other = request();
    other.origin.link = nio::ChannelHandle(*bench.dispatcher, 2, 0);
    push(std::move(other));
    inTurn([&] { waiting->senderGoneNow(nio::ChannelHandle(*bench.dispatcher, 2, 0)); });
    EXPECT_EQ(waiting->size(), 1u);
    EXPECT_EQ(refusedBy(bench.config.router.noConnector), 1u);
}

TEST_F(WaitingRequestsTest, TheBoardSaysSinceWhenTheFirstWaits) {
    const Submission asked = request(5min);
    const nio::TimePoint since = asked.handedOver;
    push(request(5min - 1s));
    push(request(5min));
    inTurn([&] { waiting->putOn(bench.board[0]); });
    EXPECT_EQ(bench.board[0].queued.load(), 2u);
    EXPECT_GE(bench.board[0].queuedSince.load(), since);
    EXPECT_LT(bench.board[0].queuedSince.load(), since + 1s);
}

}  // namespace
}  // namespace router
