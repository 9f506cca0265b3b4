// The shapes of a load: send plans, sizes, churn, pauses, as the server and the report see them.
#include <atomic>
#include <functional>
#include <thread>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;

// A busy machine may keep the generator from its plan: then it says so, and the counts hold.
json reportOf(const Arguments& arguments) {
    Process run(client(arguments + Arguments{"--json", "-"}));
    EXPECT_THAT(run.wait(), testing::AnyOf(0, 5)) << run.errors();
    return json::parse(run.output());
}

// --- open loop ------------------------------------------------------------------------------

TEST(OpenLoop, SendsAsManyMessagesAsItsPlanSays) {
    OddServer server(echo);
    const json report =
        reportOf({"--port", server.port(), "--rate", "2k", "--duration", "0.5", "--warmup", "0.1"});
    EXPECT_EQ(report["loop"], "open");
    EXPECT_NEAR(report["echoes"], 1000, 1);
    EXPECT_NEAR(report["rate"]["offered"], 2000, 0.1);
    EXPECT_GE(report["latencyMicroseconds"]["p99"], report["serviceMicroseconds"]["p50"]);
    EXPECT_TRUE(report["latenessMicroseconds"].contains("p99"));
}

TEST(FixedCount, EndsBothLoopsAfterItsMessages) {
    OddServer server(echo);
    for (const Arguments& loop :
         {Arguments{}, Arguments{"--rate", "5k"}, Arguments{"--lifetime", "20msg"}}) {
        Process run(Arguments{bin("echo-client"), "127.0.0.1:" + server.port(), "--quiet", "-c",
                              "3", "-n", "1000", "--json", "-"} +
                    loop);
        EXPECT_EQ(run.wait(), 0) << run.errors();
        const json report = json::parse(run.output());
        EXPECT_EQ(report["echoes"], 1000);
        EXPECT_EQ(report["unsent"], 0);
        EXPECT_EQ(report["messages"], 1000);
        EXPECT_LT(report["seconds"], 100.0);
    }
}

// --- other modes ----------------------------------------------------------------------------

TEST(ConnectOnly, MeasuresConnectsAndSendsNothing) {
    std::atomic<int> received = 0;
    OddServer server([&received](OddConnection&, nio::ByteView) { ++received; });
    Process run({bin("echo-client"), "127.0.0.1:" + server.port(), "--quiet", "--connect-only",
                 "-c", "4", "-n", "300", "--json", "-"});
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.output());
    EXPECT_EQ(report["mode"], "connect-only");
    EXPECT_EQ(report["echoes"], 300);
    EXPECT_GT(report["latencyMicroseconds"]["p50"], 0);
    EXPECT_GE(server.peers().size(), 300u);
    EXPECT_EQ(received, 0);
}

TEST(NoAnswer, SendsAsFastAsTheKernelTakesIt) {
    OddServer silent([](OddConnection&, nio::ByteView) {});
    for (const Arguments& messages :
         {Arguments{"--size", "1000"}, Arguments{"--send", "log {seq}\\n", "-r", "10k"}}) {
        Process run(Arguments{bin("echo-client"), "127.0.0.1:" + silent.port(), "--quiet",
                              "--no-answer", "-c", "2", "-n", "2000", "--json", "-"} +
                    messages);
        EXPECT_EQ(run.wait(), 0) << run.errors();
        const json report = json::parse(run.output());
        EXPECT_EQ(report["mode"], "no-answer");
        EXPECT_EQ(report["echoes"], 2000);
    }
}

TEST(OpenLoop, FollowsItsStages) {
    OddServer server(echo);
    // 0.1 s at 1,000 are the warm-up; 0.2 s at 1,000 and 0.2 s that rise to 5,000 are measured.
    const json report = reportOf({"--port", server.port(), "--stages", "300ms:1k,200ms:1k-5k",
                                  "--warmup", "100ms", "--duration", "400ms"});
    EXPECT_NEAR(report["echoes"], 200 + 600, 2);
}

TEST(OpenLoop, SendsByChanceWhereAskedTo) {
    OddServer server(echo);
    const Arguments load{"--port",  server.port(), "--rate", "2k",     "--arrivals",
                         "poisson", "--duration",  "0.5",    "--seed", "7"};
    const json report = reportOf(load);
    // 1,000 in the mean; six standard deviations are 190.
    EXPECT_NEAR(report["echoes"], 1000, 190);
    EXPECT_NEAR(reportOf(load)["echoes"], report["echoes"], 1) << "the same seed, the same plan";
}

