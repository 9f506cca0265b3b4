// Where a server listens, on which dispatchers, and on which threads.
#include <nio/net/Server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <nio/codec/LineDecoder.h>
#include <nio/sys/handover/Handover.h>

#include "nio/sys/KernelTesting.h"
#include "support/PumpUntil.h"
#include "support/TestClient.h"

namespace {

using nio::kerneltest::Family;
using support::pumpUntil;
using support::TestClient;

nio::ServerOptions ofThreads(std::size_t threads) {
    nio::ServerOptions options;
    options.group.threads = threads;
    options.group.thread.name = "s";
    return options;
}

// Answers each line with the name of the dispatcher that serves it.
nio::HandlerFactory namesItsDispatcher() {
    return nio::pipeline(nio::lines(), [](auto& peer, std::string_view) {
        nio::onDispatcher.assumeCurrent();
        peer.send(peer.dispatcher().name());
    });
}

std::string ask(TestClient& client) {
    const std::size_t before = client.received().size();
    client.send("who?\n");
    pumpUntil({&client}, [&] {
        return client.received().ends_with('\n') && client.received().size() > before;
    });
    return client.received().substr(before);
}

std::string ask(const nio::SocketAddress& address) {
    TestClient client(address);
    return ask(client);
}

TEST(ServerListeners, ListensAtSeveralAddresses) {
    const nio::kerneltest::TemporaryFolder folder;
    nio::Server server(ofThreads(1), namesItsDispatcher());
    server.listen("127.0.0.1:0", namesItsDispatcher());
    server.listen(nio::SocketAddress::unixPath(folder.file("socket")).orThrow(),
                  namesItsDispatcher());
    server.start();
    ASSERT_EQ(server.addresses().size(), 3u);
    EXPECT_EQ(server.addresses().front(), server.address());
    for (const nio::SocketAddress& address : server.addresses()) EXPECT_EQ(ask(address), "s-1\n");
    server.requestStop();
    server.wait();
    EXPECT_EQ(nio::kernel::inspectSocketFile(folder.file("socket")),
              nio::kernel::SocketFile::absent);
}

TEST(ServerListeners, EachMayHaveAProtocolOfItsOwn) {
    nio::Server server(ofThreads(1), namesItsDispatcher());
    server.listen("127.0.0.1:0", nio::pipeline(nio::lines(), [](auto& peer, std::string_view line) {
                      peer.send(line);
                  }));
    server.start();
    EXPECT_EQ(ask(server.addresses()[0]), "s-1\n");
    EXPECT_EQ(ask(server.addresses()[1]), "who?\n");
}

TEST(ServerListeners, ComeBeforeTheStart) {
    nio::Server server(ofThreads(1), namesItsDispatcher());
    server.start();
    EXPECT_THROW(server.listen("127.0.0.1:0", namesItsDispatcher()), std::logic_error);
}

TEST(ServerListeners, ServesAnInheritedListener) {
    const nio::kerneltest::TemporaryFolder folder;
    const nio::kerneltest::Listener listener(Family::ipv4, folder);
    nio::ServerOptions options = ofThreads(2);
    options.address = nio::kernel::duplicate(listener.fd()).orThrow();
    nio::Server server(std::move(options), namesItsDispatcher());
    EXPECT_EQ(server.address(), listener.address());
    server.start();
    EXPECT_EQ(ask(server.address()), "s-1\n");
}

TEST(ServerListeners, NamesTheAddressThatIsInUse) {
    const nio::Server first(ofThreads(1), namesItsDispatcher());
    nio::Server second(ofThreads(1), namesItsDispatcher());
    try {
        second.listen(first.address(), namesItsDispatcher());
        ADD_FAILURE() << "it listens";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::address_in_use);
        EXPECT_THAT(error.what(), testing::HasSubstr(first.address().toString()));
    }
}

TEST(ServerListeners, SeveralListenersShareTheMaximum) {
    nio::ServerOptions options = ofThreads(1);
    options.acceptor.maxConnections = 1;
    options.acceptor.backOff = std::chrono::hours(1);
    nio::Server server(std::move(options), namesItsDispatcher());
    server.listen("127.0.0.1:0", namesItsDispatcher());
    server.start();
    TestClient first(server.addresses()[0]);
    EXPECT_EQ(ask(first), "s-1\n");
    TestClient second(server.addresses()[1]);
    second.send("who?\n");
    second.pump();
    EXPECT_EQ(ask(first), "s-1\n") << "the second one waits";
    EXPECT_EQ(second.received(), "");
    first.close();
    EXPECT_TRUE(pumpUntil({&second}, [&] { return second.hasReceived("s-1\n"); }));
}

