#include "echo_client/options/LoadOptionsParser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

using Arguments = std::vector<std::string>;

LoadOptions parsed(const Arguments& arguments) {
    return readLoadOptions(arguments).orThrow();
}

TEST(LoadOptionsParser, HasADefaultForEverything) {
    const LoadOptions options = parsed({});
    EXPECT_EQ(options.endpoint.toString(), "127.0.0.1:7007");
    EXPECT_THAT(options.sources, IsEmpty());
    EXPECT_EQ(options.framing, apps::Framing::raw);
    EXPECT_EQ(options.connections, 50u);
    EXPECT_EQ(options.size.toString(), "64");
    EXPECT_EQ(options.pipeline, 1u);
    EXPECT_FALSE(options.isOpenLoop());
    EXPECT_EQ(options.arrivals, Arrivals::constant);
    EXPECT_EQ(options.think, 0s);
    EXPECT_EQ(options.duration, 5s);
    EXPECT_EQ(options.warmup, 500ms);
    EXPECT_EQ(options.answerTimeout, 2s);
    EXPECT_EQ(options.spin, 0s);
    EXPECT_FALSE(options.renewsConnections());
    EXPECT_EQ(options.connectTimeout, 10s);
    EXPECT_EQ(options.maxLateness.time, 1ms);
    EXPECT_EQ(options.maxLateness.share, 0.01);
    EXPECT_EQ(options.seed, 1u);
    EXPECT_EQ(options.connectRate, 0);
    EXPECT_FALSE(options.lifetime.isLimited());
    EXPECT_EQ(options.closing.toString(), "clean");
    EXPECT_EQ(options.threads, 0u);
    EXPECT_EQ(options.selector, nio::SelectorKind::automatic);
    EXPECT_THAT(options.requirements, IsEmpty());
    EXPECT_FALSE(options.findMax);
    EXPECT_EQ(options.repeat, 1u);
    EXPECT_FALSE(options.serverPid);
    EXPECT_FALSE(options.misbehave);
    EXPECT_EQ(options.every, 5s);
    EXPECT_EQ(options.count, 10'000u);
    EXPECT_THAT(options.agents, IsEmpty());
    EXPECT_FALSE(options.output.quiet);
    EXPECT_THAT(options.output.json, IsEmpty());
    EXPECT_THAT(options.arguments, IsEmpty());
}

TEST(LoadOptionsParser, ReadsTheTarget) {
    const LoadOptions tcp = parsed({"--host", "::1", "--port", "99", "--framing", "lines",
                                    "--source", "127.0.0.2,127.0.0.3", "--source", "127.0.0.4"});
    EXPECT_EQ(tcp.endpoint.toString(), "[::1]:99");
    EXPECT_EQ(tcp.framing, apps::Framing::lines);
    ASSERT_EQ(tcp.sources.size(), 3u);
    EXPECT_EQ(tcp.sources[2].host(), "127.0.0.4");
    EXPECT_EQ(parsed({"--unix", "/run/x"}).endpoint.unixPath, "/run/x");
}

TEST(LoadOptionsParser, ReadsTheTargetAsItsOnlyWord) {
    EXPECT_EQ(parsed({"10.0.0.9:99"}).endpoint.toString(), "10.0.0.9:99");
    EXPECT_EQ(parsed({"-c", "3", "[::1]:99", "-d", "1"}).endpoint.toString(), "[::1]:99");
    EXPECT_EQ(readLoadOptions({"word"}).error().context(), "TARGET: 'word' is not HOST:PORT");
    for (const Arguments& arguments : {Arguments{"a:1", "b:2"}, Arguments{"a:1", "--port", "2"},
                                       Arguments{"a:1", "--unix", "/x"}, Arguments{"a:0"}}) {
        EXPECT_FALSE(readLoadOptions(arguments)) << arguments[1 % arguments.size()];
    }
}

TEST(LoadOptionsParser, HasShortNames) {
    const LoadOptions options =
        parsed({"-c", "10", "-d", "3", "-r", "5k", "-t", "2", "-n", "1000"});
    EXPECT_EQ(options.connections, 10u);
    EXPECT_EQ(options.duration, 3s);
    EXPECT_EQ(options.rate->toString(), "5k/s");
    EXPECT_EQ(options.threads, 2u);
    EXPECT_EQ(options.messages, 1'000u);
    EXPECT_THAT(readLoadOptions({"-c", "0"}).error().context(), StartsWith("--connections: "));
}

TEST(LoadOptionsParser, NeitherWarmsUpNorStopsEarlyForACountOfMessages) {
    const LoadOptions options = parsed({"-n", "1M"});
    EXPECT_EQ(options.warmup, 0s);
    EXPECT_EQ(options.duration, 1'000'000s);
    EXPECT_EQ(options.connections, 50u);
    EXPECT_EQ(parsed({"-n", "7"}).connections, 7u) << "each has one";
    EXPECT_FALSE(readLoadOptions({"-n", "7", "-c", "8"}));
    EXPECT_FALSE(readLoadOptions({"-n", "7", "--warmup", "1s"}));
}

TEST(LoadOptionsParser, AsksWhatAnUnknownOptionMeant) {
    EXPECT_THAT(readLoadOptions({"--conections", "5"}).error().context(),
                testing::EndsWith("; did you mean --connections?"));
    EXPECT_THAT(readLoadOptions({"--dura=5"}).error().context(),
                testing::EndsWith("; did you mean --duration?"));
    EXPECT_THAT(readLoadOptions({"--bogus-option"}).error().context(),
                testing::Not(HasSubstr("did you mean")));
}

TEST(LoadOptionsParser, ReadsAClosedLoop) {
    const LoadOptions options = parsed({"--size",        "64:70,1500-1600:30",
                                        "--pipeline",    "4",
                                        "--think",       "20ms",
                                        "--duration",    "3",
                                        "--warmup",      "0",
                                        "--timeout",     "1m",
                                        "--seed",        "42",
                                        "--threads",     "2",
                                        "--selector",    "poll",
                                        "--connections", "10k"});
    EXPECT_EQ(options.size.largest(), 1'600u);
    EXPECT_EQ(options.pipeline, 4u);
    EXPECT_EQ(options.think, 20ms);
    EXPECT_EQ(options.duration, 3s);
    EXPECT_EQ(options.warmup, 0s);
    EXPECT_EQ(options.loadTime(), 3s);
    EXPECT_EQ(options.answerTimeout, 1min);
    EXPECT_EQ(options.seed, 42u);
    EXPECT_EQ(options.threads, 2u);
    EXPECT_EQ(options.selector, nio::SelectorKind::poll);
    EXPECT_EQ(options.connections, 10'000u);
}

TEST(LoadOptionsParser, BusyPollsWhereItIsAskedTo) {
    EXPECT_EQ(parsed({"--busy-poll", "50us"}).spin, 50us);
    EXPECT_EQ(parsed({"--busy-poll", "50us", "--rate", "1k"}).spin, 50us);
}

TEST(LoadOptionsParser, ReconnectsInAnOpenLoopUnlessToldOtherwise) {
    EXPECT_TRUE(parsed({"--rate", "1k"}).renewsConnections());
    EXPECT_TRUE(parsed({"--find-max", "p99<1ms"}).renewsConnections());
    EXPECT_FALSE(parsed({"--rate", "1k", "--no-reconnect"}).renewsConnections());
    EXPECT_TRUE(parsed({"--lifetime", "5msg"}).renewsConnections());
    EXPECT_FALSE(readLoadOptions({"--no-reconnect"}));
    EXPECT_EQ(parsed({"--connect-timeout", "3s"}).connectTimeout, 3s);
}

TEST(LoadOptionsParser, ReadsHowLateTheGeneratorMayBe) {
    const LoadOptions options = parsed({"--rate", "1k", "--max-lateness", "5ms:0.5%"});
    EXPECT_EQ(options.maxLateness.time, 5ms);
    EXPECT_DOUBLE_EQ(options.maxLateness.share, 0.005);
    for (const char* wrong : {"5ms", "5ms:1", "1%", ":1%", "5ms:%", "5ms:101%", "5ms:-1%"}) {
        EXPECT_FALSE(readLoadOptions({"--rate", "1k", "--max-lateness", wrong})) << wrong;
    }
    EXPECT_FALSE(readLoadOptions({"--max-lateness", "5ms:1%"})) << "a closed loop is never late";
}

TEST(LoadOptionsParser, ReadsAnOpenLoop) {
    const LoadOptions options =
        parsed({"--rate", "5k/s", "--arrivals", "poisson", "--busy-poll", "0"});
    ASSERT_TRUE(options.isOpenLoop());
    EXPECT_EQ(options.rate->toString(), "5k/s");
    EXPECT_EQ(options.arrivals, Arrivals::poisson);
    EXPECT_EQ(options.spin, 0s);
    EXPECT_EQ(options.pipeline, 1'024u);
    EXPECT_EQ(options.duration, 5s);
    EXPECT_EQ(parsed({"--rate", "5k", "--pipeline", "3"}).pipeline, 3u);
}

TEST(LoadOptionsParser, MeasuresTheStagesButForTheWarmUp) {
    const LoadOptions options = parsed({"--stages", "10s:1k,30s:5k", "--warmup", "2s"});
    EXPECT_EQ(options.rate->toString(), "10s:1k,30s:5k");
    EXPECT_EQ(options.duration, 38s);
    EXPECT_EQ(options.pipeline, 1'024u);
    const LoadOptions shorter = parsed({"--stages", "10s:1k", "--warmup", "2s", "--duration", "8"});
    EXPECT_EQ(shorter.duration, 8s);
}

TEST(LoadOptionsParser, ReadsHowConnectionsComeAndGo) {
    const LoadOptions options = parsed(
        {"--connect-rate", "200", "--lifetime", "500ms,100msg", "--close", "clean:80,rst:20"});
    EXPECT_EQ(options.connectRate, 200);
    EXPECT_EQ(options.lifetime.toString(), "500ms,100msg");
    EXPECT_EQ(options.closing.toString(), "clean:80,rst:20");
}

TEST(LoadOptionsParser, ReadsRequirementsInTheirOrder) {
    const LoadOptions options =
        parsed({"--require", "p99<2ms", "--require", "errors=0", "--repeat", "7"});
    ASSERT_EQ(options.requirements.size(), 2u);
    EXPECT_EQ(options.requirements[0].toString(), "p99<2ms");
    EXPECT_EQ(options.requirements[1].toString(), "errors=0");
    EXPECT_EQ(options.repeat, 7u);
}

TEST(LoadOptionsParser, SearchesFromAThousandPerSecondByDefault) {
    const LoadOptions options = parsed({"--find-max", "p99<1ms", "--arrivals", "poisson"});
    EXPECT_EQ(options.findMax->toString(), "p99<1ms");
    EXPECT_EQ(options.rate->toString(), "1k/s");
    EXPECT_EQ(options.pipeline, 1'024u);
    EXPECT_EQ(parsed({"--find-max", "p99<1ms", "--rate", "20k"}).rate->toString(), "20k/s");
}

TEST(LoadOptionsParser, ReadsWhereTheResultsGo) {
    const OutputOptions output =
        parsed({"--quiet", "--json", "-", "--json-lines", "a", "--csv", "b", "--html", "c",
                "--compare", "d", "--compare", "e", "--hgrm", "f", "--keep-bad", "g"})
            .output;
    EXPECT_TRUE(output.quiet);
    EXPECT_EQ(output.json, "-");
    EXPECT_EQ(output.jsonLines, "a");
    EXPECT_EQ(output.csv, "b");
    EXPECT_EQ(output.html, "c");
    EXPECT_THAT(output.compare, ElementsAre("d", "e"));
    EXPECT_EQ(output.histogram, "f");
    EXPECT_EQ(output.badFrame, "g");
}

TEST(LoadOptionsParser, ReadsBadClients) {
    EXPECT_EQ(parsed({"--misbehave", "half-message"}).misbehave, Misbehaviour::halfMessage);
    EXPECT_EQ(parsed({"--misbehave", "rst-storm", "--count", "5"}).count, 5u);
    EXPECT_EQ(parsed({"--misbehave", "slowloris", "--every", "1ms"}).every, 1ms);
    const auto beside = parsed({"--beside", "half-message:200"}).beside;
    ASSERT_TRUE(beside);
    EXPECT_EQ(beside->how, Misbehaviour::halfMessage);
    EXPECT_EQ(beside->connections, 200u);
}

// --- many machines --------------------------------------------------------------------------

class Environment : public testing::Test {
  protected:
    ~Environment() override { ::unsetenv(name); }

    static constexpr const char* name = "ECHO_CLIENT_TOKEN";
};

TEST_F(Environment, GivesTheTokenThatTheCommandLineLacks) {
    ::setenv(name, "from-there", 1);
    EXPECT_EQ(parsed({"--agents", "a:1"}).token, "from-there");
    EXPECT_EQ(parsed({"--agents", "a:1", "--token", "mine"}).token, "mine");
    EXPECT_EQ(parsed({}).token, "");
    ::setenv(name, "has blanks", 1);
    EXPECT_FALSE(readLoadOptions({"--agents", "a:1"}));
    ::setenv(name, "", 1);
    EXPECT_FALSE(readLoadOptions({"--agents", "a:1"}));
}

TEST(LoadOptionsParser, ReadsAgents) {
    const LoadOptions options =
        parsed({"--agents", "one:7010,10.0.0.2:7011,[::1]:7012", "--token", "secret"});
    ASSERT_EQ(options.agents.size(), 3u);
    EXPECT_EQ(options.agents[0].toString(), "one:7010");
    EXPECT_EQ(options.agents[1].toString(), "10.0.0.2:7011");
    EXPECT_EQ(options.agents[2].toString(), "[::1]:7012");
    EXPECT_EQ(options.token, "secret");
}

TEST(LoadOptionsParser, KeepsTheWordsOfTheCommandLineButForTheSecret) {
    EXPECT_THAT(parsed({"--agents", "a:1", "--token", "secret", "--size", "9"}).arguments,
                ElementsAre("--agents", "a:1", "--token", "***", "--size", "9"));
    EXPECT_THAT(parsed({"--agents=a:1", "--token=secret"}).arguments,
                ElementsAre("--agents=a:1", "--token=***"));
}

// --- what is said ---------------------------------------------------------------------------

TEST(LoadOptionsParser, AnswersAMistakeWithOneLineAndTwo) {
    int exitCode = 0;
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parseLoadOptions({"--size", "0"}, exitCode));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "echo-client: --size: '0': a message has at least 1 byte (see --help)\n");
    EXPECT_EQ(exitCode, 2);
}

TEST(LoadOptionsParser, PrintsNothingWhereItOnlyReads) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const auto mistake = readLoadOptions({"--size", "0"});
    const auto help = readLoadOptions({"--help"});
    const auto version = readLoadOptions({"--version"});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(mistake.error().context(), "--size: '0': a message has at least 1 byte");
    EXPECT_FALSE(help);
    EXPECT_FALSE(version);
}

TEST(LoadOptionsParser, KeepsAnErrorInOneLineWhateverItQuotes) {
    for (const char* text : {"1\n2", "\r\n", "\x1b[2J", "\x7f"}) {
        for (const Arguments& arguments :
             {Arguments{"--size", text}, Arguments{"--json", "-", text},
              Arguments{"--framing", text}, Arguments{text}}) {
            const auto options = readLoadOptions(arguments);
            ASSERT_FALSE(options);
            for (const char c : options.error().context()) EXPECT_TRUE(c >= ' ' && c != '\x7f');
        }
    }
}

TEST(LoadOptionsParser, RefusesWordsThatAreNoOptions) {
    for (const Arguments& arguments :
         {Arguments{"word"}, Arguments{""}, Arguments{"--no-such"}, Arguments{"-x"},
          Arguments{"--size"}, Arguments{"--duration", "1", "--duration", "2"}}) {
        EXPECT_FALSE(readLoadOptions(arguments)) << arguments[0];
    }
}

TEST(LoadOptionsParser, ExplainsTheModesAndTheExitCodesFirst) {
    int exitCode = -1;
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parseLoadOptions({"--help"}, exitCode));
    const std::string help = testing::internal::GetCapturedStdout();
    EXPECT_EQ(exitCode, 0);
    const std::string first = help.substr(0, help.find("\nUsage: "));
    for (const char* text :
         {"Closed loop (", "Open loop (", "0 pass", "1 connect or I/O errors", "2 usage",
          "3 wrong answer", "4 requirement missed", "5 cannot tell"}) {
        EXPECT_THAT(first, HasSubstr(text));
    }
    EXPECT_THAT(help, testing::StartsWith("Loads a server and checks every answer.\n"));
    EXPECT_THAT(help, HasSubstr(":6379 --send 'PING\\r\\n' --expect '+PONG\\r\\n'"));
    EXPECT_THAT(help, HasSubstr(" --tls --cacert ca.pem "));
    EXPECT_THAT(help, HasSubstr("echo-client agent --listen"));
    EXPECT_THAT(help, HasSubstr("\nExamples:\n  echo-client 10.0.0.9:7007 -c 1000 "));
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    for (const char* group : {"Target", "Load", "Open loop", "Connections", "Verdict", "Output",
                              "Bad clients", "Many machines"}) {
        EXPECT_THAT(help, HasSubstr(std::string("\n") + group + ":\n"));
    }
}

TEST(LoadOptionsParser, SaysItsVersion) {
    int exitCode = -1;
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parseLoadOptions({"--version"}, exitCode));
    EXPECT_THAT(testing::internal::GetCapturedStdout(), MatchesRegex("echo-client [^ ]+\n"));
    EXPECT_EQ(exitCode, 0);
}

}  // namespace
}  // namespace load
