#include "sms_router/session/EndWatch.h"

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"
#include "support/TestSockets.h"

namespace router {
namespace {

class EndWatchTest : public ::testing::Test {
  protected:
    bool untilEnded() {
        return dispatcher.turnUntil([&] { return ended > 0; });
    }
    void start(EndWatch& watch) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            watch.start();
        });
    }

    support::TestDispatcher dispatcher;
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    int ended = 0;
    EndWatch watch{dispatcher->deadlines(), link.channel.fd(), [this] { ++ended; }};
};

TEST_F(EndWatchTest, NoticesTheEndBehindWhatIsNotRead) {
    start(watch);
    link.peer.send("not read");
    link.peer.finish();
    EXPECT_TRUE(untilEnded());
    EXPECT_EQ(ended, 1);
}

TEST_F(EndWatchTest, NoticesAnEndThatComesLater) {
    start(watch);
    int looks = 0;
    nio::Deadline several(dispatcher->deadlines(), [&] { ++looks; });
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        several.wakeAfter(std::chrono::milliseconds(250));
    });
    EXPECT_TRUE(dispatcher.turnUntil([&] { return looks > 0; }));
    EXPECT_EQ(ended, 0);
    link.peer.close();
    EXPECT_TRUE(untilEnded());
}

TEST_F(EndWatchTest, SaysNothingOnceItIsStopped) {
    int others = 0;
    EndWatch other(dispatcher->deadlines(), link.channel.fd(), [&] { ++others; });
    start(other);
    other.stop();
    link.peer.finish();
    start(watch);  // looks later than the other would
    EXPECT_TRUE(untilEnded());
    EXPECT_EQ(others, 0);
    start(other);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return others > 0; }));
}

}  // namespace
}  // namespace router
