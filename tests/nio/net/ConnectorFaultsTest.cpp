// What goes wrong before or beside the connect itself: nothing to connect to, a source that is not
// ours, a look-up that fails, no time, a listener that throws.
#include <nio/net/Connector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "support/TestDispatcher.h"

namespace {

using nio::Connector;
using nio::Errc;
using nio::SocketAddress;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::HasSubstr;

struct Count final : nio::ConnectorListener {
    void connectionEstablished(Connector&, nio::SocketChannel) override { ++established; }
    void connectionFailed(Connector&, const nio::Error& error) override {
        ++failed;
        reason = error;
        if (onFailed) onFailed();
    }

    int established = 0;
    int failed = 0;
    std::optional<nio::Error> reason;
    std::function<void()> onFailed;
};

struct Listener {
    Listener() : fd(nio::kernel::openStreamSocket(SocketAddress::Family::ipv4).orThrow()) {
        nio::kernel::bind(fd.get(), SocketAddress::loopback4(0)).orThrow();
        nio::kernel::listen(fd.get(), 16).orThrow();
        address = nio::kernel::localAddress(fd.get()).orThrow();
    }
    nio::UniqueFd fd;
    SocketAddress address;
};

class ConnectorFaultsTest : public testing::Test {
  protected:
    ~ConnectorFaultsTest() override {
        dispatcher.inTurn([this] { connector.reset(); });
    }

    template <class... Target>
    void connect(nio::ConnectorOptions options, Target... target) {
        connector = std::make_unique<Connector>(*dispatcher, outcome, std::move(options));
        dispatcher.inTurn([&] { connector->connectNow(target...); });
    }
    template <class... Target>
    void expectFailure(nio::ConnectorOptions options, Target... target) {
        connect(std::move(options), target...);
        ASSERT_TRUE(dispatcher.turnUntil([&] { return outcome.failed > 0; }));
        dispatcher.turns(3);
        EXPECT_EQ(outcome.failed, 1);
        EXPECT_EQ(outcome.established, 0);
        EXPECT_EQ(dispatcher->connectionCount(), 0U);
    }

    Count outcome;
    std::unique_ptr<Connector> connector;
    TestDispatcher dispatcher;
};

TEST_F(ConnectorFaultsTest, NothingToConnectToIsABadAddress) {
    expectFailure({}, std::vector<SocketAddress>());
    EXPECT_TRUE(outcome.reason->is(Errc::badAddress)) << outcome.reason->message();
}

TEST_F(ConnectorFaultsTest, ANumberNeedsNoResolver) {
    Listener listener;
    connect({}, std::string("127.0.0.1"), listener.address.port());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return outcome.established > 0; }));
}

TEST_F(ConnectorFaultsTest, AHostThatHasNoAddressFailsWithTheResolversReason) {
    nio::ConnectorOptions options;
    options.resolver = std::make_shared<nio::Resolver>();
    // No such name can be asked for: a label has at most 63 octets.
    expectFailure(options, std::string(300, 'x'), std::uint16_t{1});
    EXPECT_TRUE(outcome.reason->is(Errc::nameNotFound)) << outcome.reason->message();
}

TEST_F(ConnectorFaultsTest, ASourceAddressThatIsNotOursFailsWithTheReason) {
    Listener listener;
    nio::ConnectorOptions options;
    options.source = SocketAddress::parse("192.0.2.1:0").value();
    expectFailure(options, listener.address);
    EXPECT_TRUE(outcome.reason->is(std::errc::address_not_available)) << outcome.reason->message();
    EXPECT_THAT(outcome.reason->message(), HasSubstr("bind"));
}

TEST_F(ConnectorFaultsTest, WithoutAnyTimeItTimesOutBeforeItTries) {
    Listener listener;
    nio::ConnectorOptions options;
    options.timeout = std::chrono::milliseconds::zero();
    expectFailure(options, listener.address);
    EXPECT_TRUE(outcome.reason->is(Errc::timedOut)) << outcome.reason->message();
}

TEST_F(ConnectorFaultsTest, DoesNotRetryAListenerThatThrowsBadAlloc) {
    outcome.onFailed = [] { throw std::bad_alloc(); };
    expectFailure({}, std::vector<SocketAddress>());
    EXPECT_THAT(dispatcher.failures, ElementsAre("deadline::expire: std::bad_alloc"));
}

TEST_F(ConnectorFaultsTest, NorWhereALookUpCameBeforeIt) {
    nio::ConnectorOptions options;
    options.resolver = std::make_shared<nio::Resolver>();
    options.source = SocketAddress::parse("192.0.2.1:0").value();
    outcome.onFailed = [] { throw std::bad_alloc(); };
    expectFailure(options, std::string("localhost"), std::uint16_t{1});
    EXPECT_THAT(dispatcher.failures, ElementsAre(HasSubstr("std::bad_alloc")));
}

}  // namespace
