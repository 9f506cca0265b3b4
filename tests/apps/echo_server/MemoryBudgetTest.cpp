// echo-server and its memory budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/PumpUntil.h"
#include "support/ServerProcess.h"
#include "support/TestClient.h"

namespace {

using support::Process;
using support::pumpUntil;
using support::ServerProcess;
using support::TestClient;
using testing::HasSubstr;

std::string metricsFrom(const nio::SocketAddress& address) {
    TestClient client(address);
    client.send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    return client.received();
}

TEST(EchoServerBudget, HasTheMemoryBudgetThatItIsTold) {
    ServerProcess server({"--port", "0", "--memory-budget", "64M", "--metrics", "0"});
    const nio::SocketAddress metrics = server.metricsAddress();
    EXPECT_THAT(metricsFrom(metrics), HasSubstr("\nnio_memory_budget_bytes 64000000\n"));
}

TEST(EchoServerBudget, HasAMemoryBudgetUnlessItIsToldNot) {
    ServerProcess with({"--port", "0", "--metrics", "0"});
    EXPECT_THAT(metricsFrom(with.metricsAddress()), HasSubstr("nio_memory_budget_bytes"));
    ServerProcess without({"--port", "0", "--memory-budget", "0", "--metrics", "0"});
    EXPECT_THAT(metricsFrom(without.metricsAddress()),
                testing::Not(HasSubstr("nio_memory_budget")));
}

// Peers that never read, and one that does.
TEST(EchoServerBudget, ServesOthersWhilePeersThatNeverReadUseTheBudget) {
    ServerProcess server({"--port", "0", "--memory-budget", "2Mi", "--metrics", "0"});
    const nio::SocketAddress metrics = server.metricsAddress();
    TestClient before(server.address());
    std::vector<std::unique_ptr<TestClient>> silent;
    std::vector<TestClient*> all{&before};
    for (int i = 0; i < 30; ++i) {
        silent.push_back(std::make_unique<TestClient>(
            server.address(), support::TestClientOptions{.receiveBufferBytes = 4096}));
        silent.back()->stopReading();
        silent.back()->send(std::string(8 << 20, 'x'));
        all.push_back(silent.back().get());
    }
    ASSERT_TRUE(pumpUntil(all, [&] {
        const std::string answer = metricsFrom(metrics);
        return answer.find("nio_memory_budget_acts{action=\"refuse\"} 1") != std::string::npos ||
               answer.find("nio_memory_budget_paused_total 0") == std::string::npos;
    }));
    before.send("hello");
    EXPECT_TRUE(pumpUntil(all, [&] { return before.hasReceived("hello"); }));
}

}  // namespace
