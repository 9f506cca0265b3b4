#include <nio/net/Connector.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>
#include <functional>

#include "support/BareListener.h"
#include "support/Engines.h"
#include "support/ScriptedListener.h"
#include "support/TurnUntil.h"

#include <nio/codec/LineDecoder.h>

namespace {

using nio::Connector;
using nio::SocketAddress;
using support::BareListener;
using support::DeadPort;
using support::FullListener;

struct Outcome final : nio::ConnectorListener {
    void connectionEstablished(Connector& connector, nio::SocketChannel channel) override {
        ++established;
        if (onEstablished) return onEstablished(connector, std::move(channel));
    }
    void connectionFailed(Connector& connector, const nio::Error& error) override {
        ++failed;
        reason = error;
        if (onFailed) onFailed(connector);
    }
    int called() const { return established + failed; }

    int established = 0;
    int failed = 0;
    std::optional<nio::Error> reason;
    std::function<void(Connector&, nio::SocketChannel)> onEstablished;
    std::function<void(Connector&)> onFailed;
};

class ConnectorTest : public ::testing::TestWithParam<nio::SelectorKind> {
  protected:
    ConnectorTest() : thread(threadOptions()) {}

    static nio::SelectorThreadOptions threadOptions() {
        nio::SelectorThreadOptions options;
        options.selector.kind = GetParam();
        options.onFailure = [](const nio::Failure& failure) {
            ADD_FAILURE() << failure.toString();
        };
        return options;
    }

    // In a turn of the dispatcher.
    void now(const std::function<void()>& task) {
        ASSERT_TRUE(thread.invokeLater([&] { task(); }));
        thread.turn(std::chrono::nanoseconds::zero());
    }
    bool until(const std::function<bool()>& done) { return support::turnUntil(thread, done); }
    void make(nio::ConnectorOptions options = {}) {
        connector = std::make_unique<Connector>(thread, outcome, std::move(options));
    }
    bool untilCalled() {
        return until([this] { return outcome.called() > 0; });
    }
    ~ConnectorTest() override {
        if (connector) now([this] { connector.reset(); });
    }

