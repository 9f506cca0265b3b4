// What a connection costs from accept to close, in allocations, system calls and wake-ups.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "steady/Counting.h"
#include "steady/Echo.h"

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/ConnectionDealer.h>

namespace {

using steady::Counting;

constexpr auto atOnce = std::chrono::nanoseconds::zero();

nio::HandlerFactory rawEchoes() {
    return [options =
                std::make_shared<const nio::StreamOptions>()](nio::AcceptedConnection connection) {
        auto handler = std::make_unique<steady::RawEcho>(std::move(connection.channel), options);
        handler->keep(std::move(connection.permit));
        return handler;
    };
}

nio::SocketAddress listen(nio::SelectorThreadGroup& group, const nio::SocketAddress& address,
                          const nio::HandlerFactory& factory) {
    auto dealer = std::make_unique<nio::ConnectionDealer>(group, factory);
    auto acceptor = nio::Acceptor::open(address, std::move(dealer)).orThrow();
    const nio::SocketAddress local = acceptor->address();
    if (!group[0].registerChannelLater(std::move(acceptor), nio::Interest::accept)) {
        throw std::runtime_error("the acceptor was refused");
    }
    return local;
}

nio::UniqueFd connectTo(const nio::SocketAddress& address) {
    nio::UniqueFd fd = nio::kernel::openStreamSocket(address.family()).orThrow();
    const nio::IoResult connected = nio::kernel::connect(fd.get(), address);
    if (connected.isFailed()) throw std::runtime_error(connected.error("connect").message());
    return fd;
}

// A server on one dispatcher that the test turns.
struct Server {
    Server() {
        address = listen(group, nio::SocketAddress::loopback4(0), rawEchoes());
        turn();
    }
    nio::SelectorThreadGroupOptions options() {
        nio::SelectorThreadGroupOptions one;
        one.threads = 1;
        return one;
    }
    void turn() { group[0].turn(atOnce); }
    void turnUntil(std::size_t connections) {
        const nio::TimePoint end = nio::Clock::now() + std::chrono::seconds(20);
        while (group.connectionCount() != connections && nio::Clock::now() < end) turn();
        if (group.connectionCount() != connections) throw std::runtime_error("it took too long");
    }
    void connectAndClose(std::size_t together) {
        for (std::size_t i = 0; i < together; ++i) clients[i] = connectTo(address);
        turnUntil(together);
        for (std::size_t i = 0; i < together; ++i) clients[i].reset();
        turnUntil(0);
    }

    nio::SelectorThreadGroup group{options()};
    nio::SocketAddress address;
    std::array<nio::UniqueFd, 64> clients;
};

TEST(SteadyAccept, AConnectionIsTwoAllocationsItsHandlerAndItsKey) {
    Server server;
    for (int i = 0; i < 20; ++i) server.connectAndClose(16);
    Counting counting;
    for (int i = 0; i < 10; ++i) server.connectAndClose(16);
    counting.stop();
    EXPECT_EQ(counting.allocations(), 2 * 160U);
}

TEST(SteadyAccept, AConnectionIsAddedAndRemovedOnce) {
    Server server;
    server.connectAndClose(16);
    Counting counting;
    for (int i = 0; i < 10; ++i) server.connectAndClose(16);
    counting.stop();
    EXPECT_EQ(counting.epollChanges(), 2 * 160U);
    EXPECT_EQ(counting.shutdowns(), 0U);
    EXPECT_EQ(counting.closes(), 2 * 160U);  // with the test's own ends
    EXPECT_EQ(counting.wakeUps(), 0U);
}

TEST(SteadyAccept, SequentialConnectionsRarelySeeEagain) {
    Server server;
    for (int i = 0; i < 16; ++i) server.connectAndClose(1);
    Counting counting;
    for (int i = 0; i < 160; ++i) server.connectAndClose(1);
    counting.stop();
    EXPECT_LE(counting.accepts(), 160U + 160U / 8 + 1);
}

TEST(SteadyAccept, ConnectionsThatWaitTogetherCostOneLookInVain) {
    Server server;
    server.connectAndClose(64);
    Counting counting;
    server.connectAndClose(64);
    counting.stop();
    EXPECT_EQ(counting.accepts(), 65U);
}

// Both listeners' backlogs are full before the first dispatcher runs: the storm needs no luck. The
// peers have gone again by then, which is all the same to a listener.
TEST(SteadyAccept, AStormWakesEachDispatcherAFewTimes) {
    constexpr std::size_t storm = 5000;
    const std::string path = ::testing::TempDir() + "nio-storm-" + std::to_string(::getpid()) + ".";
    nio::SelectorThreadGroupOptions options;
    options.threads = 4;
    nio::SelectorThreadGroup group(std::move(options));
    std::array<std::atomic<std::size_t>, 4> ended{};
    std::array<std::size_t, 4> dealt{};
    struct Ended final : nio::StreamHandler {
        using StreamHandler::StreamHandler;
        void bytesArrived(nio::ByteView) override {}
        void connectionClosed(const std::optional<nio::Error>&) override {
            for (std::size_t i = 0; i < group->size(); ++i) {
                if ((*group)[i].isCurrent()) ++(*counts)[i];
            }
        }
        nio::SelectorThreadGroup* group = nullptr;
        std::array<std::atomic<std::size_t>, 4>* counts = nullptr;
    };
    const auto stream = std::make_shared<const nio::StreamOptions>();
    const nio::HandlerFactory factory = [&](nio::AcceptedConnection connection) {
        auto handler = std::make_unique<Ended>(std::move(connection.channel), stream);
        handler->keep(std::move(connection.permit));
        handler->group = &group;
        handler->counts = &ended;
        return handler;
    };
    for (const char* end : {"1", "2"}) {
        const auto address = nio::SocketAddress::parse("unix:" + path + end).orThrow();
        listen(group, address, factory);
        for (std::size_t i = 0; i < storm / 2; ++i) connectTo(address);
    }
    Counting counting;
    group.start();
    const auto sum = [&] { return ended[0] + ended[1] + ended[2] + ended[3]; };
    const nio::TimePoint giveUp = nio::Clock::now() + std::chrono::seconds(30);
    while (sum() < storm && nio::Clock::now() < giveUp) {
        (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(1)).orThrow();
    }
    counting.stop();
    for (std::size_t i = 0; i < 4; ++i) dealt[i] = ended[i];
    EXPECT_EQ(dealt, (std::array<std::size_t, 4>{1250, 1250, 1250, 1250}));
    // Two listeners, 2,500 connections each, 256 in a batch.
    EXPECT_LE(counting.mostWakeUps(), 2 * 10 + 5U);
}

}  // namespace
