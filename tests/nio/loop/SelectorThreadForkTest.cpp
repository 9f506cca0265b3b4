// A process that is forked after its dispatchers were made: daemon(3), or several that serve one
// listener.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nio/codec/LineDecoder.h>
#include <nio/net/Resolver.h>
#include <nio/net/Server.h>
#include <nio/timers/Timers.h>

#include "support/Engines.h"
#include "support/ForkedProcess.h"
#include "support/Sanitized.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"

namespace {

using nio::SelectorKind;
using support::ForkedProcess;
using support::TestClient;

class SelectorThreadFork : public testing::TestWithParam<SelectorKind> {
  protected:
    nio::ServerOptions options(std::size_t threads) {
        nio::ServerOptions options;
        options.group.threads = threads;
        options.group.thread = support::with(GetParam());
        options.drain.deadline = std::chrono::milliseconds::zero();
        return options;
    }
    static nio::HandlerFactory echo() {
        return nio::pipeline(nio::lines(), [](auto& peer, nio::ByteView line) {
            nio::onDispatcher.assertCurrent();
            peer.send(line);
        });
    }
    // `ready` gets a byte once signals are heard.
    static int served(nio::Server& server, int ready) {
        try {
            server.run([&] { (void)nio::kernel::send(ready, nio::asBytes("r")); });
            return 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "run: %s\n", error.what());
            return 1;
        }
    }
    static void expectEcho(const nio::SocketAddress& address) {
        TestClient client(address);
        client.send("hello\n");
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (!client.hasReceived("hello\n") && nio::Clock::now() < end) client.pump();
        EXPECT_TRUE(client.hasReceived("hello\n"));
    }
};

TEST_P(SelectorThreadFork, AServerThatBecomesADaemonServesAndEnds) {
    for (const std::size_t threads : {1u, 2u}) {
        nio::Server server(options(threads), echo());
        support::Link ready = support::makeLink();
        ForkedProcess daemon([&] { return served(server, ready.channel.fd()); });
        ASSERT_EQ(ready.peer.receive(1), "r");
        expectEcho(server.address());
        daemon.signal(SIGTERM);
        EXPECT_EQ(daemon.wait(), 0) << threads;
    }
}

// Each has a selector of its own: else one of them would get the other's events.
TEST_P(SelectorThreadFork, SeveralProcessesServeOneListener) {
    nio::Server server(options(1), echo());
    support::Link ready = support::makeLink();
    ForkedProcess first([&] { return served(server, ready.channel.fd()); });
    ForkedProcess second([&] { return served(server, ready.channel.fd()); });
    ASSERT_EQ(ready.peer.receive(2), "rr");
    for (int i = 0; i < 20; ++i) expectEcho(server.address());
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait(), 0);
    for (int i = 0; i < 5; ++i) expectEcho(server.address());
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);
}

TEST_P(SelectorThreadFork, AConnectionGoesOnInTheNewProcess) {
    support::Journal journal;
    support::TestDispatcher dispatcher("test", support::with(GetParam()));
    support::Link link = support::makeLink();
    auto& handler = dispatcher.add(link, "one", journal);
    dispatcher.turn();
    ForkedProcess copy([&] {
        link.peer.send("x");
        const bool read = dispatcher.turnUntil([&] { return handler.kept == "x"; });
        return read && dispatcher.failures.empty() ? 0 : 1;
    });
    EXPECT_EQ(copy.wait(), 0);
    link.peer.send("y");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return handler.kept == "y"; }));
}

TEST_P(SelectorThreadFork, ATaskFromAnotherThreadWakesTheNewProcess) {
    nio::SelectorThread dispatcher(support::with(GetParam()));
    ForkedProcess copy([&] {
        dispatcher.start();
        for (int i = 0; i < 20; ++i) {
            if (!dispatcher.invokeAndWait([] {}).ok()) return 1;
        }
        dispatcher.requestClose();
        dispatcher.join();
        return 0;
    });
    EXPECT_EQ(copy.wait(), 0);
}

TEST_P(SelectorThreadFork, AThreadThatIsLeftBehindIsAnErrorAndNoHang) {
    std::optional<nio::SelectorThread> dispatcher(support::with(GetParam()));
    dispatcher->start();
    ASSERT_TRUE(dispatcher->invokeAndWait([] {}).ok());
    ForkedProcess copy([&] {
        if (!dispatcher->life().isLeftBehind()) return 1;
        if (!dispatcher->invokeAndWait([] {}).error().is(nio::Errc::stopped)) return 2;
        dispatcher->requestClose();
        try {
            dispatcher->join();
            return 3;
        } catch (const std::logic_error& error) {
            if (std::string(error.what()).find("before this process was forked") ==
                std::string::npos) {
                return 4;
            }
        }
        dispatcher.reset();
        return 0;
    });
    EXPECT_EQ(copy.wait(), 0);
    EXPECT_FALSE(dispatcher->life().isLeftBehind());
    EXPECT_TRUE(dispatcher->invokeAndWait([] {}).ok());
}

TEST_P(SelectorThreadFork, AServerThatIsForkedTooLateSaysSo) {
    const auto forkedTooLate = [&] {
        nio::Server server(options(2), echo());
        std::optional<ForkedProcess> copy;
        try {
            server.run([&] {
                // The copy returns into run().
                const pid_t id = ::fork();
                if (id == 0) return;
                int status = 0;
                ::waitpid(id, &status, 0);
                server.requestStop();
                if (status != 0) throw std::runtime_error("the copy has not said so");
            });
            return 0;
        } catch (const std::logic_error&) {
            return 0;  // the copy
        } catch (const std::exception&) {
            return 1;
        }
    };
    ForkedProcess both(forkedTooLate);
    EXPECT_EQ(both.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(On, SelectorThreadFork, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST(Timers, ThatAreForkedSaySoAndDoNotHang) {
    nio::SelectorThread dispatcher;
    std::optional<nio::Timers> timers(std::in_place);
    ForkedProcess copy([&] {
        try {
            timers->after(std::chrono::nanoseconds::zero(), dispatcher, [] {});
            return 1;
        } catch (const std::logic_error&) {
        }
        timers.reset();
        return 0;
    });
    EXPECT_EQ(copy.wait(), 0);
}

TEST(Resolver, ThatIsForkedSaysSoAndDoesNotHang) {
    auto resolver = std::make_unique<nio::Resolver>();
    ForkedProcess copy([&] {
        try {
            nio::onDispatcher.assumeCurrent();
            resolver->resolve("127.0.0.1", 1, [](auto) {});
            return 1;
        } catch (const std::logic_error&) {
        }
        resolver.reset();
        return 0;
    });
    EXPECT_EQ(copy.wait(), 0);
}

// ThreadSanitizer starts no thread in a process that was forked from one with several.
TEST(Watchdog, WatchesInTheNewProcessToo) {
    if (support::sanitized) GTEST_SKIP() << "no threads after the fork";
    nio::SelectorThread runs;
    runs.start();
    ASSERT_TRUE(runs.invokeAndWait([] {}).ok());
    ForkedProcess copy([] {
        std::atomic<bool> told{false};
        nio::SelectorThreadOptions options;
        options.stallLimit = std::chrono::milliseconds(1);
        options.onStall = [&](const nio::Stall&) { told = true; };
        nio::SelectorThread dispatcher(std::move(options));
        dispatcher.start();
        (void)dispatcher.invokeAndWait([&] {
            while (!told) std::this_thread::yield();
        });
        return 0;
    });
    EXPECT_EQ(copy.wait(), 0);
}

}  // namespace
