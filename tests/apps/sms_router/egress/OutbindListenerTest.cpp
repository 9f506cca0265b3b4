#include "sms_router/egress/OutbindListener.h"

#include <gtest/gtest.h>

#include "support/TestClient.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

using support::TestClient;
using support::TestDispatcher;

class OutbindListenerTest : public ::testing::Test {
  protected:
    OutbindListenerTest() {
        // A port that was free a moment ago: the listener does not tell which one it has.
        const nio::kerneltest::Listener probe(nio::SocketAddress::Family::ipv4, folder);
        address = probe.address();
    }
    void open(const std::string& peerHost) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            const auto opened = listener.openNow(address.toString(), peerHost);
            ASSERT_TRUE(opened.ok()) << opened.error().message();
        });
    }
    bool untilEnded(TestClient& client) {
        return dispatcher.turnUntil([&] {
            client.pump();
            return client.hasEnded();
        });
    }

    nio::kerneltest::TemporaryFolder folder;
    nio::SocketAddress address;
    std::vector<nio::SocketChannel> adopted;
    std::vector<nio::SocketAddress> refused;
    TestDispatcher dispatcher;
    OutbindListener listener{*dispatcher,
                             [this](nio::SocketChannel channel) {
                                 nio::onDispatcher.assertCurrent();
                                 adopted.push_back(std::move(channel));
                             },
                             [this](const nio::SocketAddress& peer) { refused.push_back(peer); }};
};

TEST_F(OutbindListenerTest, LetsTheConnectorsHostIn) {
    open("127.0.0.1");
    TestClient client(address);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return adopted.size() == 1; }));
    client.send("hello");
    client.pump();
    EXPECT_FALSE(client.hasEnded());
}

TEST_F(OutbindListenerTest, ClosesTheConnectionOfAnybodyElse) {
    open("192.0.2.1");
    TestClient client(address);
    EXPECT_TRUE(untilEnded(client));
    EXPECT_TRUE(adopted.empty());
    ASSERT_EQ(refused.size(), 1u) << "its owner hears of it";
    EXPECT_EQ(refused.front().host(), "127.0.0.1");
}

TEST_F(OutbindListenerTest, AHostThatIsANameLetsNobodyIn) {
    open("smsc.example");
    TestClient client(address);
    EXPECT_TRUE(untilEnded(client));
    EXPECT_TRUE(adopted.empty());
}

TEST_F(OutbindListenerTest, AConnectionThatNobodyTakesIsClosed) {
    OutbindListener careless(*dispatcher, [](nio::SocketChannel) {}, {});
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        ASSERT_TRUE(careless.openNow(address.toString(), "127.0.0.1").ok());
    });
    TestClient client(address);
    EXPECT_TRUE(untilEnded(client));
}

TEST_F(OutbindListenerTest, WhereItCannotListenItSaysSo) {
    const nio::kerneltest::Listener other(nio::SocketAddress::Family::ipv4, folder);
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_FALSE(listener.openNow(other.address().toString(), "127.0.0.1").ok());
        EXPECT_FALSE(listener.openNow("no address", "127.0.0.1").ok());
    });
}

TEST_F(OutbindListenerTest, ClosedItTakesNobodyAndItsAddressIsFree) {
    open("127.0.0.1");
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        listener.closeNow();
        listener.closeNow();
    });
    dispatcher.turn();
    EXPECT_THROW(TestClient{address}, std::system_error);
    open("127.0.0.1");
    TestClient client(address);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return adopted.size() == 1; }));
}

}  // namespace
}  // namespace router
