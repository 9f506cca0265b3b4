// What counts as a sign of life.
#include <nio/connection/StreamHandler.h>

#include <gtest/gtest.h>

#include <memory>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace {

using namespace std::chrono_literals;
using support::Link;
using support::makeLink;
using support::TestDispatcher;
using Family = nio::SocketAddress::Family;

class Talker final : public nio::StreamHandler {
  public:
    Talker(nio::SocketChannel channel, const std::shared_ptr<const nio::StreamOptions>& options)
        : StreamHandler(std::move(channel), options) {}

    using StreamHandler::sendThrough;
    const std::shared_ptr<bool> ended = std::make_shared<bool>(false);

  protected:
    void bytesArrived(nio::ByteView) override {}
    void connectionClosed(const std::optional<nio::Error>&) override { *ended = true; }
};

class StreamHandlerIdleTest : public ::testing::TestWithParam<nio::SelectorKind> {
  protected:
    Talker& add(Link& link) {
        auto options = std::make_shared<nio::StreamOptions>();
        options->idleTimeout = 32ms;
        return dispatcher.add(std::make_unique<Talker>(std::move(link.channel), options),
                              nio::Interest::read);
    }

    TestDispatcher dispatcher{"test", support::with(GetParam())};
};

// One tick of the dispatcher is for both, and the one that sends comes first in it.
TEST_P(StreamHandlerIdleTest, WhoOnlySendsThroughOutlivesWhoIsSilent) {
    Link busy = makeLink(Family::ipv4);
    Link silent = makeLink(Family::ipv4);
    Talker& sends = add(busy);
    const auto sendingEnded = sends.ended;
    const auto silentEnded = add(silent).ended;
    ASSERT_TRUE(dispatcher.turnUntil([&] {
        if (!*sendingEnded) dispatcher.inTurn([&] { sends.sendThrough(nio::asBytes("x")); });
        (void)busy.peer.receiveWhatIsThere();
        return *silentEnded;
    }));
    EXPECT_FALSE(*sendingEnded);
}

INSTANTIATE_TEST_SUITE_P(StreamHandler, StreamHandlerIdleTest,
                         ::testing::ValuesIn(support::everyEngine()), support::EngineName());

}  // namespace
