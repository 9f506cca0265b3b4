// Connections in every state that may be moved, and in those that may not.
#include <nio/connection/StreamHandler.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "nio/pipeline/ToyPipeline.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>

namespace {

using namespace std::chrono_literals;
using support::Link;
using support::makeLink;
using support::PacketChannel;
using support::ScriptedListener;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

class StreamHandlerMovesTest : public testing::Test {
  protected:
    PacketChannel& add(const nio::StreamOptions& options = {}) {
        auto stream = std::make_shared<nio::StreamOptions>(options);
        stream->movable = true;
        return add(std::move(stream));
    }
    PacketChannel& add(std::shared_ptr<const nio::StreamOptions> stream) {
        listener->onPacket = [this](PacketChannel& channel, std::string_view packet) {
            EXPECT_TRUE(channel.dispatcher().isCurrent());
            arrived.emplace_back(packet);
        };
        auto made = support::makeChannel(std::move(link.channel),
                                         std::make_unique<nio::LineDecoder>(), listener, stream);
        return a.add(std::move(made), nio::Interest::read);
    }
    nio::Result<void> move(nio::StreamHandler& channel) {
        nio::Result<void> asked;
        a.inTurn([&] { asked = a->moves().moveNow(channel.channel(), *b, errors()); });
        settle();
        return asked;
    }
    nio::CallbackErrorHandler errors() {
        return [this](const nio::Error& error) { refusals.push_back(error.message()); };
    }
    void settle() {
        for (int i = 0; i < 4; ++i) {
            a.turn();
            b.turn();
        }
    }

    std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
    std::vector<std::string> arrived;
    std::vector<std::string> refusals;
    Link link = makeLink();
    TestDispatcher a{"a"};
    TestDispatcher b{"b"};
};

TEST_F(StreamHandlerMovesTest, IsNotMovableUnlessItsOptionsSaySo) {
    PacketChannel& channel = add(std::make_shared<nio::StreamOptions>());
    EXPECT_TRUE(move(channel).error().is(nio::Errc::notMovable));
    EXPECT_EQ(&channel.dispatcher(), &*a);
}

struct LeavingListener final : support::PacketListener {
    void packetArrived(PacketChannel&, nio::ByteView) override {}
    void channelLeaving(PacketChannel& channel) override { onLeaving(channel); }
    std::function<void(PacketChannel&)> onLeaving;
};

// What ends has a deadline of the dispatcher where it began.
TEST_F(StreamHandlerMovesTest, AListenerThatEndsItWhileItLeavesEndsItThere) {
    const std::vector<std::function<void(PacketChannel&)>> ways{
        [](PacketChannel& channel) { channel.failAfterFlush(nio::Errc::malformedPacket); },
        [](PacketChannel& channel) { channel.closeAfterFlush(); },
        [](PacketChannel& channel) { channel.abort(); }};
    for (const auto& way : ways) {
        refusals.clear();
        Link own = makeLink();
        auto leaving = std::make_shared<LeavingListener>();
        leaving->onLeaving = way;
        nio::StreamOptions options;
        options.movable = true;
        PacketChannel& channel =
            a.add(support::makeChannel(std::move(own.channel), std::make_unique<nio::LineDecoder>(),
                                       leaving, std::make_shared<nio::StreamOptions>(options)),
                  nio::Interest::read);
        ASSERT_TRUE(move(channel).ok());
        EXPECT_EQ(refusals.size(), 1u);
        EXPECT_EQ(b->connectionCount(), 0u);
        EXPECT_EQ(b->deadlines().size(), 0u);
        own.peer.close();
        settle();
        EXPECT_EQ(a->connectionCount(), 0u);
        EXPECT_EQ(a->deadlines().size(), 0u);
    }
}

// epoll refuses a regular file. It once told an orderly end.
TEST(StreamHandlerMoves, AConnectionThatIsLostOnItsWayIsToldWhy) {
    nio::SelectorThreadOptions epoll;
    epoll.selector.kind = nio::SelectorKind::epoll;
    TestDispatcher a{"a", epoll};
    TestDispatcher b{"b", epoll};
    auto listener = std::make_shared<ScriptedListener>();
    auto options = std::make_shared<nio::StreamOptions>();
    options->movable = true;
    Link link = makeLink();
    PacketChannel& channel =
        a.add(support::makeChannel(std::move(link.channel), std::make_unique<nio::LineDecoder>(),
                                   listener, options),
              nio::Interest::read);
    a.inTurn([&] { ASSERT_TRUE(a->moves().moveNow(channel.channel(), *b).ok()); });
    a.turn();
    const nio::UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::dup2(file.get(), channel.channel().fd()), channel.channel().fd());
    b.turn();
    EXPECT_EQ(listener->disconnected, 0u);
    EXPECT_EQ(listener->failed, 1u);
    EXPECT_EQ(listener->reason()->message(), "move: Operation not permitted");
}

