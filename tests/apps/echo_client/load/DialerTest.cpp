// A dialer with more connections than lines, whose server begins to listen late.
#include "echo_client/load/Dialer.h"

#include <gtest/gtest.h>

#include <map>

#include "support/TestDispatcher.h"

namespace load {
namespace {

constexpr std::size_t untried = 50;
// A line that fails is free for the next one until as many have failed as there are lines.
constexpr std::size_t connections = 2 * DialLine::mostLines + untried;

class DialerTest : public testing::Test, public DialerListener {
  protected:
    ~DialerTest() override {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            dialer.stopNow();
            channels_.clear();
        });
    }

    void dialed(std::size_t connection, nio::SocketChannel channel, nio::Clock::duration) override {
        ++made[connection];
        channels_.push_back(std::move(channel));
    }
    void dialFailed(std::size_t connection, const nio::Error&) override { ++failed[connection]; }
    void dialingOver() override { ++timesOver; }

    void listen() { nio::kernel::listen(server_.get(), 1024).orThrow(); }
    void dialAgain(std::size_t connection) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            dialer.dialAgainNow(connection, nio::Clock::duration::zero());
        });
    }

    std::map<std::size_t, int> made;
    std::map<std::size_t, int> failed;
    int timesOver = 0;
    support::TestDispatcher dispatcher;

  private:
    static LoadOptions options() {
        LoadOptions options;
        options.connections = connections;
        return options;
    }
    // Bound, but not listening: each connect is refused.
    static nio::UniqueFd closedPort() {
        auto fd = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
        nio::kernel::bind(fd.get(), nio::SocketAddress::loopback4(0)).orThrow();
        return fd;
    }

    const nio::UniqueFd server_ = closedPort();
    const LoadPlan plan_{options(), nio::kernel::localAddress(server_.get()).orThrow()};
    std::vector<nio::SocketChannel> channels_;

  protected:
    Dialer dialer{*dispatcher, plan_, *this, Share{}};
};

// As a worker does it: those that were never tried are dialled as those that failed.
TEST_F(DialerTest, DialsNoSlotTwiceAfterAHopelessStart) {
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        dialer.startNow();
    });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return timesOver == 1; }));
    EXPECT_GE(failed.size(), DialLine::mostLines);
    EXPECT_LE(failed.size(), connections - untried);
    listen();
    for (std::size_t i = 0; i < connections; ++i) dialAgain(i);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return made.size() == connections; }));
    // Behind all the others.
    dialAgain(0);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return made[0] == 2; }));
    for (std::size_t i = 1; i < connections; ++i) EXPECT_EQ(made[i], 1) << i;
    EXPECT_EQ(timesOver, 1);
}

}  // namespace
}  // namespace load
