// A whole server's life: its start, its signals, its end, and what keeps it from each of them.
#include <nio/net/Server.h>

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/Callbacks.h"
#include "support/FaultySelector.h"
#include "support/LogCapture.h"
#include "support/TestClient.h"

#include <nio/channel/ReadinessIo.h>
#include <nio/codec/LineDecoder.h>

namespace {

using support::TestClient;

nio::HandlerFactory lines(const support::Callbacks& callbacks = {}) {
    return nio::pipeline(nio::lines(), callbacks);
}

nio::ServerOptions twoThreads() {
    nio::ServerOptions options;
    options.group.threads = 2;
    return options;
}

// Two dispatchers, of which some have waits that always fail.
nio::ServerOptions brokenServer(const support::FaultySelector::Faults& faults,
                                std::vector<bool> broken) {
    nio::ServerOptions options = twoThreads();
    options.group.thread.maxLoopFailures = 2;
    options.group.thread.openSelector = [&faults, broken, next = std::make_shared<std::size_t>(0)] {
        return broken[(*next)++] ? support::FaultySelector::options(faults).openSelector()
                                 : nio::Selector::open({});
    };
    return options;
}

class ServerWithABrokenDispatcher : public testing::TestWithParam<std::vector<bool>> {};

TEST_P(ServerWithABrokenDispatcher, EndsAsAWholeAndSaysWhy) {
    const support::LogCapture log;
    const support::FaultySelector::Faults faults{.wait = true};
    std::atomic<long> told{0};
    nio::ServerOptions options = brokenServer(faults, GetParam());
    options.group.thread.onGivingUp = [&](const nio::Error&) {
        ++told;
        throw std::runtime_error("not allowed, and does no harm");
    };
    nio::Server server(std::move(options), lines());
    server.start();
    try {
        server.wait();
        ADD_FAILURE() << "it did not say why it has ended";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), nio::Errc::loopFailed);
        EXPECT_NE(std::string(error.what()).find(": its event loop failed"), std::string::npos);
    }
    EXPECT_EQ(told, std::count(GetParam().begin(), GetParam().end(), true));
}

INSTANTIATE_TEST_SUITE_P(TheFirstTheSecondOrBoth, ServerWithABrokenDispatcher,
                         testing::Values(std::vector{true, false}, std::vector{false, true},
                                         std::vector{true, true}));

