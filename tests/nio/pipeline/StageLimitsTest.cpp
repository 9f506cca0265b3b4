// The ready-made stages at their limits: the longest time, more than the rate, no memory.
#include "PipelineCase.h"
#include "support/FailingMemory.h"

#include <nio/base/Log.h>
#include <nio/pipeline/IdleStage.h>
#include <nio/pipeline/Observers.h>
#include <nio/pipeline/RateLimitStage.h>

namespace pipelinetest {
namespace {

using std::chrono::milliseconds;
using support::FailingMemory;

class StageLimitsTest : public PipelineCase {
  protected:
    void TearDown() override { nio::setLogger(nio::logToStandardError); }
};

TEST_F(StageLimitsTest, IdleAcceptsTheLongestTime) {
    add(nio::pipeline(nio::lines(), nio::idle(milliseconds::max(), milliseconds::max()),
                      Recorder{&seen}));
    link.peer.send("1\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("2\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 3; }));
    EXPECT_EQ(seen, (Strings{"opened", "1", "2"}));
}

// Waiting for the rate would take longer than the test waits.
TEST_F(StageLimitsTest, RateLimitPassesOnWhatHasArrived) {
    const std::string line(200, 'x');
    add(nio::pipeline(nio::rateLimit(1), nio::lines(), Recorder{&seen}));
    link.peer.send(line + "\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    EXPECT_EQ(seen.back(), line);
}

TEST_F(StageLimitsTest, RateLimitEndsWithItsApplication) {
    const auto aborts = [](auto& peer, std::string_view) { peer.abort(); };
    add(nio::pipeline(nio::rateLimit(1), nio::lines(), aborts));
    link.peer.send(std::string(200, 'x') + "\n");
    ASSERT_TRUE(turnUntilEnded());
    dispatcher.turns(2);
    EXPECT_EQ(dispatcher.failures, Strings());
    EXPECT_EQ(dispatcher->deadlines().size(), 0U);
}

TEST_F(StageLimitsTest, AnEndNotLoggedIsToldAllTheSame) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "no allocation can be made to fail here";
    nio::setLogger({});
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        support::Link mine = support::makeLink(nio::SocketAddress::Family::ipv4);
        support::TestDispatcher own;
        seen.clear();
        seen.reserve(10);
        auto& peer =
            own.add(nio::pipeline(nio::log("a name longer than what a string holds inside"),
                                  nio::lines(), Recorder{&seen})(std::move(mine.channel)),
                    nio::Interest::read);
        own.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            const auto failing = FailingMemory::nth(n);
            peer.abort();
            failed = failing.hasFailed();
        });
        ASSERT_TRUE(own.turnUntil([&] { return own->connectionCount() == 0; }));
        EXPECT_EQ(seen.back(), "closed") << "allocation " << n;
    }
}

}  // namespace
}  // namespace pipelinetest