TEST(ServerListeners, AcceptsOnADispatcherOfItsOwn) {
    std::mutex mutex;
    std::set<std::size_t> started;
    nio::ServerOptions options = ofThreads(2);
    options.group.acceptorThread = true;
    options.group.threadStarted = [&](std::size_t index) {
        const std::lock_guard lock(mutex);
        started.insert(index);
    };
    nio::Server server(std::move(options), namesItsDispatcher());
    EXPECT_EQ(server.group().acceptor().name(), "s-acceptor");
    server.start();
    std::set<std::string> served;
    for (int i = 0; i < 4; ++i) served.insert(ask(server.address()));
    EXPECT_EQ(served, (std::set<std::string>{"s-1\n", "s-2\n"}));
    TestClient client(server.address());
    EXPECT_NE(ask(client), "");
    server.requestStop();
    client.finish();
    EXPECT_TRUE(pumpUntil({&client}, [&] { return client.hasEnded(); }));
    EXPECT_EQ(server.wait().aborted, 0u);
    EXPECT_EQ(started, (std::set<std::size_t>{0, 1, 2}));
}

TEST(ServerListeners, TheKernelDealsWithReusePort) {
    nio::ServerOptions options = ofThreads(3);
    options.group.dealing = std::make_unique<nio::ReusePort>();
    nio::Server server(std::move(options), namesItsDispatcher());
    server.start();
    EXPECT_EQ(server.addresses().size(), 1u);
    std::vector<std::unique_ptr<TestClient>> clients;
    std::set<std::string> served;
    // The kernel's hash decides: 100 connections on one of three is as good as impossible.
    while (clients.size() < 100) {
        clients.push_back(std::make_unique<TestClient>(server.address()));
        served.insert(ask(*clients.back()));
    }
    EXPECT_EQ(served.size(), 3u);
    EXPECT_EQ(server.group().connectionCount(), 100u);
    server.requestStop();
    for (auto& client : clients) {
        EXPECT_TRUE(pumpUntil({client.get()}, [&] { return client->hasEnded(); }));
    }
    EXPECT_EQ(server.wait().aborted, 0u);
}

TEST(ServerListeners, ReusePortIsForTcpOnly) {
    const nio::kerneltest::TemporaryFolder folder;
    for (const bool ownThread : {false, true}) {
        nio::ServerOptions options = ofThreads(2);
        options.group.dealing = std::make_unique<nio::ReusePort>();
        options.group.acceptorThread = ownThread;
        if (!ownThread) {
            options.address = nio::SocketAddress::unixPath(folder.file("socket")).orThrow();
        }
        try {
            const nio::Server server(std::move(options), namesItsDispatcher());
            ADD_FAILURE() << "it listens";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::invalid_argument);
            EXPECT_THAT(error.what(), testing::HasSubstr("ReusePort"));
        }
    }
}

TEST(ServerListeners, ThreadsComeWithTheConnections) {
    std::atomic<int> started{0};
    nio::ServerOptions options = ofThreads(3);
    options.group.thread.lazyStart = true;
    options.group.threadStarted = [&](std::size_t) { ++started; };
    nio::Server server(std::move(options), namesItsDispatcher());
    server.start();
    TestClient first(server.address());
    EXPECT_EQ(ask(first), "s-1\n");
    EXPECT_EQ(started, 1);
    TestClient second(server.address());
    EXPECT_EQ(ask(second), "s-2\n");
    EXPECT_EQ(started, 2);
    server.requestStop();
    first.finish();
    second.finish();
    EXPECT_EQ(server.wait().aborted, 0u);
}

TEST(ServerListeners, IdleThreadsEndAndComeAgain) {
    std::atomic<int> started{0};
    nio::ServerOptions options = ofThreads(2);
    options.group.thread.idleStop = std::chrono::milliseconds(0);
    options.group.thread.lazyStart = true;
    options.group.threadStarted = [&](std::size_t index) { started += index == 1 ? 1 : 0; };
    nio::Server server(std::move(options), namesItsDispatcher());
    server.start();
    EXPECT_EQ(started, 0);
    for (int round = 1; round <= 3; ++round) {
        EXPECT_EQ(ask(server.address()), "s-1\n");
        {
            TestClient client(server.address());
            EXPECT_EQ(ask(client), "s-2\n");
            EXPECT_GE(started, 1);
        }
    }
    server.requestStop();
    server.wait();
}

}  // namespace
