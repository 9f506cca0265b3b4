// The ready-made stages without a framing.
#include <algorithm>

#include "PipelineCase.h"

#include <nio/base/Log.h>
#include <nio/codec/RawDecoder.h>
#include <nio/pipeline/IdleStage.h>
#include <nio/pipeline/Observers.h>
#include <nio/pipeline/RateLimitStage.h>

namespace pipelinetest {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const auto echoes = [](auto& peer, std::string_view packet) { peer.send(packet); };

class StagesTest : public PipelineCase {
  protected:
    bool turnUntilClosed() {
        return dispatcher.turnUntil([&] {
            (void)link.peer.receiveWhatIsThere();
            return link.peer.last().status == nio::IoStatus::closed;
        });
    }
    void TearDown() override { nio::setLogger(nio::logToStandardError); }
};

TEST_F(StagesTest, LogTellsWhatPasses) {
    nio::setLogger([this](nio::LogLevel, std::string_view line) { seen.emplace_back(line); });
    add(nio::pipeline(nio::lines(), nio::log("client"), echoes));
    link.peer.send("hello\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"client: opened", "client: read 5 bytes", "client: write 5 bytes",
                             "client: peer finished", "client: closed"}));
}

TEST_F(StagesTest, CountAddsUpAllConnections) {
    nio::Traffic traffic;
    const auto factory = nio::pipeline(nio::lines(), nio::count(traffic), echoes);
    support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
    add(factory);
    dispatcher.add(factory(std::move(other.channel)), nio::Interest::read);
    link.peer.send("1\n2\n");
    other.peer.send("3\n");
    link.peer.finish();
    other.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(traffic.opened, 2U);
    EXPECT_EQ(traffic.read, 3U);
    EXPECT_EQ(traffic.written, 3U);
    EXPECT_EQ(traffic.closed, 2U);
}

TEST_F(StagesTest, IdleClosesWhenNothingIsRead) {
    add(nio::pipeline(nio::lines(), nio::idle(milliseconds(20)), Recorder{&seen}));
    EXPECT_TRUE(turnUntilClosed());
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", nio::Error(nio::Errc::timedOut, "nothing read").message(),
                             "closed"}));
}

TEST_F(StagesTest, IdleClosesWhenNothingIsWritten) {
    add(nio::pipeline(nio::lines(), nio::idle(hours(1), milliseconds(20)), Recorder{&seen}));
    link.peer.send("hello\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen.front(), "opened");
}

TEST_F(StagesTest, IdleCountsFromTheLastItem) {
    constexpr milliseconds limit(300);
    add(nio::pipeline(nio::lines(), nio::idle(limit), Recorder{&seen}));
    const nio::TimePoint later = nio::Clock::now() + limit / 2;
    EXPECT_TRUE(dispatcher.turnUntil([&] { return nio::Clock::now() >= later; }));
    const nio::TimePoint sent = nio::Clock::now();
    link.peer.send("x\n");
    EXPECT_TRUE(turnUntilClosed());
    const nio::TimePoint closed = nio::Clock::now();
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    // On a busy machine the limit may have passed before.
    if (seen.at(1) == "x") {
        EXPECT_GE(closed - sent, limit);
    }
}

TEST_F(StagesTest, RateLimitPausesAboveTheRateAndGoesOn) {
    const nio::TimePoint begin = nio::Clock::now();
    add(nio::pipeline(nio::rateLimit(1000), nio::lines(), Recorder{&seen}));
    link.peer.send(std::string(1049, 'x') + "\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("y\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 3; }));
    EXPECT_GE(nio::Clock::now() - begin, milliseconds(50));
    EXPECT_EQ(seen.back(), "y");
}

TEST_F(StagesTest, ARateOfZeroIsRefused) {
    EXPECT_THROW((void)nio::rateLimit(0), std::invalid_argument);
}

}  // namespace
}  // namespace pipelinetest
