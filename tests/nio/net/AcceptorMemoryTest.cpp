// An Acceptor in a program that is out of memory.
#include <nio/net/Acceptor.h>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <list>
#include <new>

#include "support/FailingMemory.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"

namespace {

using namespace std::chrono_literals;
using support::FailingMemory;
using support::TestClient;
using support::TestDispatcher;

// What it writes down itself never fails.
class KeepingListener final : public nio::AcceptorListener {
  public:
    KeepingListener() { kept.reserve(100); }
    void socketConnected(nio::Acceptor&, nio::AcceptedConnection connection) override {
        kept.push_back(std::move(connection));
    }
    void batchEnded(nio::Acceptor&) override { ++batches; }
    void socketError(nio::Acceptor&, const nio::Error&) override { throw std::bad_alloc(); }

    std::vector<nio::AcceptedConnection> kept;
    int batches = 0;
};

class AcceptorMemoryTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    }
    std::unique_ptr<nio::Acceptor> open(std::chrono::milliseconds backOff) {
        nio::AcceptorOptions options;
        options.maxConnections = 1;
        options.backOff = backOff;
        auto owned = std::make_unique<KeepingListener>();
        keeper = owned.get();
        auto made = nio::Acceptor::open(nio::SocketAddress::loopback4(0), std::move(owned), options)
                        .orThrow();
        address = made->address();
        return made;
    }
    // One is let in, the other has to wait.
    void connectTwoWithoutMemory(std::chrono::milliseconds backOff) {
        dispatcher.add(open(backOff), nio::Interest::accept);
        clients.emplace_back(address);
        clients.emplace_back(address);
        const FailingMemory none = FailingMemory::from(0);
        dispatcher.turns(20);
    }
    bool turnUntilOneIsKept() {
        return dispatcher.turnUntil([&] { return keeper->kept.size() == 1; });
    }

    KeepingListener* keeper = nullptr;
    nio::SocketAddress address;
    std::list<TestClient> clients;
    TestDispatcher dispatcher;
};

TEST_F(AcceptorMemoryTest, AtItsMaximumItPausesUntilAPlaceIsGivenBack) {
    connectTwoWithoutMemory(1h);
    ASSERT_EQ(keeper->kept.size(), 1U);
    EXPECT_EQ(keeper->batches, 1);
    keeper->kept.clear();
    EXPECT_TRUE(turnUntilOneIsKept());
}

TEST_F(AcceptorMemoryTest, AtItsMaximumItLooksAgainThoughNobodyCouldTellIt) {
    connectTwoWithoutMemory(1ms);
    ASSERT_EQ(keeper->kept.size(), 1U);
    {
        const FailingMemory none = FailingMemory::from(0);
        keeper->kept.clear();
        EXPECT_TRUE(none.hasFailed());
    }
    EXPECT_TRUE(turnUntilOneIsKept());
}

TEST_F(AcceptorMemoryTest, APersistentErrorDoesNotSpinIfTheListenerThrows) {
    nio::Acceptor& acceptor = dispatcher.add(open(1h), nio::Interest::accept);
    ASSERT_EQ(::shutdown(acceptor.channel().fd(), SHUT_RDWR), 0);
    const int before = keeper->batches;
    dispatcher.turns(20);
    EXPECT_EQ(keeper->batches - before, 1);
    EXPECT_EQ(dispatcher.failures.size(), 1U);
}

TEST_F(AcceptorMemoryTest, WhicheverAllocationFailsItIsRefusedOrAccepts) {
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        bool registered = false;
        auto acceptor = open(1h);
        dispatcher.inTurn([&] {
            const FailingMemory noMemory = FailingMemory::nth(n);
            registered =
                dispatcher->registerChannelNow(std::move(acceptor), nio::Interest::accept).ok();
            failed = noMemory.hasFailed();
        });
        if (!registered) continue;
        clients.emplace_back(address);
        ASSERT_TRUE(turnUntilOneIsKept()) << n;
        clients.emplace_back(address);
        dispatcher.turns(3);
        keeper->kept.clear();
        ASSERT_TRUE(turnUntilOneIsKept()) << n;
    }
}

}  // namespace