TEST(OpenLoop, SaysWhatItCouldNotSendWhenTheServerStopsAnswering) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        if (connection.calls <= 3) connection.send(bytes);
    });
    Process run(
        client({"--port", server.port(), "--rate", "1000", "--pipeline", "2", "--connections", "2",
                "--timeout", "100ms", "--duration", "0.5", "--json", "-"}));
    EXPECT_EQ(run.wait(), 1);
    const json report = json::parse(run.output());
    EXPECT_GT(report["unsent"], 0);
    EXPECT_GT(report["errors"]["timedOut"], 0);
    EXPECT_EQ(report["errors"]["lost"], 0);
}

// What was planned is answered in the end, but long after the time it was planned for.
TEST(OpenLoop, CountsOnlyWhatWasAnsweredInTimeAsThroughput) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * bytes.size() / 64));
        connection.send(bytes);
    });
    const json report = reportOf({"--port", server.port(), "--rate", "1k", "--connections", "2",
                                  "--duration", "0.4", "--warmup", "0", "--timeout", "20s"});
    EXPECT_NEAR(report["echoes"], 400, 1) << "their latency is known, all the same";
    EXPECT_LE(report["echoesPerSecond"], 210);
}

TEST(OpenLoop, CountsABillionUnsentMessagesInNoTime) {
    OddServer server([](OddConnection&, nio::ByteView) {});
    Process run(
        client({"--port", server.port(), "--rate", "1G", "--timeout", "50ms", "--duration", "1",
                "--pipeline", "4", "--connections", "2", "--warmup", "0", "--json", "-"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_NEAR(json::parse(run.output())["unsent"].get<double>(), 1e9, 1e6);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

TEST(ALoad, HoldsNoMoreThanItsWindowForAServerThatDoesNotRead) {
    if (sanitized) GTEST_SKIP() << "a sanitizer needs more memory than the test allows";
    OddServer server([](OddConnection& connection, nio::ByteView) {
        nio::onDispatcher.assertCurrent();
        connection.pauseReading();
    });
    for (const Arguments& loop : {Arguments{}, Arguments{"--rate", "10k", "--pipeline", "8"}}) {
        // 1 MiB each, given up and sent anew all the time: gigabytes, were they all kept.
        Process run({"sh", "-c",
                     "ulimit -v 1000000; exec " + bin("echo-client") + " --port " + server.port() +
                         " --size 1Mi --timeout 4ms --connections 4 --duration 1 --quiet " +
                         (loop.empty() ? "" : loop[0] + " " + loop[1])});
        EXPECT_EQ(run.wait(), 1);
        EXPECT_THAT(run.errors(), testing::HasSubstr("timed out"));
    }
}

TEST(ClosedLoop, SaysSoAndHasNoPlan) {
    OddServer server(echo);
    Process run(client({"--port", server.port()}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_THAT(run.output(), testing::HasSubstr("closed loop"));
    EXPECT_THAT(run.output(), testing::Not(testing::HasSubstr("lateness")));
}

// --- closed loop ----------------------------------------------------------------------------

TEST(ClosedLoop, ThinksBetweenAnAnswerAndTheNextMessage) {
    OddServer server(echo);
    // Ten users who think for 50 ms each ask at most ten times in 0.5 s.
    const json report = reportOf(
        {"--port", server.port(), "--think", "50ms", "--duration", "0.5", "--warmup", "0"});
    EXPECT_LE(report["echoes"], 100);
    EXPECT_GT(report["echoes"], 0);
}

TEST(Sizes, AreDrawnFromTheDistribution) {
    OddServer server(echo);
    for (const char* framing : {"raw", "length"}) {
        const json report = reportOf({"--port", server.port(), "--framing", framing, "--size",
                                      "64:70,1500:30", "--pipeline", "4", "--duration", "1"});
        const double echoes = report["echoes"];
        const double mean = report["megabytesPerSecond"].get<double>() * 1e6 /
                            report["echoesPerSecond"].get<double>();
        EXPECT_GT(echoes, 200);
        EXPECT_NEAR(mean, 0.7 * 64 + 0.3 * 1500, 200);
    }
}

// --- churn ----------------------------------------------------------------------------------

struct Ends {
    std::atomic<int> accepted{0};
    std::atomic<int> byFin{0};
    std::atomic<int> byReset{0};
    std::atomic<int> answeredAfterFin{0};
};

class WatchedConnection final : public nio::StreamHandler {
  public:
    WatchedConnection(nio::SocketChannel channel, Ends& ends)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()), ends_(ends) {
        ++ends_.accepted;
    }

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) { send(bytes); }
    void peerFinished() override NIO_REQUIRES(nio::onDispatcher) {
        ++ends_.byFin;
        closeAfterFlush();
    }
    void connectionClosed(const std::optional<nio::Error>& reason) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (reason) ++ends_.byReset;
    }

  private:
    Ends& ends_;
};

class WatchingServer {
  public:
    WatchingServer()
        : server_({.group = {.threads = 1}}, [this](nio::AcceptedConnection connection) {
              return std::make_unique<WatchedConnection>(std::move(connection.channel), ends);
          }) {
        server_.start();
    }
    std::string port() const { return std::to_string(server_.address().port()); }

    Ends ends;

  private:
    nio::Server server_;
};

// False when patience is over.
bool comes(const std::function<bool()>& condition) {
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (!condition() && nio::Clock::now() < end) std::this_thread::yield();
    return condition();
}

TEST(Churn, GivesEachConnectionSoManyMessagesAndNoMore) {
    WatchingServer server;
    const json report = reportOf(
        {"--port", server.port(), "--lifetime", "5msg", "--connections", "4", "--warmup", "0"});
    const int made = report["connections"]["made"];
    EXPECT_GT(made, 4);
    // The last ones may still wait to be accepted, or have been given up when the load ended.
    EXPECT_TRUE(comes([&] { return server.ends.accepted >= made; }));
    EXPECT_GE(made + 4, server.ends.accepted);
    EXPECT_LE(report["echoes"], 5 * made);
    EXPECT_EQ(server.ends.byReset, 0);
}

TEST(Churn, EndsConnectionsInTheWaysItIsTold) {
    for (const std::string way : {"clean", "rst", "half"}) {
        WatchingServer server;
        const json report = reportOf({"--port", server.port(), "--lifetime", "4msg", "--close", way,
                                      "--connections", "4", "--pipeline", "3", "--duration", "1"});
        EXPECT_EQ(report["errors"]["reset"], 0) << way;
        EXPECT_EQ(report["errors"]["closedEarly"], 0) << way;
        const int made = report["connections"]["made"];
        EXPECT_GT(made, 8) << way;
        // The last ones end with the load, in the orderly way.
        if (way == "rst") {
            EXPECT_TRUE(comes([&] { return server.ends.byReset > 0; }));
        } else {
            EXPECT_TRUE(comes([&] { return server.ends.byFin > 0; })) << way;
            EXPECT_EQ(server.ends.byReset, 0) << way;
        }
    }
}

TEST(Churn, EndsConnectionsAfterTheirTime) {
    WatchingServer server;
    const json report = reportOf({"--port", server.port(), "--lifetime", "50ms", "--connections",
                                  "3", "--think", "5ms", "--duration", "0.4"});
    EXPECT_GT(report["connections"]["made"], 3);
    EXPECT_LT(report["connections"]["made"], 3 * 30);
}

TEST(Churn, KeepsThePlanOfAnOpenLoop) {
    WatchingServer server;
    const json report = reportOf({"--port", server.port(), "--lifetime", "5msg", "--rate", "100",
                                  "--duration", "2", "--connections", "5"});
    // At the end each connection may be between two sockets.
    EXPECT_NEAR(report["echoes"].get<double>() + report["unsent"].get<double>(), 200, 1);
    EXPECT_GE(report["echoes"], 100);
}

TEST(ConnectRate, SpreadsTheConnects) {
    OddServer server(echo);
    const nio::TimePoint begin = nio::Clock::now();
    const json report = reportOf({"--port", server.port(), "--connect-rate", "50", "--connections",
                                  "10", "--warmup", "0", "--duration", "0.05"});
    EXPECT_EQ(report["connections"]["made"], 10);
    EXPECT_GE(nio::Clock::now() - begin, std::chrono::milliseconds(9 * 20));
}

}  // namespace
