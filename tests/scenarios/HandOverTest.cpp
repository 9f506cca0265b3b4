// Channels on their way from one hand to the next while the dispatcher ends, and those that are
// closed past their handler.
#include <gtest/gtest.h>

#include "support/RecordingHandler.h"
#include "support/ScriptedListener.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/net/Connector.h>
#include <nio/net/Server.h>

namespace {

using nio::Interest;
using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestClient;
using support::TestDispatcher;

std::shared_ptr<support::PacketListener> echo() {
    const auto listener = std::make_shared<support::ScriptedListener>();
    listener->echo();
    return listener;
}

// Posts what it accepts to the dispatcher it is on, as a program may that deals out by itself.
struct Poster final : nio::AcceptorListener {
    void socketConnected(nio::Acceptor& acceptor, nio::AcceptedConnection connection) override
        NIO_REQUIRES(nio::onDispatcher) {
        auto channel = support::makeChannel(std::move(connection.channel),
                                            std::make_unique<nio::LineDecoder>(), echo());
        ASSERT_TRUE(acceptor.dispatcher().registerChannelLater(std::move(channel), Interest::read));
    }
};

TEST(HandOver, AConnectionPostedByTheLastAcceptOfADrainIsServed) {
    TestDispatcher dispatcher;
    auto acceptor =
        nio::Acceptor::open(nio::SocketAddress::loopback4(0), std::make_unique<Poster>()).orThrow();
    const nio::SocketAddress address = acceptor->address();
    dispatcher.add(std::move(acceptor), Interest::accept);
    TestClient client(address);
    client.send("waiting\n");
    client.finish();
    client.pump();
    dispatcher->requestClose();
    const nio::TimePoint end = nio::Clock::after(nio::kerneltest::patience);
    while (!client.hasEnded() && nio::Clock::now() < end) {
        dispatcher.turn();
        client.pump();
    }
    EXPECT_TRUE(client.hasReceived("waiting\n"));
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

struct Keeper final : nio::ConnectorListener {
    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override {
        kept = std::make_unique<nio::SocketChannel>(std::move(channel));
    }
    void connectionFailed(nio::Connector&, const nio::Error&) override { ++failed; }

    std::unique_ptr<nio::SocketChannel> kept;
    int failed = 0;
};

TEST(HandOver, AKeptConnectionEndsWithStopOrItsConnector) {
    nio::ServerOptions options;
    nio::Server server(std::move(options), support::packetHandlers(nio::lines(), echo()));
    Keeper keeper;
    TestDispatcher dispatcher;
    auto connector = std::make_unique<nio::Connector>(*dispatcher, keeper);
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        connector->connectNow(server.address());
    });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return keeper.kept != nullptr; }));
    dispatcher.inTurn([&] { connector.reset(); });
    nio::DrainOptions atOnce;
    atOnce.deadline = std::chrono::milliseconds::zero();
    dispatcher->requestClose(atOnce);
    dispatcher.turns(2);
    EXPECT_TRUE(dispatcher->isStopped());
    EXPECT_FALSE(keeper.kept->isOpen());
    EXPECT_EQ(keeper.failed, 0);
}

TEST(HandOver, AChannelRegisteredElsewhereIsRefusedOnTheSpot) {
    Journal journal;
    TestDispatcher here("here");
    TestDispatcher there("there");
    Link link = makeLink();
    RecordingHandler& handler = here.add(link, "a", journal);
    here.inTurn([&] {
        auto next = std::make_unique<RecordingHandler>(std::move(handler.channel()), "b", journal);
        EXPECT_FALSE(there->registerChannelLater(std::move(next), Interest::read));
        EXPECT_NE(next, nullptr);
    });
    EXPECT_EQ(there->connectionCount(), 0u);
}

TEST(HandOver, WhatTheOldHandlerThrowsIsNotChargedToTheNewOne) {
    Journal journal;
    TestDispatcher dispatcher;
    Link link = makeLink();
    RecordingHandler& first = dispatcher.add(link, "first", journal);
    RecordingHandler* second = nullptr;
    first.onRead = [&] {
        nio::onDispatcher.assertCurrent();
        auto next =
            std::make_unique<RecordingHandler>(std::move(first.channel()), "second", journal);
        second = next.get();
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(next), Interest::read));
        throw std::runtime_error("too late");
    };
    link.peer.send("x");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return second != nullptr; }));
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{"first::handleRead: too late"});
    ASSERT_TRUE(dispatcher.turnUntil([&] { return second->kept == "x"; }));
}

TEST(HandOver, AListenerHearsOfAChannelClosedDirectly) {
    int closed = 0;
    TestDispatcher dispatcher;
    Link link = makeLink();
    const auto listener = std::make_shared<support::ScriptedListener>();
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.channel().close();
    };
    listener->onDisconnected = [&](support::PacketChannel& channel) {
        nio::onDispatcher.assertCurrent();
        channel.send("nobody hears this");
        ++closed;
    };
    dispatcher.add(support::makeChannel(std::move(link.channel),
                                        std::make_unique<nio::LineDecoder>(), listener),
                   Interest::read);
    link.peer.send("x\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return closed == 1; }));
    dispatcher.turns(3);
    EXPECT_EQ(closed, 1);
    EXPECT_TRUE(dispatcher.failures.empty());
}

TEST(HandOver, AHandlerClosedByATaskIsDestroyedInTheSameTurn) {
    Journal journal;
    TestDispatcher dispatcher;
    Link link = makeLink();
    RecordingHandler& handler = dispatcher.add(link, "a", journal);
    ASSERT_TRUE(dispatcher->invokeLater([&] { handler.channel().close(); }));
    // Nothing else will happen here: a turn that waited for it would not come back.
    dispatcher->turn(std::nullopt);
    EXPECT_EQ(journal, Journal{"a destroyed"});
}

TEST(HandOver, WhoMakesTheTurnsByHandCannotWaitBetweenThem) {
    TestDispatcher dispatcher;
    dispatcher.turn();
    const nio::Result<void> waited = dispatcher->invokeAndWait([] {});
    ASSERT_FALSE(waited);
    EXPECT_TRUE(waited.error().is(nio::Errc::waitCycle));
}

TEST(HandOver, ADrainWithoutALimitIsNotOneWithoutTime) {
    Journal journal;
    TestDispatcher dispatcher;
    Link link = makeLink();
    RecordingHandler& handler = dispatcher.add(link, "a", journal);
    (void)handler;
    nio::DrainOptions forEver;
    forEver.deadline = std::chrono::milliseconds::max();
    dispatcher->requestClose(forEver);
    dispatcher.turns(3);
    EXPECT_EQ(dispatcher->draining().report().aborted, 0u);
}

}  // namespace
