#include <nio/net/Client.h>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "nio/sys/KernelTesting.h"
#include "support/BareListener.h"
#include "support/Callbacks.h"
#include "support/LogCapture.h"
#include "support/ScriptedListener.h"
#include "support/TurnUntil.h"

#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/net/Server.h>

namespace {

using nio::Client;
using support::Callbacks;
using Peer = support::Callbacks::Peer;

class ClientTest : public testing::Test {
  protected:
    ClientTest() { server.start(); }

    std::string address() const { return server.address().toString(); }
    // In a turn of the dispatcher.
    void now(const std::function<void()>& task) {
        ASSERT_TRUE(thread.invokeLater([&] { task(); }));
        thread.turn(std::chrono::nanoseconds::zero());
    }
    bool until(const std::function<bool()>& done) { return support::turnUntil(thread, done); }

    // Sends a line, notes the answer, closes.
    Callbacks asking(const std::string& line) {
        Callbacks callbacks;
        callbacks.onOpened = [line](const Peer& peer) { peer.send(line); };
        callbacks.onPacket = [this](const Peer& peer, std::string_view answer) {
            answers += answer;
            peer->closeAfterFlush();
        };
        return callbacks;
    }

    nio::Server server{"127.0.0.1:0", nio::lines(),
                       [](auto& peer, std::string_view line) { peer.send(line); }};
    nio::SelectorThread thread;
    std::string answers;
    std::optional<nio::Error> failure;
    std::optional<Client> client;
};

TEST_F(ClientTest, RunReturnsOnceTheConnectionHasEnded) {
    Client once(thread, address(), nio::lines(), asking("hello"));
    EXPECT_TRUE(once.run());
    EXPECT_EQ(answers, "hello");
}

TEST_F(ClientTest, RunCanBeCalledAgain) {
    Client twice(thread, address(), nio::lines(), asking("hello "));
    EXPECT_TRUE(twice.run());
    EXPECT_TRUE(twice.run());
    EXPECT_EQ(answers, "hello hello ");
}

TEST_F(ClientTest, RunReturnsWhyThereIsNoConnection) {
    const support::DeadPort dead;
    Client refused(thread, dead.address.toString(), nio::lines(), asking("hello"));
    const nio::Result<void> ended = refused.run();
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().is(std::errc::connection_refused));
}

TEST_F(ClientTest, RunReturnsWhyItCannotBeginToConnect) {
    nio::ClientOptions options;
    options.address = address();
    options.connector.source = nio::SocketAddress::parse("192.0.2.1:0").orThrow();  // not ours
    Client none(thread, std::move(options), nio::lines(), asking("hello"));
    EXPECT_EQ(none.run().error().code(), std::errc::address_not_available);
}

TEST_F(ClientTest, RunReturnsWhenThereIsNoTimeToConnect) {
    nio::ClientOptions options;
    options.address = address();
    options.connector.timeout = std::chrono::milliseconds(-1);
    Client none(thread, std::move(options), nio::lines(), asking("hello"));
    EXPECT_TRUE(none.run().error().is(nio::Errc::timedOut));
}

TEST_F(ClientTest, RunReturnsWhyTheConnectionFailed) {
    Callbacks callbacks;
    callbacks.onOpened = [](const Peer& peer) {
        peer->failAfterFlush(nio::Error(nio::Errc::malformedPacket));
    };
    const nio::Result<void> ended = Client(thread, address(), nio::lines(), callbacks).run();
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().is(nio::Errc::malformedPacket));
}

// Asks "hello" by another pipeline.
struct HandsOn {
    Callbacks asking;

    void opened(auto& peer) {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(peer.replaceWith(nio::pipeline(nio::lines(), asking)).ok());
    }
    void read(auto&, std::string_view) {}
};

TEST_F(ClientTest, RunReturnsWhenAnotherPipelineGoesOn) {
    Client handsOn(thread, address(), nio::lines(), HandsOn{asking("hello")});
    bool late = false;
    nio::Deadline deadline(thread.deadlines(), [&] {
        late = true;
        thread.requestClose(nio::DrainOptions::atOnce());
    });
    now([&] {
        nio::onDispatcher.assertCurrent();
        deadline.wakeAfter(nio::kerneltest::patience);
    });
    EXPECT_TRUE(handsOn.run());
    EXPECT_FALSE(late);
    EXPECT_TRUE(until([&] { return answers == "hello"; }));
}

