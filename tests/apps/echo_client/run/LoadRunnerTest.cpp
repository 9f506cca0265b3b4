// Several runs of which a later one does not come to its end.
#include "echo_client/run/LoadRunner.h"

#include <pthread.h>
#include <signal.h>

#include <nio/net/SignalHandler.h>

#include "apps/echo_client/EchoClientTesting.h"

#include "echo_client/options/LoadOptionsParser.h"

namespace load {
namespace {

using testing::HasSubstr;

// The signals are blocked in this thread, and given back as they were.
class LoadRunnerTest : public testing::Test {
  protected:
    LoadRunnerTest() {
        ::pthread_sigmask(SIG_SETMASK, nullptr, &before_);
        nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    }
    ~LoadRunnerTest() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    // `afterFirst` happens between the first run and the second.
    LoadReport run(std::vector<std::string> words, const std::function<void()>& afterFirst) {
        words.insert(words.end(), {"--connections", "2", "--duration", "0.05", "--warmup", "0"});
        const LoadOptions options = readLoadOptions(words).orThrow();
        const auto port = static_cast<std::uint16_t>(std::stoi(server->port()));
        std::size_t runs = 0;
        const auto tell = [&](const std::string&) {
            if (++runs == 1) afterFirst();
        };
        return LoadRunner(options, nio::SocketAddress::loopback4(port), {}, tell).run();
    }

    std::optional<echoclient::OddServer> server{std::in_place, echoclient::echo};

  private:
    sigset_t before_{};
};

TEST_F(LoadRunnerTest, FindsNoHighestRateOfAServerThatIsGone) {
    const LoadReport report = run({"--find-max", "p99<60s"}, [this] { server.reset(); });
    EXPECT_EQ(report.search.size(), 2u);
    EXPECT_EQ(report.verdict.exitCode, exitIo);
    EXPECT_THAT(report.verdict.complaint, HasSubstr("Connection refused"));
}

TEST_F(LoadRunnerTest, FindsNoHighestRateWhereItIsInterrupted) {
    const LoadReport report = run({"--find-max", "p99<60s"}, [] { ::raise(SIGINT); });
    EXPECT_EQ(report.search.size(), 2u);
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.verdict.exitCode, exitIo);
    EXPECT_EQ(report.verdict.complaint, "the search was interrupted");
}

TEST_F(LoadRunnerTest, HoldsBadConnectionsBesideTheLoad) {
    const LoadReport report = run({"--beside", "slowloris:20"}, [] {});
    EXPECT_EQ(report.result.total.errors.total(), 0u);
    ASSERT_TRUE(report.beside);
    EXPECT_EQ(report.beside->total.made(), 20u);
    EXPECT_EQ(report.beside->total.keptToTheEnd, 20u);
    EXPECT_THAT(toText(report), HasSubstr("beside        slowloris: 20 opened, 0 failed;"));
    EXPECT_THAT(toJson(report), HasSubstr("\"misbehaviour\": \"slowloris\""));
}

TEST_F(LoadRunnerTest, JudgesWhatIsBesideTheLoad) {
    // The bad ones connect first.
    server.emplace([](echoclient::OddConnection& connection, nio::ByteView bytes) {
        if (connection.number > 2) echoclient::echo(connection, bytes);
    });
    const LoadReport report = run({"--beside", "one-byte:2", "--timeout", "1"}, [] {});
    EXPECT_NE(report.verdict.exitCode, exitPass);
    // A busy machine may not come to it.
    if (report.result.total.answered == 0) return;
    EXPECT_THAT(report.verdict.complaint, HasSubstr("--beside: "));
}

TEST_F(LoadRunnerTest, ASignalBetweenTwoRunsEndsWhatIsBesideThem) {
    const LoadReport report =
        run({"--repeat", "3", "--beside", "slowloris:2"}, [] { ::raise(SIGINT); });
    EXPECT_LT(report.repeats.size(), 3u);
    EXPECT_TRUE(report.interrupted);
    ASSERT_TRUE(report.beside);
    EXPECT_TRUE(report.beside->interrupted);
}

TEST_F(LoadRunnerTest, ReportsTheRepeatsBeforeTheOneThatIsInterrupted) {
    const LoadReport report = run({"--repeat", "3"}, [] { ::raise(SIGINT); });
    EXPECT_EQ(report.repeats.size(), 1u);
    EXPECT_FALSE(report.result.interrupted);
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.verdict.exitCode, exitPass);
}

}  // namespace
}  // namespace load
