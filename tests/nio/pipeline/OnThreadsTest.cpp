// nio::on with threads: a server whose handlers block.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/TestSockets.h"

#include <nio/codec/LineDecoder.h>
#include <nio/net/Server.h>

namespace {

class OnThreadsTest : public testing::Test {
  protected:
    static nio::SelectorThreadGroupOptions blocking(std::size_t threads) {
        nio::SelectorThreadGroupOptions options;
        options.threads = threads;
        options.thread = nio::SelectorThreadOptions::forBlocking("blocking");
        return options;
    }
    static nio::ServerOptions serverOptions(std::size_t threads) {
        nio::ServerOptions options;
        options.group.threads = threads;
        return options;
    }
};

support::Peer connectTo(const nio::Server& server) {
    nio::UniqueFd fd = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    EXPECT_TRUE(nio::kerneltest::connectTo(fd.get(), server.address()).isDone());
    return support::Peer(std::move(fd));
}

struct Gate {
    std::atomic<bool> isOpen{false};
    void wait() const { isOpen.wait(false); }
    void open() {
        isOpen = true;
        isOpen.notify_all();
    }
};

TEST_F(OnThreadsTest, ABlockedHandlerHoldsUpNoOther) {
    Gate gate;
    nio::SelectorThreadGroup group(blocking(2));
    group.start();
    nio::Server server(serverOptions(1), nio::pipeline(nio::lines(), nio::on(group),
                                                       [&gate](auto& peer, std::string_view line) {
                                                           if (line == "wait") gate.wait();
                                                           peer.send(line);
                                                       }));
    server.start();
    support::Peer slow = connectTo(server);
    slow.send("wait\n");
    // The second dispatcher's.
    support::Peer quick = connectTo(server);
    quick.send("go\n");
    EXPECT_EQ(quick.receive(3), "go\n");
    gate.open();
    EXPECT_EQ(slow.receive(5), "wait\n");
    slow.close();
    quick.close();
    server.requestStop();
    EXPECT_EQ(server.wait().aborted, 0u);
}

TEST_F(OnThreadsTest, ManyConnectionsKeepTheirOrder) {
    constexpr int connections = 20;
    constexpr int lines = 500;
    nio::SelectorThreadGroup group(blocking(3));
    group.start();
    nio::Server server(serverOptions(2),
                       nio::pipeline(nio::lines(), nio::on(group),
                                     [](auto& peer, std::string_view line) { peer.send(line); }));
    server.start();
    std::string text;
    for (int i = 0; i < lines; ++i) text += std::to_string(i) + '\n';
    std::atomic<int> right{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i) {
        clients.emplace_back([&] {
            for (int k = 0; k < connections / 4; ++k) {
                support::Peer peer = connectTo(server);
                peer.send(text);
                peer.finish();
                right += peer.receiveAll() == text;
            }
        });
    }
    for (std::thread& each : clients) each.join();
    EXPECT_EQ(right, connections);
    server.requestStop();
    EXPECT_EQ(server.wait().aborted, 0u);
}

// The one that stops first does so while lines are under way.
void stopInOrder(bool isTargetFirst) {
    nio::SelectorThreadGroupOptions options;
    options.threads = 2;
    auto group = std::make_unique<nio::SelectorThreadGroup>(std::move(options));
    group->start();
    nio::ServerOptions serving;
    serving.group.threads = 2;
    auto server = std::make_unique<nio::Server>(
        std::move(serving),
        nio::pipeline(nio::lines(), nio::on(*group),
                      [](auto& peer, std::string_view line) { peer.send(line); }));
    server->start();
    std::vector<support::Peer> peers;
    for (int i = 0; i < 8; ++i) {
        peers.push_back(connectTo(*server));
        peers.back().send("a\nb\nc\n");
    }
    EXPECT_EQ(peers.back().receive(6), "a\nb\nc\n");
    for (support::Peer& each : peers) {
        (void)nio::kernel::send(each.fd(), nio::asBytes("d\ne\n"));
    }
    if (isTargetFirst) {
        group->end();
        server.reset();
    } else {
        server.reset();
        group->end();
    }
}

TEST_F(OnThreadsTest, TheTargetMayStopFirst) {
    stopInOrder(true);
}

TEST_F(OnThreadsTest, TheTargetMayStopLast) {
    stopInOrder(false);
}

TEST_F(OnThreadsTest, BothMayDrainAtOnce) {
    nio::SelectorThreadGroup group(blocking(2));
    group.start();
    nio::Server server(serverOptions(2),
                       nio::pipeline(nio::lines(), nio::on(group),
                                     [](auto& peer, std::string_view line) { peer.send(line); }));
    server.start();
    std::vector<support::Peer> peers;
    for (int i = 0; i < 8; ++i) {
        peers.push_back(connectTo(server));
        peers.back().send("line\n");
    }
    EXPECT_EQ(peers.back().receive(5), "line\n");
    group.requestClose();
    server.requestStop();
    for (support::Peer& each : peers) {
        (void)each.receiveAll();
        EXPECT_FALSE(each.last().isFailed());
        each.close();
    }
    EXPECT_EQ(server.wait().aborted, 0u);
    group.join();
    EXPECT_EQ(group.drainReport().aborted, 0u);
}

}  // namespace
