// How a relay ends, whatever ends it, and what it refuses.
#include <stdexcept>

#include "PipeCase.h"

namespace {

using namespace pipetest;

class PipeEndTest : public PipeCase {};

// --- what is refused ------------------------------------------------------------------------

TEST_P(PipeEndTest, MistakesAreRefusedWithAReason) {
    registerBoth();
    now([&] {
        nio::onDispatcher.assertCurrent();
        const auto itself = nio::pipe(*a.channel, *a.channel);
        EXPECT_EQ(itself.error().message(),
                  "pipe: both ends are the same connection: Invalid argument");
        nio::pipe(*a.channel, *b.channel).orThrow();
        const auto twice = nio::pipe(*b.channel, *a.channel);
        EXPECT_EQ(twice.error().message(), "pipe: a connection is piped already: Invalid argument");
        const auto replaced =
            a.channel->replaceWith(nio::pipeline(nio::raw(), [](auto&, nio::ByteView) {}));
        EXPECT_TRUE(replaced.error().is(std::errc::invalid_argument));
        Side other;
        const auto unregistered = other.makeHandler({});
        const auto notYet = nio::pipe(*unregistered, *b.channel);
        EXPECT_TRUE(notYet.error().is(std::errc::not_connected));
    });
    a.peer.send("works");
    EXPECT_TRUE(until([&] { return b.peer.hasReceived("works"); }));
    EXPECT_THROW((void)nio::pipe(*a.channel, *b.channel), std::exception);
}

TEST_P(PipeEndTest, AConnectionThatClosesIsRefused) {
    for (const auto end : {&PacketChannel::closeAfterFlush, &PacketChannel::shutdownWrite}) {
        a = Side();
        b = Side();
        registerBoth();
        now([&] {
            nio::onDispatcher.assertCurrent();
            (b.channel->*end)();
            const auto late = nio::pipe(*a.channel, *b.channel);
            EXPECT_EQ(late.error().message(),
                      "pipe: a connection has ended or is closing: Transport endpoint is not "
                      "connected");
            a.channel->abort();
            b.channel->abort();
        });
        ASSERT_TRUE(bothHaveEnded());
    }
}

TEST_P(PipeEndTest, ConnectionsOfTwoDispatchersAreRefused) {
    registerBoth();
    Side far;
    nio::SelectorThread other(threadOptions());
    ASSERT_TRUE(other.registerChannelLater(far.makeHandler({}), Interest::read));
    other.turn(std::chrono::nanoseconds::zero());
    now([&] {
        nio::onDispatcher.assertCurrent();
        const auto refused = nio::pipe(*a.channel, *far.channel);
        EXPECT_EQ(refused.error().message(),
                  "pipe: the connections are on different dispatchers: Invalid argument");
    });
}

TEST_P(PipeEndTest, NeitherIsMovedToAnotherDispatcher) {
    nio::StreamOptions options = smallMarks();
    options.movable = true;
    registerBoth(options);
    pipeThem();
    nio::SelectorThread other(threadOptions());
    now([&] {
        nio::onDispatcher.assertCurrent();
        const auto moved = thread.moves().moveNow(a.channel->channel(), other);
        ASSERT_FALSE(moved.ok());
        EXPECT_TRUE(moved.error().is(Errc::notMovable));
    });
    a.peer.send("still here");
    EXPECT_TRUE(until([&] { return b.peer.hasReceived("still here"); }));
}

// --- ends at any moment ---------------------------------------------------------------------

using End = void (*)(PacketChannel&);

void closeOrderly(PacketChannel& channel) {
    nio::onDispatcher.assertCurrent();
    channel.closeAfterFlush();
}
void abortIt(PacketChannel& channel) {
    nio::onDispatcher.assertCurrent();
    channel.abort();
}
void closeChannel(PacketChannel& channel) {
    nio::onDispatcher.assertCurrent();
    channel.channel().close();
}

TEST_P(PipeEndTest, WhicheverEndsHoweverAndWheneverBothEndOnce) {
    for (const End end : {closeOrderly, abortIt, closeChannel}) {
        for (const bool second : {false, true}) {
            for (const int turns : {0, 1, 3, 10}) {
                a = Side();
                b = Side();
                begin();
                for (Side* side : {&a, &b}) {
                    side->peer.send(noise(300 * KiB, 8));
                    if (turns == 3) side->peer.stopReading();
                }
                for (int i = 0; i < turns; ++i) {
                    a.peer.pump();
                    b.peer.pump();
                    turn();
                }
                now([&] { end(second ? *b.channel : *a.channel); });
                ASSERT_TRUE(bothHaveEnded());
                for (Side* side : {&a, &b}) {
                    EXPECT_EQ(side->listener->disconnected + side->listener->failed, 1u);
                    EXPECT_EQ(side->listener->packets, 0u);
                }
            }
        }
    }
}

TEST_P(PipeEndTest, AHandlerThatIsReplacedEndsTheOther) {
    begin();
    const auto other = std::make_shared<ScriptedListener>();
    now([&] {
        nio::onDispatcher.assertCurrent();
        auto handler = support::makeChannel(std::move(a.channel->channel()),
                                            std::make_unique<nio::LineDecoder>(), other);
        thread.registerChannelNow(std::move(handler), Interest::read).orThrow();
        a.channel = nullptr;
    });
    ASSERT_TRUE(until([&] { return b.peer.hasEnded(); }));
    EXPECT_EQ(b.listener->failed, 1u);
    a.peer.send("line\n");
    EXPECT_TRUE(until([&] { return other->packets == 1u; }));
}

TEST_P(PipeEndTest, AListenerThatThrowsAtTheEndDoesNotKeepTheOther) {
    begin();
    a.listener->onException = [&](PacketChannel&, const nio::Error&) {
        a.channel = nullptr;
        throw std::runtime_error("no");
    };
    now([&] { a.channel->abort(); });
    EXPECT_TRUE(bothHaveEnded());
    EXPECT_EQ(b.listener->failed, 1u);
}

TEST_P(PipeEndTest, TheDispatcherMayEndAtOnce) {
    begin();
    a.peer.send(noise(MiB, 9));
    b.peer.stopReading();
    untilStuck();
    thread.requestClose(nio::DrainOptions::atOnce());
    while (turn()) {
    }
    EXPECT_EQ(a.listener->failed, 1u);
    EXPECT_EQ(b.listener->failed, 1u);
}

// --- drains ----------------------------------------------------------------------

nio::DrainOptions drainOf(std::chrono::milliseconds quietPeriod) {
    nio::DrainOptions drain;
    drain.deadline = std::chrono::hours(1);
    drain.quietPeriod = quietPeriod;
    drain.readBudgetBytes = 1;
    return drain;
}

TEST_P(PipeEndTest, ADrainCutsNoTransferOff) {
    begin();
    const std::string bytes = noise(2 * MiB, 10);
    a.peer.send(bytes);
    a.peer.finish();
    b.peer.finish();
    ASSERT_TRUE(until([&] { return !b.peer.received().empty(); }));
    thread.requestClose(drainOf(std::chrono::hours(1)));
    ASSERT_TRUE(until([&] { return thread.isStopped(); }));
    ASSERT_TRUE(support::pumpUntil({&b.peer}, [&] { return b.peer.hasEnded(); }));
    EXPECT_TRUE(b.peer.hasReceived(bytes));
    EXPECT_EQ(thread.draining().report().drained, 2u) << thread.draining().report().toString();
}

TEST_P(PipeEndTest, ADrainEndsAQuietOne) {
    begin();
    a.peer.send("x");
    ASSERT_TRUE(until([&] { return b.peer.hasReceived("x"); }));
    thread.requestClose(drainOf(std::chrono::milliseconds(10)));
    ASSERT_TRUE(until([&] {
        for (Side* side : {&a, &b}) {
            if (side->peer.hasEnded()) side->peer.finish();
        }
        return thread.isStopped();
    }));
    EXPECT_EQ(thread.draining().report().drained, 2u) << thread.draining().report().toString();
    expectOrderly();
}

// b sends nothing, but what a sends is b's business too. A byte is there in each turn.
TEST_P(PipeEndTest, ADrainDoesNotTakeTheReceiverForQuiet) {
    begin();
    constexpr std::chrono::milliseconds quiet(50);
    thread.requestClose(drainOf(quiet));
    std::size_t sent = 0;
    for (const nio::TimePoint end = nio::Clock::after(6 * quiet); nio::Clock::now() < end; ++sent) {
        a.peer.send("x");
        a.peer.pump();
        turn();
    }
    a.peer.finish();
    b.peer.finish();
    ASSERT_TRUE(until([&] { return thread.isStopped(); }));
    ASSERT_TRUE(support::pumpUntil({&b.peer}, [&] { return b.peer.hasEnded(); }));
    EXPECT_EQ(b.peer.received().size(), sent);
}

INSTANTIATE_TEST_SUITE_P(On, PipeEndTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
