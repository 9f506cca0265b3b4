#include <nio/handlers/SignalHandler.h>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <nio/dispatch/SelectorThread.h>

#include "support/TestSockets.h"

namespace {

constexpr std::chrono::milliseconds moment{0};

// A connection that does not let itself be hurried.
class Patient final : public nio::ReadWriteSelectorHandler {
  public:
    explicit Patient(nio::SocketChannel channel) : channel_(std::move(channel)) {}
    nio::SelectableChannel& channel() override { return channel_; }
    void handleRead() override NIO_REQUIRES(nio::onDispatcher) { channel_.close(); }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) {}
    void handleDrain(const nio::DrainOptions&) override NIO_REQUIRES(nio::onDispatcher) {
        dispatcher().addChannelInterestNow(channel_, nio::Interest::read);
    }

  private:
    nio::SocketChannel channel_;
};

// The signals of this test are blocked in this thread, and given back as they were.
class SignalHandlerTest : public ::testing::Test {
  protected:
    SignalHandlerTest() {
        ::pthread_sigmask(SIG_SETMASK, nullptr, &before_);
        nio::SignalHandler::block({SIGUSR1, SIGUSR2}).orThrow();
        auto handler = nio::SignalHandler::open({SIGUSR1, SIGUSR2}, [this](int signal) {
                           seen.push_back(signal);
                           if (throws) throw std::runtime_error("no");
                       }).orThrow();
        EXPECT_TRUE(thread.registerChannelLater(std::move(handler), nio::Interest::read));
        thread.turn(moment);
    }
    ~SignalHandlerTest() override {
        timespec zero{};
        sigset_t ours;
        ::sigemptyset(&ours);
        ::sigaddset(&ours, SIGUSR1);
        ::sigaddset(&ours, SIGUSR2);
        while (::sigtimedwait(&ours, nullptr, &zero) > 0) {
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

    static nio::SelectorThreadOptions options() {
        nio::SelectorThreadOptions options;
        options.onFailure = [](const nio::Failure&) {};
        return options;
    }

    std::vector<int> seen;
    bool throws = false;
    nio::SelectorThread thread{options()};

  private:
    sigset_t before_{};
};

TEST_F(SignalHandlerTest, ASignalIsAnEventOfTheNextTurn) {
    ::pthread_kill(::pthread_self(), SIGUSR1);
    EXPECT_TRUE(seen.empty());
    thread.turn(moment);
    EXPECT_EQ(seen, std::vector<int>{SIGUSR1});
    thread.turn(moment);
    EXPECT_EQ(seen.size(), 1U);
}

TEST_F(SignalHandlerTest, SeveralPendingSignalsAreAllTold) {
    ::pthread_kill(::pthread_self(), SIGUSR1);
    ::pthread_kill(::pthread_self(), SIGUSR2);
    thread.turn(moment);
    EXPECT_EQ(seen, (std::vector<int>{SIGUSR1, SIGUSR2}));
    ::pthread_kill(::pthread_self(), SIGUSR1);
    thread.turn(moment);
    EXPECT_EQ(seen.size(), 3U);
}

TEST_F(SignalHandlerTest, ItIsNoConnectionAndEndsWithTheDrain) {
    EXPECT_EQ(thread.connectionCount(), 0U);
    thread.requestClose();
    EXPECT_FALSE(thread.turn(moment));
    EXPECT_EQ(thread.drainReport().drained, 0U);
}

TEST_F(SignalHandlerTest, IsHeardWhileADrainWaitsForOthersAndEndsWhenTheyHaveGone) {
    support::Link link = support::makeLink();
    auto patient = std::make_unique<Patient>(std::move(link.channel));
    ASSERT_TRUE(thread.registerChannelLater(std::move(patient), nio::Interest::none));
    thread.requestClose();
    ASSERT_TRUE(thread.turn(moment));
    ::pthread_kill(::pthread_self(), SIGUSR1);
    ASSERT_TRUE(thread.turn(moment));
    EXPECT_EQ(seen, std::vector<int>{SIGUSR1});
    link.peer.close();
    ASSERT_TRUE(thread.turn(moment));
    EXPECT_FALSE(thread.turn(moment));
}

TEST_F(SignalHandlerTest, AnExceptionDoesNotMakeItDeafToTheNextSignal) {
    throws = true;
    ::pthread_kill(::pthread_self(), SIGUSR1);
    thread.turn(moment);
    throws = false;
    ::pthread_kill(::pthread_self(), SIGUSR2);
    thread.turn(moment);
    EXPECT_EQ(seen, (std::vector<int>{SIGUSR1, SIGUSR2}));
}

}  // namespace
