// An exception from a timer of a stage, bad_alloc too, closes its connection and no other.
#include <stdexcept>

#include "PipelineCase.h"
#include "support/FailingMemory.h"

#include <nio/pipeline/IdleStage.h>
#include <nio/pipeline/RateLimitStage.h>
#include <nio/pipeline/StageTimer.h>

namespace pipelinetest {
namespace {

using std::chrono::milliseconds;
using support::FailingMemory;

// Gives the bytes later.
struct Later {
    nio::StageTimer timer;
    nio::Bytes kept;

    void read(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        kept.insert(kept.end(), bytes.begin(), bytes.end());
        timer.wakeAt(context.connection(), nio::Clock::now(), [this, context]() mutable {
            nio::onDispatcher.assertCurrent();
            context.read(std::exchange(kept, {}));
        });
    }
    void closed(auto&) { timer.stop(); }
};

struct ThrowsAtTwo : Recorder {
    void read(auto&, std::string_view line) {
        if (line == "2") throw std::runtime_error("two");
        seen->emplace_back(line);
    }
};

class StageTimerTest : public PipelineCase {
  protected:
    // Each allocation of a turn fails once; each time the connection goes on or ends.
    template <class Factory, class Done>
    void failEachAllocation(const Factory& factory, Done&& done) {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "no allocation can be made to fail here";
        bool failed = true;
        for (std::size_t n = 0; failed; ++n) {
            support::Link mine = support::makeLink(nio::SocketAddress::Family::ipv4);
            support::TestDispatcher own;
            seen = {""};
            own.add(factory(std::move(mine.channel)), nio::Interest::read);
            mine.peer.send(std::string(1050, 'x') + "\n");
            own.turns(2);
            mine.peer.send("y\n");
            const auto ended = [&] { return own->connectionCount() == 0 || done(); };
            {
                const auto failing = FailingMemory::nth(n);
                own.turnUntil([&] { return failing.hasFailed() || ended(); });
                failed = failing.hasFailed();
            }
            ASSERT_TRUE(own.turnUntil(ended)) << "allocation " << n;
        }
    }
};

TEST_F(StageTimerTest, AnExceptionClosesItsConnection) {
    support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
    dispatcher.add(nio::pipeline(nio::lines(), Recorder{&seen})(std::move(other.channel)),
                   nio::Interest::read);
    Strings told;
    add(nio::pipeline(Later(), nio::lines(), ThrowsAtTwo{{&told}}));
    link.peer.send("1\n2\n3\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 1; }));
    EXPECT_EQ(told, (Strings{"opened", "1", nio::Error(nio::Errc::handlerFailed, "two").message(),
                             "closed"}));
    EXPECT_EQ(dispatcher.failures, (Strings{"deadline::expire: two"}));
    EXPECT_EQ(seen, (Strings{"opened"}));
}

TEST_F(StageTimerTest, RateLimitDoesNotPauseForEver) {
    failEachAllocation(nio::pipeline(nio::rateLimit(1000), nio::lines(), Recorder{&seen}),
                       [&] { return seen.back() == "y"; });
}

TEST_F(StageTimerTest, IdleClosesThoughMemoryFails) {
    nio::StreamOptions options;
    options.lingerTimeout = milliseconds(1);
    failEachAllocation(
        nio::pipeline(nio::lines(), nio::idle(milliseconds(20)), Recorder{&seen}).with(options),
        [] { return false; });
}

}  // namespace
}  // namespace pipelinetest
