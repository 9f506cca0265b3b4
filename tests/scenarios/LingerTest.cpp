// A connection that was told to close waits for its peer once: not anew with each close, with what
// still comes, or with each piece that the peer takes.
#include "scenarios/Scenario.h"

#include <nio/loop/SelectorThread.h>

namespace {

SCENARIOS(LingerOnce);

using std::chrono::milliseconds;

TEST_P(LingerOnce, ASecondCloseOrWhatThePeerStillSendsIsNoNewLinger) {
    setup.stream.lingerTimeout = milliseconds(50);
    nio::ChannelHandle handle;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        handle = channel.dispatcher().handleOf(channel.channel());
        channel.send(packet);
        channel.closeAfterFlush();
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("hello\n");
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    const auto closeAgain = [](nio::SelectorHandler& handler) {
        auto& channel = static_cast<support::PacketChannel&>(handler);
        channel.closeAfterFlush();
        channel.failAfterFlush(nio::Errc::malformedPacket);
    };
    EXPECT_TRUE(server().until([&] {
        client.send("more\n");
        return listener->ended() == 1 || !handle.dispatcher()->invokeLater(handle, closeAgain);
    }));
    EXPECT_EQ(client.received(), "hello\n");
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_EQ(listener->disconnected, 1U);
}

// At its pace all would take ten times as long as the limit.
TEST_P(LingerOnce, EachPieceThatThePeerTakesIsNoNewLimit) {
    setup.stream.lingerTimeout = std::chrono::hours(1);
    setup.stream.lingerLimit = milliseconds(50);
    support::TestClient& client = askAndTakeNothing();
    nio::Bytes piece(10'000);
    nio::TimePoint next{};
    ASSERT_TRUE(server().until([&] {
        if (nio::Clock::now() >= next) {
            (void)nio::kernel::receive(client.fd(), piece);
            next = nio::Clock::now() + milliseconds(5);
        }
        return listener->ended() == 1;
    }));
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason() && listener->reason()->is(nio::Errc::timedOut));
}

}  // namespace
