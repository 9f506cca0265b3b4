// A new echo-server process takes the listeners of the running one over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/Echoes.h"
#include "support/ServerProcess.h"

namespace {

using support::Process;
using support::ServerProcess;
using testing::HasSubstr;

// Connects, sends and reads again and again, until it is stopped.
class Load {
  public:
    explicit Load(const nio::SocketAddress& address)
        : thread_([this, address] {
              while (!stopped_) {
                  try {
                      support::echoes(address, "hello") ? ++answered_ : ++failed_;
                  } catch (const std::exception&) {
                      ++failed_;
                  }
              }
          }) {}
    ~Load() { stop(); }

    void awaitAnswers(int more) {
        const int wanted = answered_ + more;
        while (answered_ < wanted && failed_ == 0) std::this_thread::yield();
    }
    int stop() {
        stopped_ = true;
        if (thread_.joinable()) thread_.join();
        return failed_;
    }

  private:
    std::atomic<bool> stopped_{false};
    std::atomic<int> answered_{0};
    std::atomic<int> failed_{0};
    std::thread thread_;
};

std::vector<std::string> options(const std::string& path, const std::string& port,
                                 const std::string& metrics) {
    return {"--threads", "2", "--port", port, "--takeover", path, "--metrics", metrics};
}

TEST(EchoTakeover, NoConnectIsRefusedAndNoAnswerLost) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string path = folder.file("takeover");
    auto server = std::make_unique<ServerProcess>(options(path, "0", "0"));
    const std::string port = std::to_string(server->address().port());
    const std::string metrics = std::to_string(server->metricsAddress().port());
    Load load(server->address());
    for (int round = 0; round < 5; ++round) {
        load.awaitAnswers(5);
        auto next = std::make_unique<ServerProcess>(options(path, port, metrics));
        (void)next->metricsAddress();
        EXPECT_EQ(next->process().readLine(), "echo-server has taken over");
        EXPECT_THAT(server->process().readLine(), HasSubstr(", 0 aborted, 0 bytes lost"));
        EXPECT_EQ(server->process().wait(), 0);
        EXPECT_EQ(server->process().errors(), "");
        server = std::move(next);
    }
    load.awaitAnswers(5);
    EXPECT_EQ(load.stop(), 0);
    EXPECT_EQ(server->stop(), 0);
}

TEST(EchoTakeover, OneThatCannotStartLeavesTheOldOneServing) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string path = folder.file("takeover");
    ServerProcess server({"--port", "0", "--takeover", path});
    const nio::kerneltest::Listener taken(nio::kerneltest::Family::ipv4, folder);
    Process failed({support::bin("echo-server"), "--port", std::to_string(server.address().port()),
                    "--takeover", path, "--metrics", std::to_string(taken.address().port())});
    EXPECT_EQ(failed.wait(), 1);
    EXPECT_THAT(failed.errors(), HasSubstr("--metrics: "));
    EXPECT_TRUE(support::echoes(server.address(), "still here"));
    EXPECT_EQ(server.stop(), 0);
}

}  // namespace
