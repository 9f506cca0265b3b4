// What a run comes to, as scripts see it: exit codes, requirements, repeats, the search for a rate.
#include <signal.h>

#include <thread>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Requirements, ThatHoldAreAPass) {
    OddServer server(echo);
    Process run(client({"--port", server.port(), "--require", "p99<60s", "--require", "errors=0",
                        "--require", "rate>=1"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_THAT(run.errors(), IsEmpty());
    EXPECT_THAT(run.output(), HasSubstr("errors=0"));
}

TEST(Requirements, ThatAreMissedHaveAnExitCodeAndALineOfTheirOwn) {
    OddServer server(echo);
    Process run(client({"--port", server.port(), "--require", "p50<1ns", "--require", "errors=0"}));
    EXPECT_EQ(run.wait(), 4);
    EXPECT_THAT(run.errors(), StartsWith("echo-client: requirement missed: p50<1ns (p50 = "));
    EXPECT_THAT(run.output(), HasSubstr("echoes/s")) << "the results are there all the same";
}

// Cuts one connection of a run; the others go on, so that there is always something to measure.
OddConnection::Behaviour cutOne() {
    return [cut = std::make_shared<bool>(false)](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        if (std::exchange(*cut, true)) return connection.send(bytes);
        connection.abort();
    };
}

TEST(Requirements, CanAllowErrors) {
    OddServer first(cutOne());
    Process strict(client({"--port", first.port(), "--warmup", "0"}));
    EXPECT_EQ(strict.wait(), 1);
    OddServer second(cutOne());
    Process lenient(client({"--port", second.port(), "--warmup", "0", "--require", "errors<=10"}));
    EXPECT_EQ(lenient.wait(), 0) << lenient.errors();
}

// Longer than --timeout: the answers that wait to be read meanwhile have not timed out.
TEST(Generator, ThatWasStoppedDoesNotBlameTheServer) {
    OddServer server(echo);
    Process run(client({"--port", server.port(), "--timeout", "2s", "--duration", "4s",
                        "--json-lines", "-", "--json", "/dev/stderr"}));
    while (json::parse(run.readLine())["phase"] != "measuring") {
    }
    run.signal(SIGSTOP);
    (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(2200)).orThrow();
    run.signal(SIGCONT);
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.errors());
    EXPECT_EQ(report["errors"]["timedOut"], 0);
    EXPECT_GE(report["stoodStillSeconds"], 2.0);
    EXPECT_THAT(report["warning"], StartsWith("the generator stood still for "));
}

// Half a second that the whole program is kept from its work, of two seconds of plan: what holds
// with that counted holds, and what does not is unknown.
int exitCodeOfALateRun(const std::string& requirement, std::string& said) {
    OddServer server(echo);
    Process run(client({"--port", server.port(), "--rate", "1k", "--connections", "5", "--pipeline",
                        "1", "--duration", "2", "--require", requirement}));
    while (server.peers().size() < 5) {
        (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(5)).orThrow();
    }
    (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(300)).orThrow();
    run.signal(SIGSTOP);
    (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(500)).orThrow();
    run.signal(SIGCONT);
    const int exitCode = run.wait();
    said = run.errors();
    return exitCode;
}

TEST(ALateGenerator, PassesWithAWarningWhatHoldsAllTheSame) {
    std::string said;
    EXPECT_EQ(exitCodeOfALateRun("p99<60s", said), 0) << said;
    EXPECT_THAT(said, StartsWith("echo-client: warning: the generator was late: "));
}

TEST(ALateGenerator, CannotTellWhetherTheServerMissedIt) {
    std::string said;
    EXPECT_EQ(exitCodeOfALateRun("p99<1ms", said), 5) << said;
    EXPECT_THAT(said, StartsWith("echo-client: cannot tell: the generator was late: "));
    EXPECT_THAT(said, HasSubstr("fewer connections"));
}

TEST(ABusyClient, IsNoFailureOfAClosedLoop) {
    OddServer server(echo);
    Process run(
        client({"--port", server.port(), "--threads", "1", "--pipeline", "64", "--json", "-"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    EXPECT_EQ(json::parse(run.output())["valid"], true);
}

TEST(Repeats, GiveTheMedianAndHowFarItCanBeTrusted) {
    OddServer server(echo);
    Process run(
        client({"--port", server.port(), "--repeat", "6", "--messages", "1000", "--json", "-"}));
    EXPECT_EQ(run.wait(), 0) << run.errors();
    const json report = json::parse(run.output());
    const json rate = report["repeats"]["echoesPerSecond"];
    EXPECT_EQ(report["repeats"]["runs"].size(), 6u);
    EXPECT_LE(rate["low"], rate["median"]);
    EXPECT_LE(rate["median"], rate["high"]);
    // The least and the most of six miss the median with 2 in 64.
    EXPECT_NEAR(rate["confidence"], 1 - 2.0 / 64, 1e-6);
}

// Each message takes it 2 ms, so that 500 a second are what it can do.
TEST(FindMax, FindsWhatAServerCanDoAndShowsThePath) {
    OddServer server([](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        std::this_thread::sleep_for(std::chrono::milliseconds(2 * (bytes.size() / 64)));
        connection.send(bytes);
    });
    Process run({bin("echo-client"), "--port", server.port(), "--find-max", "p99<150ms", "--rate",
                 "100", "--connections", "4", "--warmup", "0.1", "--duration", "0.7", "--json",
                 "-"});
    const int exitCode = run.wait();
    // 5: a busy machine was the limit.
    EXPECT_THAT(exitCode, testing::AnyOf(0, 5)) << run.errors();
    const json report = json::parse(run.output());
    const json& path = report["search"];
    ASSERT_GE(path.size(), 2u);
    EXPECT_EQ(path[0]["rate"], 100);
    const double best = report["rate"]["offered"];
    EXPECT_LE(best, 550);
    for (const json& step : path)
        EXPECT_LE(step["held"] == true ? step["rate"].get<double>() : 0, best + 0.5);
    EXPECT_THAT(run.errors(), HasSubstr("100/s: p99 = "));
}

TEST(FindMax, SaysWhenNoRateHolds) {
    OddServer server(echo);
    Process run(client(
        {"--port", server.port(), "--find-max", "p50<1ns", "--rate", "4", "--duration", "0.3"}));
    // 5: of so few messages one that a busy machine delays is more than 1 %.
    EXPECT_THAT(run.wait(), testing::AnyOf(4, 5)) << run.errors();
}

}  // namespace