TEST_F(StreamHandlerMovesTest, ThePartOfAPacketThatHasArrivedTravels) {
    PacketChannel& channel = add();
    link.peer.send("one\ntw");
    a.turn();
    ASSERT_TRUE(move(channel).ok());
    EXPECT_EQ(&channel.dispatcher(), &*b);
    link.peer.send("o\n");
    settle();
    EXPECT_THAT(arrived, ElementsAre("one", "two"));
}

TEST_F(StreamHandlerMovesTest, PacketsThatWaitForTheNextTurnAreDeliveredThere) {
    nio::StreamOptions options;
    options.maxPacketsPerTurn = 1;
    PacketChannel& channel = add(options);
    bool asked = false;
    listener->onPacket = [&](PacketChannel&, std::string_view packet) {
        arrived.emplace_back(packet);
        if (!std::exchange(asked, true)) {
            EXPECT_TRUE(a->moves().moveNow(channel.channel(), *b, errors()).ok());
        } else {
            EXPECT_EQ(&channel.dispatcher(), &*b);
        }
    };
    link.peer.send("one\ntwo\nthree\n");
    settle();
    EXPECT_THAT(arrived, ElementsAre("one", "two", "three"));
}

TEST_F(StreamHandlerMovesTest, APauseTravelsWithThePacketsThatItKeepsBack) {
    PacketChannel& channel = add();
    listener->onPacket = [&](PacketChannel& paused, std::string_view packet) {
        arrived.emplace_back(packet);
        paused.pauseReading();
    };
    link.peer.send("one\ntwo\n");
    a.turn();
    ASSERT_TRUE(move(channel).ok());
    link.peer.send("three\n");
    settle();
    EXPECT_THAT(arrived, ElementsAre("one"));
    for (int i = 0; i < 2; ++i) {
        b.inTurn([&] { channel.resumeReading(); });
        settle();
    }
    EXPECT_THAT(arrived, ElementsAre("one", "two", "three"));
}