TEST_F(ClientTest, RunReturnsWhenTheDispatcherStops) {
    Callbacks callbacks;
    callbacks.onOpened = [this](const Peer&) {
        thread.requestClose({.deadline = std::chrono::milliseconds::zero()});
    };
    const nio::Result<void> ended = Client(thread, address(), nio::lines(), callbacks).run();
    EXPECT_TRUE(thread.isStopped() || !ended);
    const nio::Result<void> late = Client(thread, address(), nio::lines(), callbacks).run();
    ASSERT_FALSE(late);
    EXPECT_TRUE(late.error().is(nio::Errc::stopped));
}

TEST_F(ClientTest, RunInsideATurnThrows) {
    Client inside(thread, address(), nio::lines(), asking("hello"));
    now([&] { EXPECT_THROW((void)inside.run(), std::logic_error); });
}

TEST_F(ClientTest, RunOfADispatcherWithAThreadThrows) {
    thread.start();
    Client other(thread, address(), nio::lines(), asking("hello"));
    EXPECT_THROW((void)other.run(), std::logic_error);
    thread.requestClose(nio::DrainOptions::atOnce());
    thread.join();
}

TEST_F(ClientTest, ConnectsWithTheLimitsGiven) {
    nio::ClientOptions options{.address = address()};
    options.stream.outputLimit = 10;
    Client limited(thread, std::move(options), nio::lines(), asking("more than ten bytes"));
    const nio::Result<void> ended = limited.run();
    ASSERT_FALSE(ended);
    EXPECT_TRUE(ended.error().is(nio::Errc::outputLimit));
}

TEST_F(ClientTest, ALambdaServesItsPackets) {
    Callbacks greeting;
    greeting.onOpened = [](const Peer& peer) { peer.send("welcome"); };
    nio::Server greets("127.0.0.1:0", nio::lines(), greeting);
    greets.start();
    Client greeted(thread, greets.address().toString(), nio::lines(),
                   [this](auto& peer, std::string_view line) {
                       answers = line;
                       peer.closeAfterFlush();
                   });
    EXPECT_TRUE(greeted.run());
    EXPECT_EQ(answers, "welcome");
}

TEST_F(ClientTest, ConnectsInsideALoopOfTheProgram) {
    client.emplace(thread, address(), nio::lines(), asking("hello"));
    now([&] { client->connectNow(); });
    EXPECT_TRUE(until([&] { return answers == "hello"; }));
}

TEST_F(ClientTest, TellsOnErrorWhichMayDestroyIt) {
    const support::DeadPort dead;
    nio::ClientOptions options{.address = dead.address.toString()};
    options.onError = [this](const nio::Error& error) {
        failure = error;
        client.reset();
    };
    client.emplace(thread, std::move(options), nio::lines(), asking("hello"));
    now([&] { client->connectNow(); });
    ASSERT_TRUE(until([&] { return failure.has_value(); }));
    EXPECT_TRUE(failure->is(std::errc::connection_refused));
    EXPECT_FALSE(client);
}

TEST_F(ClientTest, WithoutOnErrorAFailureIsLogged) {
    support::LogCapture log;
    const support::DeadPort dead;
    client.emplace(thread, dead.address.toString(), nio::lines(), asking("hello"));
    now([&] { client->connectNow(); });
    EXPECT_TRUE(until([&] {
        return log.count("connect to " + dead.address.toString() + ": Connection refused") == 1;
    }));
}

TEST_F(ClientTest, DestroyingItGivesUpConnecting) {
    client.emplace(thread, address(), nio::lines(), asking("hello"));
    now([&] {
        client->connectNow();
        client.reset();
    });
    thread.requestClose();
    while (thread.turn(std::nullopt)) {
    }
    EXPECT_EQ(answers, "");
}

