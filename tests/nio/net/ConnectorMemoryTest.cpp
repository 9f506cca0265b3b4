// A Connector in a program that is out of memory for a moment, whichever moment that is.
#include <nio/net/Connector.h>

#include <gtest/gtest.h>

#include <thread>

#include "support/BareListener.h"
#include "support/FailingMemory.h"
#include "support/TurnUntil.h"

namespace nio {
namespace {

using support::FailingMemory;

struct Outcome final : ConnectorListener {
    void connectionEstablished(Connector&, SocketChannel) override { ++called; }
    void connectionFailed(Connector&, const Error&) override { ++called; }
    int called = 0;
};

class ConnectorMemoryTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
        kernel::bind(listener_.get(), SocketAddress::loopback4(0)).orThrow();
        kernel::listen(listener_.get(), 16).orThrow();
        address_ = kernel::localAddress(listener_.get()).orThrow();
    }
    UniqueFd listener_ = kernel::openStreamSocket(SocketAddress::Family::ipv4).orThrow();
    SocketAddress address_{};
    SelectorThread thread_;
};

TEST_F(ConnectorMemoryTest, CallsBackOrThrowsAtItsCallerAndHasNotBegun) {
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        Outcome outcome;
        Connector connector(thread_, outcome);
        bool begun = false;
        auto connect = [&] {
            onDispatcher.assertCurrent();
            connector.connectNow(address_);
            begun = true;
        };
        ASSERT_TRUE(thread_.invokeLater(connect));
        {
            const FailingMemory noMemory = FailingMemory::nth(n);
            thread_.turn(std::chrono::nanoseconds::zero());
            failed = noMemory.hasFailed();
        }
        ASSERT_TRUE(begun || !connector.isConnecting()) << n;
        const auto called = [&] { return outcome.called == 1; };
        ASSERT_TRUE(!begun || support::turnUntil(thread_, called)) << n;
    }
}

TEST_F(ConnectorMemoryTest, ATimeOutIsToldWhicheverAllocationFails) {
    const support::FullListener full;
    bool failed = true;
    for (std::size_t n = 0; failed;) {
        Outcome outcome;
        Connector connector(thread_, outcome, {.timeout = std::chrono::milliseconds(5)});
        ASSERT_TRUE(thread_.invokeLater([&] {
            onDispatcher.assertCurrent();
            connector.connectNow(full.address);
        }));
        thread_.turn(std::chrono::nanoseconds::zero());
        if (!connector.isConnecting()) continue;  // its time was over already
        const TimePoint over = Clock::now() + std::chrono::milliseconds(5);
        while (Clock::now() < over) std::this_thread::yield();
        {
            const FailingMemory noMemory = FailingMemory::nth(n);
            thread_.turn(std::chrono::nanoseconds::zero());
            failed = noMemory.hasFailed();
        }
        EXPECT_EQ(outcome.called, 1) << n;
        ++n;
        ASSERT_TRUE(thread_.invokeLater([&] {
            onDispatcher.assertCurrent();
            connector.cancelNow();
        }));
        thread_.turn(std::chrono::nanoseconds::zero());
    }
}

}  // namespace
}  // namespace nio
