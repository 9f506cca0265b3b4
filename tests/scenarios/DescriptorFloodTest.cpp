// More connections than descriptors: nobody spins, those that have one are served, and so is
// everybody again once descriptors are free.
#include "scenarios/Scenario.h"

#include "support/LogCapture.h"
#include "support/Verdict.h"

namespace {

using support::verdict;

bool answers(support::TestServer& server, support::TestClient& client) {
    client.send("hello\n");
    return server.until([&] { return client.hasReceived("hello\n") || client.hasEnded(); }) &&
           client.hasReceived("hello\n");
}

// Until the process has no descriptor left, for one more client or for the server's side of it.
void flood(support::TestServer& server) {
    try {
        for (int i = 0; i < 1000; ++i) {
            server.connect();
            if (i % 8 == 0) server.turn();
        }
    } catch (const std::system_error&) {
        return;
    }
    verdict("the limit was never reached");
}

void floodAndServeAgain(const scenarios::Setting& setting) {
    support::limitDescriptors(256);
    support::LogCapture log;
    const auto listener = std::make_shared<support::ScriptedListener>();
    listener->echo();
    support::ServerSetup setup;
    setup.dispatchers = setting.dispatchers;
    setup.thread.selector.kind = setting.selector;
    setup.acceptor.maxConnections = 10'000;
    setup.acceptor.backOff = std::chrono::milliseconds(20);
    support::TestServer server(setup, listener);
    support::TestClient& early = server.connectAndWait();
    flood(server);

    const nio::TimePoint begin = nio::Clock::now();
    const double processor = support::processorSeconds();
    int turns = 0;
    while (nio::Clock::now() - begin < std::chrono::milliseconds(100)) {
        server.dispatcher(0).turn(std::chrono::milliseconds(100));
        ++turns;
    }
    if (turns > 30) verdict("it spins: " + std::to_string(turns) + " turns");
    if (support::processorSeconds() - processor > 0.08) verdict("it burns processor time");
    if (!answers(server, early)) verdict("a connection from before the flood is not served");
    if (log.count("out of file descriptors") > 3) verdict("the log is flooded too");

    for (std::size_t i = 1; i < server.clients().size(); ++i) server.clients()[i]->close();
    // One that comes while the last back-off is not over may still be turned away.
    for (int attempts = 0; attempts < 20; ++attempts) {
        if (answers(server, server.connect())) verdict("");
    }
    verdict("it does not serve again");
}

class DescriptorFlood : public scenarios::Scenario {
  protected:
    DescriptorFlood() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(DescriptorFlood, DoesNotSpinAndServesAgainWhenDescriptorsAreFree) {
    EXPECT_EXIT(floodAndServeAgain(GetParam()), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Sockets, DescriptorFlood, scenarios::everySetting(), scenarios::nameOf);

}  // namespace