    nio::SelectorThread thread;
    Outcome outcome;
    std::unique_ptr<Connector> connector;
};

TEST_P(ConnectorTest, GivesTheConnectionToAHandlerThatTalksOnIt) {
    BareListener peer;
    auto listener = std::make_shared<support::ScriptedListener>();
    listener->onOpened = [](support::PacketChannel& channel) { channel.send("hello"); };
    outcome.onEstablished = [&](Connector&, nio::SocketChannel channel) {
        auto handler = support::makeChannel(std::move(channel),
                                            std::make_unique<nio::LineDecoder>(), listener);
        EXPECT_TRUE(thread.registerChannelNow(std::move(handler), nio::Interest::read).ok());
    };
    make();
    now([&] { connector->connectNow(peer.address); });
    ASSERT_TRUE(untilCalled());
    EXPECT_EQ(outcome.established, 1);
    EXPECT_FALSE(connector->isConnecting());
    EXPECT_EQ(thread.connectionCount(), 1U);

    auto accepted = nio::kernel::accept(peer.fd.get());
    ASSERT_TRUE(accepted.result.isDone());
    nio::Bytes bytes(100);
    nio::IoResult read = nio::IoResult::wouldBlock();
    ASSERT_TRUE(until([&] {
        read = nio::kernel::receive(accepted.fd.get(), bytes);
        return read.isDone();
    }));
    EXPECT_EQ(nio::asText(nio::ByteView(bytes).first(read.bytes)), "hello\n");
    ASSERT_TRUE(nio::kernel::send(accepted.fd.get(), nio::asBytes("you too\n")).isDone());
    EXPECT_TRUE(until([&] { return listener->packets == 1; }));
}

TEST_P(ConnectorTest, KeepsAConnectionAliveIfItIsAskedTo) {
    BareListener peer;
    for (const int seconds : {0, 7}) {
        int on = -1;
        int idle = -1;
        outcome.onEstablished = [&](Connector&, nio::SocketChannel channel) {
            socklen_t size = sizeof on;
            EXPECT_EQ(::getsockopt(channel.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
            EXPECT_EQ(::getsockopt(channel.fd(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size), 0);
        };
        nio::ConnectorOptions options;
        options.keepAlive = std::chrono::seconds(seconds);
        make(options);
        now([&] { connector->connectNow(peer.address); });
        ASSERT_TRUE(until([&] { return on >= 0; }));
        EXPECT_EQ(on, seconds == 0 ? 0 : 1);
        EXPECT_EQ(idle == seconds, seconds != 0) << "else it is the system's";
        now([this] { connector.reset(); });
    }
}

TEST_P(ConnectorTest, AKeepAliveOutOfRangeFailsTheConnect) {
    BareListener peer;
    nio::ConnectorOptions options;
    options.keepAlive = std::chrono::hours(24);
    make(options);
    now([&] { connector->connectNow(peer.address); });
    ASSERT_TRUE(untilCalled());
    ASSERT_EQ(outcome.failed, 1);
    EXPECT_TRUE(outcome.reason->is(std::errc::invalid_argument));
}

TEST_P(ConnectorTest, NeverCallsItsListenerFromInsideConnectNow) {
    DeadPort dead;
    make();
    now([&] {
        connector->connectNow(dead.address);
        EXPECT_EQ(outcome.called(), 0);
        EXPECT_TRUE(connector->isConnecting());
    });
    EXPECT_TRUE(untilCalled());
}

TEST_P(ConnectorTest, ARefusedConnectionFailsWithTheReasonAndTheAddress) {
    DeadPort dead;
    make();
    now([&] { connector->connectNow(dead.address); });
    ASSERT_TRUE(untilCalled());
    ASSERT_EQ(outcome.failed, 1);
    EXPECT_TRUE(outcome.reason->is(std::errc::connection_refused)) << outcome.reason->message();
    EXPECT_NE(outcome.reason->message().find(dead.address.toString()), std::string::npos);
    EXPECT_FALSE(connector->isConnecting());
}

// Bound to the port that it dials: what happens by chance in the ephemeral range.
TEST_P(ConnectorTest, AConnectionToItselfIsRefused) {
    const auto itself = SocketAddress::numeric("127.66.0.1", DeadPort().address.port()).orThrow();
    make({.source = itself});
    for (int i = 0; i < 2; ++i) {  // nothing of the first one keeps the port
        now([&] { connector->connectNow(itself); });
        ASSERT_TRUE(until([&] { return outcome.called() > i; }));
        ASSERT_EQ(outcome.established, 0);
        EXPECT_TRUE(outcome.reason->is(std::errc::connection_refused)) << outcome.reason->message();
    }
    EXPECT_EQ(thread.connectionCount(), 0U);
}

TEST_P(ConnectorTest, AConnectThatIsNeverDecidedTimesOut) {
    FullListener full;
    make({.timeout = std::chrono::milliseconds(60)});
    const nio::TimePoint begin = nio::Clock::now();
    now([&] { connector->connectNow(full.address); });
    ASSERT_TRUE(untilCalled());
    ASSERT_EQ(outcome.failed, 1);
    EXPECT_TRUE(outcome.reason->is(nio::Errc::timedOut)) << outcome.reason->message();
    EXPECT_NE(outcome.reason->message().find(full.address.toString()), std::string::npos)
        << outcome.reason->message();
    EXPECT_GE(nio::Clock::now() - begin, std::chrono::milliseconds(60));
}

TEST_P(ConnectorTest, EveryAddressIsTriedAfterARefusalAndAfterATimeOut) {
    DeadPort dead;
    FullListener full;
    BareListener peer;
    make({.timeout = std::chrono::milliseconds(600)});
    SocketAddress connectedTo;
    outcome.onEstablished = [&](Connector&, nio::SocketChannel channel) {
        connectedTo = channel.peerAddress().orThrow();
    };
    now([&] {
        connector->connectNow(std::vector<SocketAddress>{dead.address, full.address, peer.address});
    });
    ASSERT_TRUE(untilCalled());
    EXPECT_EQ(outcome.established, 1);
    EXPECT_EQ(connectedTo, peer.address);
}

TEST_P(ConnectorTest, WhenEveryAddressFailsTheLastReasonIsTold) {
    DeadPort first;
    DeadPort second;
    make();
    now([&] { connector->connectNow(std::vector<SocketAddress>{first.address, second.address}); });
    ASSERT_TRUE(untilCalled());
    EXPECT_NE(outcome.reason->message().find(second.address.toString()), std::string::npos);
    EXPECT_EQ(outcome.called(), 1);
}

TEST_P(ConnectorTest, ANameIsLookedUpOffTheDispatcher) {
    BareListener peer;
    make({.resolver = std::make_shared<nio::Resolver>()});
    now([&] { connector->connectNow("localhost", peer.address.port()); });
    ASSERT_TRUE(untilCalled());
    EXPECT_EQ(outcome.established, 1) << outcome.reason->message();
}

TEST_P(ConnectorTest, ANameWithoutAResolverIsNotSupported) {
    make();
    now([&] { connector->connectNow("localhost", 1); });
    ASSERT_TRUE(untilCalled());
    EXPECT_TRUE(outcome.reason->is(nio::Errc::notSupported));
}

TEST_P(ConnectorTest, ALookUpThatComesTooLateFindsNobody) {
    auto resolver = std::make_shared<nio::Resolver>();
    make({.resolver = resolver});
    now([&] {
        connector->connectNow("localhost", 1);
        connector.reset();
    });
    bool answered = false;
    now([&] { resolver->resolve("localhost", 1, [&](auto) { answered = true; }); });
    ASSERT_TRUE(until([&] { return answered; })) << "the one before it was answered, too";
    EXPECT_EQ(outcome.called(), 0);
}

TEST_P(ConnectorTest, DestroyedWhileConnectingItNeverCallsBack) {
    FullListener full;
    make({.timeout = std::chrono::milliseconds(300)});
    now([&] { connector->connectNow(full.address); });
    thread.turn(std::chrono::nanoseconds::zero());
    now([&] { connector.reset(); });
    const nio::TimePoint later = nio::Clock::now() + std::chrono::milliseconds(330);
    while (nio::Clock::now() < later) thread.turn(std::chrono::milliseconds(5));
    EXPECT_EQ(outcome.called(), 0);
}

TEST_P(ConnectorTest, MayBeDestroyedInsideEitherCallback) {
    DeadPort dead;
    BareListener peer;
    for (const SocketAddress& address : {dead.address, peer.address}) {
        outcome.onFailed = [&](Connector&) { connector.reset(); };
        outcome.onEstablished = [&](Connector&, nio::SocketChannel) { connector.reset(); };
        const int before = outcome.called();
        make();
        now([&] { connector->connectNow(address); });
        ASSERT_TRUE(until([&] { return outcome.called() > before; }));
        EXPECT_EQ(connector, nullptr);
    }
    EXPECT_EQ(outcome.called(), 2);
}

TEST_P(ConnectorTest, ConnectsAgainFromInsideItsCallback) {
    DeadPort dead;
    BareListener peer;
    outcome.onFailed = [&](Connector& again) {
        again.connectNow(outcome.failed < 3 ? dead.address : peer.address);
    };
    make();
    now([&] { connector->connectNow(dead.address); });
    ASSERT_TRUE(until([&] { return outcome.established == 1; }));
    EXPECT_EQ(outcome.failed, 3);
}

TEST_P(ConnectorTest, ASecondConnectGivesTheFirstUp) {
    FullListener full;
    BareListener peer;
    make();
    now([&] { connector->connectNow(full.address); });
    now([&] { connector->connectNow(peer.address); });
    ASSERT_TRUE(untilCalled());
    EXPECT_EQ(outcome.established, 1);
    EXPECT_EQ(outcome.failed, 0);
}

TEST_P(ConnectorTest, ConnectsFromTheSourceAddress) {
    BareListener peer;
    make({.source = SocketAddress::numeric("127.0.0.9", 0).orThrow()});
    now([&] { connector->connectNow(peer.address); });
    ASSERT_TRUE(untilCalled());
    ASSERT_EQ(outcome.established, 1) << outcome.reason->message();
    auto accepted = nio::kernel::accept(peer.fd.get());
    ASSERT_TRUE(accepted.result.isDone());
    EXPECT_EQ(nio::kernel::peerAddress(accepted.fd.get()).orThrow().host(), "127.0.0.9");
}

TEST_P(ConnectorTest, AConnectionThatIsLetGoIsClosed) {
    BareListener peer;
    make();
    now([&] { connector->connectNow(peer.address); });
    ASSERT_TRUE(untilCalled());
    auto accepted = nio::kernel::accept(peer.fd.get());
    ASSERT_TRUE(accepted.result.isDone());
    nio::Bytes bytes(10);
    EXPECT_TRUE(until([&] {
        return nio::kernel::receive(accepted.fd.get(), bytes).status == nio::IoStatus::closed;
    }));
}

TEST_P(ConnectorTest, UnixDomainSocketsConnectToo) {
    std::string folder = (std::filesystem::temp_directory_path() / "nio-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    {
        BareListener peer(SocketAddress::unixPath(folder + "/socket").orThrow());
        make();
        now([&] { connector->connectNow(peer.address); });
        EXPECT_TRUE(untilCalled());
        EXPECT_EQ(outcome.established, 1);
    }
    std::filesystem::remove_all(folder);
}

TEST_P(ConnectorTest, WhileTheDispatcherDrainsAConnectFailsAtOnce) {
    FullListener full;
    BareListener peer;
    make();
    now([&] { connector->connectNow(full.address); });
    thread.turn(std::chrono::nanoseconds::zero());
    // The drain waits for a handler of its own, so that there are turns to look at.
    struct Stubborn final : nio::ReadWriteSelectorHandler {
        explicit Stubborn(nio::SocketChannel own) : channel_(std::move(own)) {}
        nio::SelectableChannel& channel() override { return channel_; }
        void handleRead() override {}
        void handleWrite() override {}
        void handleDrain(const nio::DrainOptions&) override {}
        nio::SocketChannel channel_;
    };
    auto socket = nio::SocketChannel::open(SocketAddress::Family::ipv4).orThrow();
    ASSERT_TRUE(thread.registerChannelLater(std::make_unique<Stubborn>(std::move(socket)),
                                            nio::Interest::none));
    thread.requestClose();
    outcome.onFailed = [&](Connector& again) {
        if (outcome.failed == 1) again.connectNow(peer.address);
    };
    ASSERT_TRUE(until([&] { return outcome.called() == 2; }));
    EXPECT_EQ(outcome.failed, 2);
    EXPECT_TRUE(outcome.reason->is(nio::Errc::stopped)) << outcome.reason->message();
    EXPECT_FALSE(thread.isStopped());
    connector.reset();
    thread.requestClose({.deadline = std::chrono::milliseconds(0)});
    EXPECT_TRUE(until([&] { return thread.isStopped(); }));
}

TEST_P(ConnectorTest, CanOutliveItsDispatcherWithAConnectPending) {
    FullListener full;
    outcome.onFailed = [&](Connector& again) { again.connectNow(full.address); };
    make();
    now([&] { connector->connectNow(full.address); });
    thread.turn(std::chrono::nanoseconds::zero());
    thread.requestClose({.deadline = std::chrono::milliseconds(0)});
    ASSERT_TRUE(until([&] { return thread.isStopped(); }));
    EXPECT_TRUE(connector->isConnecting());
    connector.reset();
}

TEST_P(ConnectorTest, CallsFromElsewhereAreRefused) {
    BareListener peer;
    make();
    EXPECT_THROW(connector->connectNow(peer.address), nio::WrongThreadError);
    EXPECT_FALSE(connector->isConnecting());
}

INSTANTIATE_TEST_SUITE_P(Connector, ConnectorTest, ::testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