std::error_code ofWait(nio::Server& server) {
    try {
        server.wait();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

TEST(Server, EndsWithItsDispatcherWithoutAnyListener) {
    const support::LogCapture log;
    const support::FaultySelector::Faults faults{.wait = true};
    nio::Server server(brokenServer(faults, {true, false}), lines());
    server.start();
    EXPECT_EQ(ofWait(server), nio::Errc::loopFailed);
}

TEST(Server, EndsAsAWholeWhereACallbackEndsAThread) {
    const support::LogCapture log;
    nio::Server server(twoThreads(), lines());
    server.start();
    ASSERT_TRUE(server.group()[1].invokeLater([] { ::pthread_exit(nullptr); }));
    EXPECT_EQ(ofWait(server), nio::Errc::threadEnded);
}

// The mask is given back as it was.
class SignalMask {
  public:
    SignalMask() { ::pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
    ~SignalMask() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalMask(const SignalMask&) = delete;
    SignalMask& operator=(const SignalMask&) = delete;

  private:
    sigset_t before_{};
};

TEST(Server, ASignalDrainsAndASecondOneAborts) {
    const SignalMask mask;
    std::thread::id servedBy;
    support::Callbacks callbacks;
    callbacks.onPacket = [&](const support::Callbacks::Peer& peer, std::string_view) {
        nio::onDispatcher.assertCurrent();
        servedBy = std::this_thread::get_id();
        peer->pauseReading();  // it is not quiet: a drain waits for it
        ::pthread_kill(::pthread_self(), SIGTERM);
        ::pthread_kill(::pthread_self(), SIGINT);
    };
    nio::ServerOptions options;
    options.group.threads = 1;
    options.drain.deadline = std::chrono::hours(1);
    nio::Server server(std::move(options), lines(callbacks));
    TestClient client(server.address());
    client.send("one\n");
    while (client.unsentBytes() > 0) client.pump();
    bool said = false;
    const nio::DrainReport report = server.run([&] { said = true; });
    EXPECT_TRUE(said);
    EXPECT_EQ(servedBy, std::this_thread::get_id());
    EXPECT_EQ(report.aborted, 1u);
    EXPECT_EQ(report.drained, 0u);
}

TEST(Server, RunsSeveralDispatchersUntilASignal) {
    const SignalMask mask;
    std::atomic<std::thread::id> servedBy;
    support::Callbacks callbacks;
    callbacks.onPacket = [&](const support::Callbacks::Peer& peer, std::string_view) {
        nio::onDispatcher.assertCurrent();
        servedBy.store(std::this_thread::get_id());
        peer->pauseReading();  // it is not quiet: a drain waits for it
        ::kill(::getpid(), SIGTERM);
    };
    nio::ServerOptions options = twoThreads();
    options.drain.deadline = std::chrono::milliseconds::zero();
    nio::Server server(std::move(options), lines(callbacks));
    TestClient client(server.address());
    client.send("one\n");
    while (client.unsentBytes() > 0) client.pump();
    EXPECT_EQ(server.run().aborted, 1u);
    EXPECT_NE(servedBy.load(), std::thread::id());
    EXPECT_NE(servedBy.load(), std::this_thread::get_id());
}

TEST(Server, OneSignalEndsAllServersOfTheProcess) {
    const SignalMask mask;
    for (const std::size_t threads : {1u, 2u}) {
        nio::ServerOptions options[2];
        std::atomic<int> ready{0};
        const auto run = [&](nio::ServerOptions& each) {
            each.group.threads = threads;
            nio::Server server(std::move(each), lines());
            server.run([&] { ++ready; });
        };
        std::thread other([&] { run(options[1]); });
        std::thread killer([&] {
            while (ready < 2) std::this_thread::yield();
            ::kill(::getpid(), SIGTERM);
        });
        run(options[0]);
        other.join();
        killer.join();
    }
}

TEST(Server, IsReadyOnceAllThreadsAreThere) {
    const SignalMask mask;
    nio::Server server(twoThreads(), lines());
    const auto answers = [&server](std::size_t i) {
        return server.group()[i].invokeAndWait([] {}).ok();
    };
    bool allThere = false;
    server.run([&] {
        allThere = answers(0) && answers(1);
        server.requestStop();
    });
    EXPECT_TRUE(allThere);
}

TEST(Server, IsNotReadyWhereAThreadIsMissing) {
    const SignalMask mask;
    nio::Server server(twoThreads(), lines());
    server.group().start();
    bool said = false;
    EXPECT_THROW(server.run([&] { said = true; }), std::logic_error);
    EXPECT_FALSE(said);
}

TEST(Server, ThrowsOnWhatItsReadyThrows) {
    const SignalMask mask;
    for (const std::size_t threads : {1u, 2u}) {
        nio::ServerOptions options;
        options.group.threads = threads;
        nio::Server server(std::move(options), lines());
        EXPECT_THROW(server.run([] { throw std::runtime_error("cannot say it"); }),
                     std::runtime_error);
    }
}

TEST(Server, IsStartedOnce) {
    nio::Server server(twoThreads(), lines());
    server.start();
    EXPECT_THROW(server.start(), std::logic_error);
}

TEST(Server, GoesWithoutEverHavingBeenStarted) {
    nio::Server server(twoThreads(), lines());
    server.requestStop();
}

TEST(Server, RefusesABadAddressAndOneInUse) {
    nio::ServerOptions bad;
    bad.address = "nowhere";
    EXPECT_THROW(nio::Server(std::move(bad), lines()), std::system_error);
    nio::Server first(twoThreads(), lines());
    nio::ServerOptions taken;
    taken.address = first.address().toString();
    EXPECT_THROW(nio::Server(std::move(taken), lines()), std::system_error);
}

// Takes no key with this interest.
class Refusing final : public nio::Selector {
  public:
    explicit Refusing(nio::Interest refused) : refused_(refused) {}
    std::string_view name() const override { return "refusing"; }
    nio::ChannelIo& io() override { return io_; }

  private:
    nio::Result<void> watch(nio::SelectionKey& key) override {
        if (any(key.interest() & refused_)) return std::errc::no_space_on_device;
        return {};
    }
    void unwatch(nio::SelectionKey&) override {}
    nio::Result<void> rearm(nio::SelectionKey&) override { return {}; }
    nio::Result<void> wait(nio::kernel::WaitTime) override { return {}; }

    const nio::Interest refused_;
    nio::ReadinessIo io_{4096};
};

nio::ServerOptions refusing(nio::Interest refused) {
    nio::ServerOptions options;
    options.group.threads = 1;
    options.group.thread.openSelector = [refused]() -> nio::Result<std::unique_ptr<nio::Selector>> {
        return std::unique_ptr<nio::Selector>(std::make_unique<Refusing>(refused));
    };
    return options;
}

std::error_code ofRun(nio::Server& server) {
    try {
        server.run();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

TEST(Server, EndsWithAnErrorWhereItCannotListen) {
    nio::Server server(refusing(nio::Interest::accept), lines());
    server.start();
    EXPECT_THROW(server.wait(), std::system_error);
}

TEST(Server, EndsWithAnErrorWhereItCannotHearSignals) {
    const SignalMask mask;
    nio::Server server(refusing(nio::Interest::read), lines());
    EXPECT_EQ(ofRun(server), std::errc::no_space_on_device);
}

TEST(Server, StoppedBeforeItHasBegunItEndsWithoutAnError) {
    nio::Server server(twoThreads(), lines());
    server.requestStop();
    server.start();
    EXPECT_NO_THROW(server.wait());
}

// Its listener finds a dispatcher that takes none any more.
TEST(Server, StoppedAtOnceBeforeItHasBegunItEndsWithoutAnError) {
    nio::Server server(twoThreads(), lines());
    server.requestStop();
    server.requestStop();
    server.start();
    EXPECT_NO_THROW(server.wait());
}

}  // namespace