TEST_F(ClientTest, AnOpenConnectionOutlivesIt) {
    Callbacks callbacks = asking("hello");
    callbacks.onOpened = [this](const Peer& peer) {
        client.reset();
        peer.send("hello");
    };
    client.emplace(thread, address(), nio::lines(), callbacks);
    now([&] { client->connectNow(); });
    EXPECT_TRUE(until([&] { return answers == "hello"; }));
}

// The server pauses its reading while its answers wait: if the client did so, too, both would stop.
TEST_F(ClientTest, SendsMuchAtOnceToAServerThatAnswers) {
    const nio::kerneltest::TemporaryFolder folder;
    nio::Server echo("unix:" + folder.file("echo"), nio::raw(),
                     [](auto& peer, nio::ByteView bytes) { peer.send(bytes); });
    echo.start();
    const std::string much(4 * 1024 * 1024, 'x');
    Callbacks callbacks;
    callbacks.onOpened = [&](const Peer& peer) { peer.send(much); };
    callbacks.onPacket = [&](const Peer& peer, std::string_view answer) {
        answers += answer;
        if (answers.size() >= much.size()) peer->closeAfterFlush();
    };
    client.emplace(thread, echo.address().toString(), nio::raw(), callbacks);
    now([&] { client->connectNow(); });
    EXPECT_TRUE(until([&] { return answers == much; }));
}

// Sets up a connection before it registers it.
struct EarlySetUp final : nio::ConnectorListener {
    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        const auto listener = std::make_shared<support::ScriptedListener>();
        listener->onPacket = [this](support::PacketChannel&, std::string_view answer) {
            answers += answer;
        };
        auto handler = support::makeChannel(std::move(channel),
                                            std::make_unique<nio::LineDecoder>(), listener);
        if (aborts) return handler->abort();
        handler->setAutoPause(true);
        handler->pauseReading();
        handler->resumeReading();
        handler->send("hello");
        EXPECT_TRUE(
            connector.dispatcher().registerChannelNow(std::move(handler), nio::Interest::read));
    }
    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        ADD_FAILURE() << error.message();
    }
    bool aborts = false;
    std::string answers;
};

TEST_F(ClientTest, AConnectionCanBeSetUpBeforeItIsRegistered) {
    EarlySetUp setUp;
    nio::Connector connector(thread, setUp);
    now([&] {
        nio::onDispatcher.assertCurrent();
        connector.connectNow(server.address());
    });
    EXPECT_TRUE(until([&] { return setUp.answers == "hello"; }));
}

TEST_F(ClientTest, AConnectionCanBeAbortedBeforeItIsRegistered) {
    EarlySetUp setUp;
    setUp.aborts = true;
    nio::Connector connector(thread, setUp);
    now([&] {
        nio::onDispatcher.assertCurrent();
        connector.connectNow(server.address());
    });
    EXPECT_TRUE(until([&] {
        nio::onDispatcher.assumeCurrent();
        return !connector.isConnecting();
    }));
    EXPECT_EQ(setUp.answers, "");
}

// The peer never stops sending: a drain reads so much and no more.
TEST_F(ClientTest, ADrainEndsAConnectionByItsReadBudget) {
    Callbacks flood;
    flood.onOpened =
        flood.onFlushed = [](const Peer& peer) { peer.send(std::string(64 * 1024, 'x')); };
    flood.onPacket = [](const Peer&, std::string_view) {};
    nio::Server floods("127.0.0.1:0", nio::raw(), flood);
    floods.start();
    Callbacks callbacks;
    callbacks.onPacket = [this](const Peer&, std::string_view) { answers = "some"; };
    client.emplace(thread, floods.address().toString(), nio::raw(), callbacks);
    now([&] { client->connectNow(); });
    ASSERT_TRUE(until([&] { return answers == "some"; }));
    nio::DrainOptions drain;
    drain.deadline = std::chrono::seconds(60);
    drain.readBudgetBytes = 4096;
    thread.requestClose(drain);
    while (thread.turn(std::nullopt)) {
    }
    EXPECT_EQ(thread.draining().report().drained, 1u);
    EXPECT_EQ(thread.draining().report().aborted, 0u);
}

TEST_F(ClientTest, ABadAddressThrows) {
    EXPECT_THROW(Client(thread, "nonsense", nio::lines(), Callbacks()), std::system_error);
}

}  // namespace