TEST_F(StreamHandlerMovesTest, OutputThatWaitsTravelsAndReadingGoesOnBelowTheMark) {
    nio::StreamOptions options;
    options.outputHighMark = 1000;
    PacketChannel& channel = add(options);
    const std::string big(60'000, 'x');
    std::string expected;
    a.inTurn([&] {
        for (int i = 0; i < 20; ++i) channel.send(big);
    });
    for (int i = 0; i < 20; ++i) expected += big + "\n";
    ASSERT_GT(channel.pendingBytes(), 0u);
    link.peer.send("question\n");
    ASSERT_TRUE(move(channel).ok());
    EXPECT_GT(channel.pendingBytes(), 0u);
    EXPECT_THAT(arrived, IsEmpty()) << "the output is over its mark";
    std::string got;
    ASSERT_TRUE(b.turnUntil([&] {
        got += link.peer.receiveWhatIsThere();
        return got.size() >= expected.size();
    }));
    EXPECT_TRUE(got == expected);
    ASSERT_TRUE(b.turnUntil([&] { return !arrived.empty(); }));
}

TEST_F(StreamHandlerMovesTest, WhatIsSentWhileItLeavesAndArrivesLeavesThere) {
    class Speaker final : public support::PacketListener {
      public:
        void packetArrived(PacketChannel&, nio::ByteView) override {}
        void channelLeaving(PacketChannel& channel) override { say(channel, "leaving"); }
        void channelArrived(PacketChannel& channel) override { say(channel, "arrived"); }

      private:
        static void say(PacketChannel& channel, std::string_view what) { channel.send(what); }
    };
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->movable = true;
    PacketChannel& channel =
        a.add(support::makeChannel(std::move(link.channel), std::make_unique<nio::LineDecoder>(),
                                   std::make_shared<Speaker>(), stream),
              nio::Interest::read);
    ASSERT_TRUE(move(channel).ok());
    EXPECT_EQ(link.peer.receive(16), "leaving\narrived\n");
}

TEST_F(StreamHandlerMovesTest, AHandshakeUnderWayGoesOnThere) {
    const auto hooks = std::make_shared<support::ToyHooks>();
    const auto make =
        nio::pipeline(support::ToyStage(), nio::lines(), support::ToyApplication(hooks))
            .with({.movable = true});
    support::ToyPeer& channel = a.add(make(std::move(link.channel)), nio::Interest::read);
    a.inTurn([&] { channel.send("early"); });
    ASSERT_TRUE(move(channel).ok());
    EXPECT_GT(channel.pendingBytes(), 0u);
    link.peer.send(std::string(1, support::toyGreeting));
    settle();
    EXPECT_EQ(channel.pendingBytes(), 0u);
    EXPECT_EQ(hooks->sent, 1u);
}

TEST_F(StreamHandlerMovesTest, AnIdleTimeOutFiresThere) {
    nio::StreamOptions options;
    options.idleTimeout = 30ms;
    PacketChannel& channel = add(options);
    ASSERT_TRUE(move(channel).ok());
    ASSERT_TRUE(b.turnUntil([&] { return listener->ended() == 1; }));
    EXPECT_TRUE(listener->reason()->is(nio::Errc::timedOut));
}

TEST_F(StreamHandlerMovesTest, ACloseAfterTheMoveIsOrderly) {
    PacketChannel& channel = add();
    ASSERT_TRUE(move(channel).ok());
    b.inTurn([&] {
        channel.send("bye");
        channel.closeAfterFlush();
    });
    settle();
    EXPECT_EQ(link.peer.receive(4), "bye\n");
    link.peer.finish();
    settle();
    EXPECT_EQ(listener->disconnected, 1u);
}

TEST_F(StreamHandlerMovesTest, WhatIsClosingOrDrainingStays) {
    PacketChannel& channel = add();
    a.inTurn([&] { channel.closeAfterFlush(); });
    EXPECT_TRUE(move(channel).error().is(nio::Errc::notMovable));

    Link second = makeLink();
    std::swap(link.peer, second.peer);
    nio::StreamOptions movable;
    movable.movable = true;
    PacketChannel& draining =
        a.add(support::makeChannel(std::move(second.channel), std::make_unique<nio::LineDecoder>(),
                                   listener, std::make_shared<nio::StreamOptions>(movable)),
              nio::Interest::read);
    a.inTurn([&] {
        draining.handleDrain({});
        EXPECT_FALSE(draining.isMovable());
    });
}

TEST_F(StreamHandlerMovesTest, OneThatBeginsToCloseBeforeItLeavesStays) {
    PacketChannel& channel = add();
    a.inTurn([&] {
        EXPECT_TRUE(a->moves().moveNow(channel.channel(), *b, errors()).ok());
        channel.closeAfterFlush();
    });
    settle();
    EXPECT_THAT(refusals, ElementsAre("the channel cannot migrate"));
    EXPECT_EQ(&channel.dispatcher(), &*a);
}

}  // namespace
