// What a connector writes on the board, and when: by that the dispatchers choose without asking it.
#include "sms_router/routing/ConnectorBoard.h"

#include <gtest/gtest.h>

#include <functional>

#include "apps/sms_router/app/CoreBench.h"
#include "nio/sys/KernelTesting.h"
#include "smpp/pdu/Octets.h"
#include "support/TestSockets.h"

namespace router {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view bindAnswer = "00000015 80000009 00000000 00000001 'smsc' 00";

class ConnectorBoardTest : public ::testing::Test {
  protected:
    // Of a connector that calls the listener.
    void publish(const std::string& systemId) {
        ConfigOf plan;
        plan.connector("a");
        ConnectorConfig& connector = plan.config().connectors[0];
        connector.bind.transceivers = 1;
        connector.port = listener.address().port();
        connector.bind.systemId = systemId;
        auto dialing = std::make_shared<SmscDialing>();
        dialing->config = connector;
        dialing->pduLimits = {10'000};
        auto session = std::make_shared<smpp::SessionOptions>();
        session->side = smpp::Side::esme;
        dialing->session = session;
        bench.directory.publish(bench.directory.topologyOf(plan.shared()), {dialing});
    }
    // Until then a connector that has been live takes messages, whatever becomes of its binds.
    void turnUntil(const std::function<bool()>& done, bool takes) {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (!done() && nio::Clock::now() < end) {
            bench.turn();
            ASSERT_TRUE(!takes || state.takes);
        }
        ASSERT_TRUE(done());
    }
    support::Peer bound(bool takes) {
        pollfd entry{listener.fd(), POLLIN, 0};
        turnUntil([&] { return nio::kernel::waitPoll({&entry, 1}, 0ms).orThrow() > 0; }, takes);
        support::Peer smsc(listener.acceptOne());
        std::string request;
        turnUntil([&] { return !(request += smsc.receiveWhatIsThere()).empty(); }, takes);
        smsc.send(nio::asText(smpp::smpptest::octets(bindAnswer)));
        turnUntil([&] { return state.live.load(); }, takes);
        return smsc;
    }

    nio::kerneltest::TemporaryFolder folder;
    nio::kerneltest::Listener listener{nio::SocketAddress::Family::ipv4, folder};
    CoreBench bench;
    const ConnectorState& state = bench.board[0];
};

TEST_F(ConnectorBoardTest, IsAvailableWhileLiveAndWhileItRebinds) {
    EXPECT_FALSE(state.takes);
    publish("router");
    support::Peer smsc = bound(false);
    EXPECT_TRUE(state.takes);
    publish("another");
    support::Peer again = bound(true);
    EXPECT_TRUE(state.takes);
}

TEST_F(ConnectorBoardTest, SaysThatItTakesNoMessagesOnceItsConnectionIsLost) {
    publish("router");
    bound(false).close();
    turnUntil([&] { return !state.live; }, false);
    EXPECT_FALSE(state.takes);
}

// Who still routes by the configuration before would be refused.
TEST_F(ConnectorBoardTest, ARemovedConnectorServesUntilAllShardsKnow) {
    publish("router");
    support::Peer smsc = bound(false);
    bench.directory.publish(bench.directory.topologyOf(ConfigOf().connector("").shared()),
                            {nullptr});
    for (int i = 0; i < 5; ++i) bench.group[0].turn(0ms);
    EXPECT_TRUE(state.takes);
    for (int i = 0; i < 5; ++i) bench.group[1].turn(0ms);
    EXPECT_TRUE(state.takes) << "it is to be told";
    bench.turn();
    EXPECT_FALSE(state.takes);
}

}  // namespace
}  // namespace router
