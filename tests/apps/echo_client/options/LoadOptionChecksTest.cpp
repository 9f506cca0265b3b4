// Contradictions and limits, each in a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "echo_client/options/LoadOptionsParser.h"

namespace load {
namespace {

using testing::HasSubstr;

std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

void expectAccepted(const std::string& line) {
    const auto options = readLoadOptions(words(line));
    EXPECT_TRUE(options) << line << ": " << options.error().context();
}

// In one line that has all of `parts` in it.
void expectRefused(const std::string& line, const std::vector<std::string>& parts) {
    const auto options = readLoadOptions(words(line));
    ASSERT_FALSE(options) << line;
    EXPECT_TRUE(options.error().is(std::errc::invalid_argument));
    for (const auto& part : parts) EXPECT_THAT(options.error().context(), HasSubstr(part)) << line;
    EXPECT_EQ(options.error().context().find('\n'), std::string::npos);
}

// --- contradictions -------------------------------------------------------------------------

// Options with a value that is fine on its own.
struct Given {
    const char* option;
    const char* value;
    const char* needs = "";
    std::string text() const { return std::string(option) + " " + value + " " + needs + " "; }
};

const Given rate{"--rate", "5k"};
const Given stages{"--stages", "9s:1k"};
const Given think{"--think", "1ms"};
const Given arrivals{"--arrivals", "poisson", "--rate 1k"};
const Given findMax{"--find-max", "p99<1ms"};
const Given repeat{"--repeat", "3"};
const Given pipeline{"--pipeline", "3"};
const Given require{"--require", "p99<1ms"};
const Given lifetime{"--lifetime", "1s"};
const Given closing{"--close", "rst", "--lifetime 1s"};
const Given agents{"--agents", "a:1", "--token t"};
const Given token{"--token", "t", "--agents a:1"};
const Given misbehave{"--misbehave", "half-message"};
const Given beside{"--beside", "slowloris:2"};
const Given unixPath{"--unix", "/x"};
const Given jsonLines{"--json-lines", "f"};
const Given csv{"--csv", "f"};
const Given html{"--html", "f"};
const Given compare{"--compare", "f"};
const Given hgrm{"--hgrm", "f"};
const Given keepBad{"--keep-bad", "f"};
const Given serverPid{"--server-pid", "1"};
const Given warmup{"--warmup", "1s"};
const Given connectRate{"--connect-rate", "1k"};
const Given spin{"--busy-poll", "50us"};
const Given connectOnly{"--connect-only", ""};
const Given noAnswer{"--no-answer", ""};
const Given firstExpect{"--first-expect", "a", "--send a --expect b"};

struct Pair {
    Given one;
    Given other;
};

std::vector<Pair> contradictions() {
    std::vector<Pair> pairs{{rate, stages},
                            {rate, think},
                            {stages, think},
                            {findMax, stages},
                            {findMax, think},
                            {findMax, repeat},
                            {unixPath, {"--host", "h"}},
                            {unixPath, {"--port", "1"}},
                            {unixPath, {"--source", "127.0.0.1"}},
                            {connectOnly, noAnswer},
                            {connectOnly, firstExpect},
                            {connectOnly, rate},
                            {connectOnly, pipeline},
                            {connectOnly, lifetime},
                            {beside, misbehave},
                            {beside, agents},
                            {beside, {"--tls", ""}},
                            {serverPid, agents}};
    for (const Given& other :
         {rate,     stages,  think,     arrivals, findMax,     repeat, pipeline,    require,
          lifetime, closing, agents,    token,    jsonLines,   csv,    html,        compare,
          hgrm,     keepBad, serverPid, warmup,   connectRate, spin,   connectOnly, noAnswer}) {
        pairs.push_back({misbehave, other});
    }
    return pairs;
}

TEST(LoadOptionChecks, RefusesTwoOptionsThatContradictEachOther) {
    for (const auto& [one, other] : contradictions()) {
        expectAccepted(one.text());
        expectAccepted(other.text());
        expectRefused(one.text() + other.text(), {"--", " excludes --"});
        expectRefused(other.text() + one.text(), {"--", " excludes --"});
    }
}

TEST(LoadOptionChecks, NamesBothOfAPair) {
    expectRefused("--rate 5k --stages 9s:1k", {"--rate", "--stages"});
    expectRefused("--misbehave half-message --csv f", {"--misbehave", "--csv"});
    expectRefused("--unix /x --source 127.0.0.1", {"--unix", "--source"});
}

TEST(LoadOptionChecks, RefusesAnOptionThatIsNothingWithoutAnother) {
    const std::tuple<const char*, const char*, const char*> lacks[] = {
        {"--close rst", "--lifetime", "--lifetime 1s"},
        {"--send a", "--expect", "--expect any"},
        {"--send a", "--no-answer", "--no-answer"},
        {"--close rst", "--connect-only", "--connect-only"},
        {"--first-send a", "--send", "--send a --no-answer"},
        {"--first-expect a", "--send", "--send a --expect any"},
        {"--resume", "--tls", "--tls"},
        {"--tls --unix /x", "--sni", "--sni name"},
        {"--tls --unix /x", "--insecure", "--insecure"},
        {"--require rate>=before", "--compare", "--compare f"},
        {"--token t", "--agents", "--agents a:1"},
        {"--agents a:1", "--token", "--token t"},
        {"--arrivals poisson", "--rate", "--rate 1k"},
        {"--arrivals poisson", "--stages", "--stages 9s:1k"},
        {"--arrivals constant", "--find-max", "--find-max p99<1s"},
        {"--require lateness.p99<1ms", "--rate", "--rate 1k"},
        {"--require handshake.p99<1ms", "--tls", "--tls"},
        {"--find-max handshake.p99<1ms", "--tls", "--tls"},
        {"--require service.p99<1ms", "--stages", "--stages 9s:1k"},
        {"--count 3", "rst-storm", "--misbehave rst-storm"},
        {"--every 3", "slowloris", "--misbehave slowloris"},
        {"--every 3", "slowloris", "--beside slowloris:2"}};
    for (const auto& [lonely, missing, company] : lacks) {
        expectRefused(lonely, {words(lonely)[0], missing});
        expectAccepted(std::string(lonely) + " " + company);
    }
    expectRefused("--count 3 --misbehave slowloris", {"--count"});
    expectRefused("--every 3 --misbehave rst-storm", {"--every"});
    expectRefused("--every 3 --beside rst-storm:2", {"--every"});
}

TEST(LoadOptionChecks, RefusesAnEmptyPartOfAList) {
    for (const char* list : {"127.0.0.1,,127.0.0.2", "127.0.0.1,", ",127.0.0.1", ","}) {
        expectRefused(std::string("--source ") + list, {"--source", list, "empty part"});
    }
    expectRefused("--send a --expect b --weights 1,,2", {"--weights", "empty part"});
    expectRefused("--agents , --token x", {"--agents", "empty part"});
    expectAccepted("--source 127.0.0.1,127.0.0.2 --source ::1");
    expectAccepted("--send a --send b --expect c --weights 1,2");
}

TEST(LoadOptionChecks, RefusesAPortWithinTheHost) {
    for (const char* host : {"[::1]:7000", "[::1", "::1]", "localhost:7"}) {
        expectRefused(std::string("--host ") + host, {"--host", host, "--port"});
    }
    expectAccepted("--host [::1]");
    expectAccepted("--host ::1");
    expectAccepted("--host fe80::1%eth0");
}

TEST(LoadOptionChecks, RefusesOneByteBesideALoadWithoutEchoes) {
    expectAccepted("--beside one-byte:2");
    expectAccepted("--beside slowloris:2 --send a --expect b");
    for (const char* load : {"--send a --expect b", "--no-answer", "--connect-only"}) {
        expectRefused(std::string("--beside one-byte:2 ") + load, {"--beside", "echoes"});
    }
}

TEST(LoadOptionChecks, RefusesStagesThatLeaveNothingToMeasure) {
    expectRefused("--stages 500ms:1k", {"--stages", "500ms"});
    expectRefused("--stages 1s:1k,1s:2k --warmup 3s", {"--stages", "--warmup"});
    expectAccepted("--stages 501ms:1k");
}

TEST(LoadOptionChecks, RefusesToMeasureLongerThanTheStagesLast) {
    expectRefused("--stages 5s:1k --duration 4501ms", {"--duration", "--stages", "4500ms"});
    expectAccepted("--stages 5s:1k --duration 4500ms");
    expectAccepted("--stages 5s:1k --duration 1s");
}

TEST(LoadOptionChecks, SearchesOnlyForAnUpperBoundOfATime) {
    for (const char* text : {"rate>5k", "errors=0", "p99>1ms", "p99=1ms"}) {
        expectRefused(std::string("--find-max ") + text, {"--find-max", text});
    }
    expectAccepted("--find-max service.p99.9<=1ms --require errors=0");
}

TEST(LoadOptionChecks, LetsOneResultOwnAFileOrStandardOutput) {
    const std::string options[] = {"--json", "--json-lines", "--csv",
                                   "--html", "--hgrm",       "--keep-bad"};
    for (const auto& one : options) {
        expectAccepted(one + " - --quiet");
        for (const auto& other : options) {
            if (one == other) continue;
            expectRefused(one + " - " + other + " -", {one, other, "standard output"});
            expectRefused(one + " f " + other + " f", {one, other, " f"});
            expectAccepted(one + " - " + other + " f");
            expectAccepted(one + " /dev/null " + other + " /dev/null");
        }
    }
}

// --- limits ---------------------------------------------------------------------------------

struct Limit {
    const char* option;
    std::vector<const char*> inside;
    std::vector<const char*> outside;
    const char* with = "";
};

const std::vector<Limit> limits{
    {"--port", {"1", "65535"}, {"0", "65536", "-1", "http"}},
    {"--connections", {"1", "1M"}, {"0", "1000001", "-1", "many"}},
    {"--pipeline", {"1", "65536"}, {"0", "65537", "x"}},
    {"--size", {"1", "16Mi", "1-16Mi"}, {"0", "16777217", "1-16777217", "x"}},
    {"--size", {"1Mi"}, {"1048577"}, "--framing length"},
    {"--size", {"65536"}, {"65537"}, "--framing stx-etx"},
    {"--size", {"65536"}, {"65537"}, "--framing lines"},
    {"--think", {"0", "1000000"}, {"1000001", "-1", "1k"}},
    {"--duration", {"1ms", "1000000"}, {"0", "999us", "1000001", "long"}},
    {"--warmup", {"0", "1000000"}, {"1000001", "x"}},
    {"--timeout", {"1ms", "1000000"}, {"0", "999us", "x"}},
    {"--seed", {"0", "9007199254740992"}, {"9007199254740993", "-1", "1.5"}},
    {"--busy-poll", {"0", "1s"}, {"1001ms", "x"}},
    {"--rate", {"0.001", "1G"}, {"0", "1.1G", "-5", "5ms"}},
    {"--stages", {"1s:0-1G"}, {"1s:1.1G", "1s", "1s:0"}},
    {"--arrivals", {"constant", "poisson"}, {"gauss"}, "--rate 1k"},
    {"--connect-rate", {"0.001", "1G"}, {"0", "-1", "x"}},
    {"--keepalive", {"1s", "9h"}, {"0", "-1", "999ms", "32401", "1d", "soon"}},
    {"--lifetime", {"1ns", "1msg"}, {"0", "0msg", "x"}},
    {"--close", {"clean", "rst:1,half:1"}, {"fin", "rst:0"}, "--lifetime 1s"},
    {"--threads", {"0", "1024"}, {"1025", "-1", "x"}},
    {"--selector", {"auto", "epoll", "poll", "select"}, {"devpoll"}},
    {"--framing", {"raw", "stx-etx", "lines", "length"}, {"morse"}},
    {"--require", {"p99<1ms"}, {"p99", "speed>1"}},
    {"--find-max", {"p99<1ms"}, {"p99", "speed<1"}},
    {"--repeat", {"1", "1000"}, {"0", "1001", "x"}},
    {"--server-pid", {"1"}, {"0", "-1", "x", "2147483647", "4Gi"}},
    {"--source", {"127.0.0.1,::1", "[::1]"}, {"localhost", "127.0.0.1,x", "[127.0.0.1]"}},
    {"--agents",
     {"a:1", "[::1]:65535,b:2"},
     {"a", "a:", ":1", "a:0", "a:65536", "::1:2", "[::1]", "[]:1", "a:x"},
     "--token t"},
    {"--misbehave",
     {"slowloris", "never-read", "rst-storm", "one-byte", "half-message"},
     {"politely"}},
    {"--beside",
     {"slowloris:1", "rst-storm:1M"},
     {"slowloris", "politely:3", "slowloris:0", "slowloris:1000001", "slowloris:x"}},
    {"--count", {"1", "1M"}, {"0", "1000001"}, "--misbehave rst-storm"},
    {"--every", {"1ms", "1000000"}, {"0", "x"}, "--misbehave slowloris"}};

TEST(LoadOptionChecks, KeepsEveryLimitAndNamesTheOption) {
    for (const auto& [option, inside, outside, with] : limits) {
        const auto line = [&, o = option, w = with](const char* value) {
            // So that size x pipeline x connections is not what is refused.
            const bool large = std::string(o) == "--size" || std::string(o) == "--connections" ||
                               std::string(o) == "--pipeline";
            const std::string few =
                large && std::string(o) != "--connections" ? " --connections 1 " : " ";
            return std::string(w) + few + o + " " + value;
        };
        for (const char* value : inside) expectAccepted(line(value));
        for (const char* value : outside) expectRefused(line(value), {option});
    }
}

TEST(LoadOptionChecks, RefusesAnEmptyValueOfEveryOption) {
    for (const Limit& limit : limits) {
        std::vector<std::string> line = words(limit.with);
        line.insert(line.end(), {limit.option, ""});
        const auto options = readLoadOptions(line);
        ASSERT_FALSE(options) << limit.option;
        EXPECT_THAT(options.error().context(), HasSubstr(limit.option));
        EXPECT_THAT(options.error().context(), HasSubstr("must not be empty"));
    }
}

TEST(LoadOptionChecks, TakesAnIpv6HostInBrackets) {
    EXPECT_EQ(readLoadOptions({"--host", "[::1]"}).value().endpoint.host, "::1");
}

TEST(LoadOptionChecks, NamesTheRangeThatANumberIsOutOf) {
    expectRefused("--connections 0", {"'0' is out of range: 1 to 1000000"});
    expectRefused("--duration 0", {"'0' is out of range: 1ms to 1000000s"});
    expectRefused("--rate 0", {"out of range: 0.001 to 1000000000 per second"});
    expectRefused("--port 0", {"out of range: 1 to 65535"});
    expectRefused("--framing lines --size 70000", {"at most 65536 bytes"});
}

TEST(LoadOptionChecks, ComparesTwoFilesWithoutARun) {
    const auto options = readLoadOptions(words("--compare a.json b.json --require p99<=before"));
    ASSERT_TRUE(options) << options.error().context();
    EXPECT_EQ(options.value().finishedRun, "b.json");
    EXPECT_EQ(readLoadOptions(words("--compare a.json h:7 -r 5")).orThrow().finishedRun, "");
    EXPECT_TRUE(readLoadOptions(words("--compare a b --require service.p99<1ms"))) << "b decides";
    expectRefused("--compare a.json b.json -r 5k", {"--rate", "'b.json' is not HOST:PORT"});
    expectRefused("--compare a.json b.json --html h", {"--html", "needs a run"});
    expectRefused("b.json", {"'b.json' is not HOST:PORT"});
}

TEST(LoadOptionChecks, BoundsByAnEarlierRunNeedExactlyOne) {
    expectRefused("--compare a --compare b --require p99<=before+10%", {"--require", "once"});
    expectRefused("--compare a --find-max p99<before", {"--find-max", "upper bound of a time"});
}

TEST(LoadOptionChecks, WantsAConnectionForEachAgent) {
    expectRefused("--agents a:1,b:1,c:1 --token t --connections 2", {"--connections", "--agents"});
    expectAccepted("--agents a:1,b:1,c:1 --token t --connections 3");
}

TEST(LoadOptionChecks, WantsEachAgentOnce) {
    expectRefused("--agents a:1,a:2,a:1 --token t", {"--agents", "'a:1' is given twice"});
    expectAccepted("--agents a:1,a:2 --token t");
}

TEST(LoadOptionChecks, RefusesAnEmptyPathAndAnEmptyToken) {
    for (const char* option : {"--json", "--json-lines", "--csv", "--html", "--hgrm", "--keep-bad",
                               "--unix", "--compare", "--token", "--agents", "--source"}) {
        EXPECT_FALSE(readLoadOptions({"--html", "page", "--agents", "a:1", option, ""})) << option;
    }
    for (const std::string& secret : {std::string("two words"), std::string("tab\t"),
                                      std::string("é"), std::string(257, 'x')}) {
        const auto options = readLoadOptions({"--agents", "a:1", "--token", secret});
        ASSERT_FALSE(options);
        EXPECT_EQ(options.error().context().find(secret), std::string::npos);
    }
    EXPECT_TRUE(readLoadOptions({"--agents", "a:1", "--token", std::string(256, 'x')}));
}

TEST(LoadOptionChecks, KeepsMemoryBoundedInAClosedLoop) {
    expectAccepted("--connections 1k --pipeline 1k --size 2000");
    expectRefused("--connections 1k --pipeline 1k --size 2001", {"--size", "2 GB"});
    expectRefused("--connections 1k --pipeline 1k --size 1,2001", {"--size", "2 GB"});
    expectAccepted("--connections 1k --pipeline 1k --size 2001 --rate 10");
    const std::string dialogue = "--connections 1k --pipeline 1k --send a --expect b ";
    expectAccepted(dialogue + "--send {random:2000} --expect b");
    expectRefused(dialogue + "--send {random:2001} --expect b", {"--send", "2 GB"});
}

}  // namespace
}  // namespace load
