#include <nio/net/ConnectionDealer.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>

#include "support/LogCapture.h"
#include "support/TestServer.h"

namespace {

using support::LogCapture;
using support::TestClient;

// A group that the test turns, and an Acceptor that deals into it.
struct Dealing {
    Dealing(std::size_t threads, nio::HandlerFactory factory, std::size_t maxQueuedTasks = 1000,
            std::unique_ptr<nio::DealingRule> rule = std::make_unique<nio::RoundRobin>(),
            nio::SelectorKind kind = nio::SelectorKind::automatic)
        : group(groupOptions(threads, maxQueuedTasks, std::move(rule), kind)) {
        auto dealer = std::make_unique<nio::ConnectionDealer>(group, std::move(factory));
        auto acceptor =
            nio::Acceptor::open(nio::SocketAddress::loopback4(0), std::move(dealer)).orThrow();
        address = acceptor->address();
        gate = acceptor.get();
        EXPECT_TRUE(group[0].registerChannelLater(std::move(acceptor), nio::Interest::accept));
        turn();
    }

    nio::SelectorThreadGroupOptions groupOptions(std::size_t threads, std::size_t maxQueuedTasks,
                                                 std::unique_ptr<nio::DealingRule> rule,
                                                 nio::SelectorKind kind) {
        nio::SelectorThreadGroupOptions options;
        options.threads = threads;
        options.dealing = std::move(rule);
        options.thread.maxQueuedTasks = maxQueuedTasks;
        options.thread.selector.kind = kind;
        options.thread.onFailure = [this](const nio::Failure&) { ++failures; };
        return options;
    }
    void turn() {
        for (std::size_t i = 0; i < group.size(); ++i) group[i].turn(std::chrono::nanoseconds(0));
    }
    bool until(const std::function<bool()>& done) {
        const nio::TimePoint end = nio::Clock::now() + std::chrono::seconds(20);
        while (!done()) {
            if (nio::Clock::now() > end) return false;
            turn();
        }
        return true;
    }
    static bool ended(TestClient& client) {
        client.pump();
        return client.hasEnded();
    }

    int failures = 0;
    nio::SelectorThreadGroup group;
    nio::SocketAddress address;
    nio::Acceptor* gate = nullptr;
};

struct Plain final : nio::ReadWriteSelectorHandler {
    explicit Plain(nio::AcceptedConnection accepted) : connection(std::move(accepted)) {}
    nio::SelectableChannel& channel() override { return connection.channel; }
    void handleRead() override {}
    void handleWrite() override {}
    nio::AcceptedConnection connection;
};

TEST(ConnectionDealer, DealsOneToEachInTurn) {
    Dealing dealing(3, [](nio::AcceptedConnection accepted) {
        return std::make_unique<Plain>(std::move(accepted));
    });
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    ASSERT_TRUE(dealing.until([&] { return dealing.group.connectionCount() == 12; }));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dealing.group[i].connectionCount(), 4U) << i;
    EXPECT_EQ(dealing.gate->openConnections(), 12U);
}

std::unique_ptr<nio::ReadWriteSelectorHandler> plain(nio::AcceptedConnection accepted) {
    return std::make_unique<Plain>(std::move(accepted));
}

// Descriptors that select(2) cannot watch, for whatever is opened next.
class NoneBelowFdSetSize {
  public:
    NoneBelowFdSetSize() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit more = before_;
        more.rlim_cur = std::min<rlim_t>(before_.rlim_max, 4096);
        isPossible = more.rlim_cur == 4096 && ::setrlimit(RLIMIT_NOFILE, &more) == 0;
        while (isPossible && (taken_.empty() || taken_.back().get() < 1023)) {
            taken_.push_back(nio::kernel::openReserve().orThrow());
        }
    }
    ~NoneBelowFdSetSize() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    bool isPossible = false;

  private:
    rlimit before_{};
    std::vector<nio::UniqueFd> taken_;
};

TEST(ConnectionDealer, LogsRefusedRegistrationsSparingly) {
    LogCapture log;
    for (const std::size_t threads : {1U, 2U}) {
        Dealing dealing(threads, plain, 1000, std::make_unique<nio::RoundRobin>(),
                        nio::SelectorKind::select);
        const NoneBelowFdSetSize none;
        if (!none.isPossible) GTEST_SKIP() << "the limit of descriptors is too low";
        std::vector<std::unique_ptr<TestClient>> clients;
        for (int i = 0; i < 40; ++i) {
            clients.push_back(std::make_unique<TestClient>(dealing.address));
        }
        for (const auto& client : clients) {
            EXPECT_TRUE(dealing.until([&] { return Dealing::ended(*client); }));
        }
    }
    EXPECT_LT(log.lines().size(), 40U) << "of 80";
}

TEST(ConnectionDealer, RegistersItsOwnAtOnceAndPostsOneTaskToEachOther) {
    Dealing dealing(3, plain);
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    dealing.group[0].turn(std::chrono::nanoseconds(0));
    EXPECT_EQ(dealing.group[0].queue()->size(), 0U);
    EXPECT_EQ(dealing.group[1].queue()->size(), 1U);
    EXPECT_EQ(dealing.group[2].queue()->size(), 1U);
    // All are counted where they go, also those on their way.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dealing.group[i].connectionCount(), 4U) << i;
    dealing.turn();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dealing.group[i].connectionCount(), 4U) << i;
}

