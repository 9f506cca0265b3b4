#include <nio/net/SignalHandler.h>

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include <nio/loop/SelectorThread.h>

#include "support/ForkedProcess.h"
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

// The mask of this thread is given back as it was.
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
    ~SignalHandlerTest() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

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

TEST_F(SignalHandlerTest, EachHandlerOfASignalIsTold) {
    int other = 0;
    auto handler = nio::SignalHandler::open({SIGUSR1}, [&](int) { ++other; }).orThrow();
    ASSERT_TRUE(thread.registerChannelLater(std::move(handler), nio::Interest::read));
    thread.turn(moment);
    ::pthread_kill(::pthread_self(), SIGUSR1);
    thread.turn(moment);
    EXPECT_EQ(seen, std::vector<int>{SIGUSR1});
    EXPECT_EQ(other, 1);
}

TEST_F(SignalHandlerTest, AProgramThatIsStartedGetsItsSignals) {
    std::string said(100, ' ');
    FILE* shell = ::popen("kill -USR1 $$; echo deaf", "r");
    ASSERT_NE(shell, nullptr);
    EXPECT_EQ(std::fgets(said.data(), 100, shell), nullptr);
    EXPECT_EQ(WTERMSIG(::pclose(shell)), SIGUSR1);

    pid_t child = 0;
    std::string sleep = "sleep";
    std::string seconds = "100";
    char* arguments[] = {sleep.data(), seconds.data(), nullptr};
    ASSERT_EQ(::posix_spawnp(&child, "sleep", nullptr, nullptr, arguments, environ), 0);
    ::kill(child, SIGUSR2);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGUSR2);
    thread.turn(moment);
    EXPECT_TRUE(seen.empty());
}

TEST_F(SignalHandlerTest, AForkedProcessKeepsItsSignalsToItself) {
    support::ForkedProcess copy([] {
        for (;;) ::pause();
        return 0;
    });
    copy.signal(SIGUSR1);
    EXPECT_EQ(copy.wait(), -SIGUSR1);
    thread.turn(moment);
    EXPECT_TRUE(seen.empty());
}

TEST_F(SignalHandlerTest, AForkedProcessCanHearThemItself) {
    support::ForkedProcess copy([] {
        nio::SelectorThread own;
        bool heard = false;
        auto handler = nio::SignalHandler::open({SIGUSR1}, [&](int) { heard = true; }).orThrow();
        if (!own.registerChannelLater(std::move(handler), nio::Interest::read)) return 1;
        ::raise(SIGUSR1);
        own.turn(moment);
        own.turn(moment);
        return heard ? 0 : 2;
    });
    EXPECT_EQ(copy.wait(), 0);
    thread.turn(moment);
    EXPECT_TRUE(seen.empty());
}

TEST_F(SignalHandlerTest, ItIsNoConnectionAndEndsWithTheDrain) {
    EXPECT_EQ(thread.connectionCount(), 0U);
    thread.requestClose();
    EXPECT_FALSE(thread.turn(moment));
    EXPECT_EQ(thread.draining().report().drained, 0U);
}

TEST_F(SignalHandlerTest, IsActiveDuringADrainUntilOthersHaveGone) {
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