TEST(ConnectionDealer, FewestConnectionsCountsThoseOfTheSameBatch) {
    Dealing dealing(3, plain, 1000, std::make_unique<nio::FewestConnections>());
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    dealing.group[0].turn(std::chrono::nanoseconds(0));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dealing.group[i].connectionCount(), 4U) << i;
}

TEST(ConnectionDealer, WhatWasDealtBeforeAnExceptionIsPostedInTheSameTurn) {
    int made = 0;
    Dealing dealing(
        2, [&](nio::AcceptedConnection accepted) -> std::unique_ptr<nio::ReadWriteSelectorHandler> {
            if (++made == 3) throw std::runtime_error("no");
            return plain(std::move(accepted));
        });
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    dealing.group[0].turn(std::chrono::nanoseconds(0));
    EXPECT_EQ(made, 3);
    EXPECT_EQ(dealing.group[1].queue()->size(), 1U);
    ASSERT_TRUE(dealing.until([&] { return dealing.group.connectionCount() == 3; }));
    EXPECT_EQ(dealing.failures, 1);
}

TEST(ConnectionDealer, AFullDispatcherLosesItsShareOfABatchAndNobodyElse) {
    LogCapture log;
    Dealing dealing(3, plain, 1);
    ASSERT_TRUE(dealing.group[1].invokeLater([] {}));
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    dealing.group[0].turn(std::chrono::nanoseconds(0));
    EXPECT_EQ(dealing.group[0].connectionCount(), 4U);
    EXPECT_EQ(dealing.group[1].connectionCount(), 0U);
    EXPECT_EQ(dealing.group[2].connectionCount(), 4U);
    EXPECT_EQ(dealing.gate->openConnections(), 8U);
    EXPECT_EQ(log.count("accepts no more tasks: new connections were closed"), 1U);
}

TEST(ConnectionDealer, WhatIsAcceptedInADrainReachesItsDispatcher) {
    std::size_t drained = 0;
    struct Told final : nio::ReadWriteSelectorHandler {
        Told(nio::AcceptedConnection accepted, std::size_t& drains)
            : connection(std::move(accepted)), count(drains) {}
        nio::SelectableChannel& channel() override { return connection.channel; }
        void handleRead() override {}
        void handleWrite() override {}
        void handleDrain(const nio::DrainOptions&) override {
            ++count;
            connection.channel.close();
        }
        nio::AcceptedConnection connection;
        std::size_t& count;
    };
    Dealing dealing(3, [&](nio::AcceptedConnection accepted) {
        return std::make_unique<Told>(std::move(accepted), drained);
    });
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 12; ++i) clients.push_back(std::make_unique<TestClient>(dealing.address));
    dealing.group.requestClose();
    ASSERT_TRUE(dealing.until([&] {
        return dealing.group[0].isStopped() && dealing.group[1].isStopped() &&
               dealing.group[2].isStopped();
    }));
    EXPECT_EQ(drained, 12U);
    EXPECT_EQ(dealing.group.drainReport().drained, 12U);
}

TEST(ConnectionDealer, AFactoryThatGivesNothingClosesTheConnection) {
    Dealing dealing(2, [](nio::AcceptedConnection) { return nullptr; });
    TestClient client(dealing.address);
    EXPECT_TRUE(dealing.until([&] { return Dealing::ended(client); }));
    EXPECT_EQ(dealing.gate->openConnections(), 0U);
    EXPECT_EQ(dealing.group.connectionCount(), 0U);
}

TEST(ConnectionDealer, AFactoryThatThrowsClosesThatConnectionOnly) {
    int made = 0;
    Dealing dealing(
        2, [&](nio::AcceptedConnection accepted) -> std::unique_ptr<nio::ReadWriteSelectorHandler> {
            if (++made == 1) throw std::runtime_error("no");
            return std::make_unique<Plain>(std::move(accepted));
        });
    TestClient first(dealing.address);
    TestClient second(dealing.address);
    ASSERT_TRUE(dealing.until([&] { return Dealing::ended(first) && made == 2; }));
    EXPECT_EQ(dealing.failures, 1);
    dealing.turn();
    EXPECT_FALSE(Dealing::ended(second));
    EXPECT_EQ(dealing.gate->openConnections(), 1U);
}

TEST(ConnectionDealer, AConnectionRefusedByAFullDispatcherIsClosed) {
    LogCapture log;
    Dealing dealing(
        2,
        [](nio::AcceptedConnection accepted) {
            return std::make_unique<Plain>(std::move(accepted));
        },
        1);
    ASSERT_TRUE(dealing.group[1].invokeLater([] {}));  // its queue is full now
    TestClient first(dealing.address);
    TestClient second(dealing.address);
    ASSERT_TRUE(dealing.until([&] {
        dealing.group[0].turn(std::chrono::nanoseconds(0));
        return Dealing::ended(first) || Dealing::ended(second);
    }));
    EXPECT_EQ(log.count("accepts no more tasks: new connections were closed"), 1U);
    EXPECT_EQ(dealing.gate->openConnections(), 1U);
}

TEST(ConnectionDealer, SkipsAStoppedDispatcher) {
    Dealing dealing(2, [](nio::AcceptedConnection accepted) {
        return std::make_unique<Plain>(std::move(accepted));
    });
    dealing.group[1].requestClose();
    while (dealing.group[1].turn(std::chrono::milliseconds(1))) {
    }
    TestClient first(dealing.address);
    TestClient second(dealing.address);
    ASSERT_TRUE(dealing.until([&] { return dealing.group[0].connectionCount() == 2; }));
    EXPECT_FALSE(Dealing::ended(first) || Dealing::ended(second));
}

}  // namespace
