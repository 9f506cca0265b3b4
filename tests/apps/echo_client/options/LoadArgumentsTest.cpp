#include "echo_client/options/LoadOptionsParser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using load::loadArguments;
using load::LoadOptions;
using load::readLoadOptions;
using testing::Contains;
using testing::IsSupersetOf;

using Words = std::vector<std::string>;

LoadOptions read(const Words& words) {
    return readLoadOptions(words).orThrow();
}

class LoadFlags : public testing::TestWithParam<Words> {};

TEST_P(LoadFlags, MakeTheSameLoadAtAnAgent) {
    const LoadOptions here = read(GetParam());
    const LoadOptions there = read(loadArguments(here));
    EXPECT_EQ(loadArguments(there), loadArguments(here));
    EXPECT_EQ(there.endpoint.toString(), here.endpoint.toString());
    EXPECT_EQ(there.sources, here.sources);
    EXPECT_EQ(there.framing, here.framing);
    EXPECT_EQ(there.connections, here.connections);
    EXPECT_EQ(there.size.toString(), here.size.toString());
    EXPECT_EQ(there.messages, here.messages);
    EXPECT_EQ(there.pipeline, here.pipeline);
    EXPECT_EQ(there.rate.has_value(), here.rate.has_value());
    if (here.rate) {
        EXPECT_EQ(there.rate->toString(), here.rate->toString());
        EXPECT_DOUBLE_EQ(there.rate->rateAt(0.4), here.rate->rateAt(0.4));
    }
    EXPECT_EQ(there.arrivals, here.arrivals);
    EXPECT_EQ(there.think, here.think);
    EXPECT_EQ(there.duration, here.duration);
    EXPECT_EQ(there.warmup, here.warmup);
    EXPECT_EQ(there.answerTimeout, here.answerTimeout);
    EXPECT_EQ(there.seed, here.seed);
    EXPECT_DOUBLE_EQ(there.connectRate, here.connectRate);
    EXPECT_EQ(there.lifetime.toString(), here.lifetime.toString());
    EXPECT_EQ(there.closing.toString(), here.closing.toString());
    EXPECT_EQ(there.threads, here.threads);
    EXPECT_EQ(there.selector, here.selector);
    EXPECT_EQ(there.spin, here.spin);
    EXPECT_EQ(there.reconnects, here.reconnects);
    EXPECT_EQ(there.connectTimeout, here.connectTimeout);
    EXPECT_EQ(there.connectOnly, here.connectOnly);
    EXPECT_EQ(there.isOneWay, here.isOneWay);
}

INSTANTIATE_TEST_SUITE_P(
    All, LoadFlags,
    testing::Values(
        Words{}, Words{"--busy-poll", "50us"},
        Words{"--unix", "/run/e cho.sock", "--framing", "lines"},
        Words{"--host", "::1", "--port", "9", "--source", "::1,fe80::2"},
        Words{"--connections", "7", "--size", "64:70,1500:30", "--pipeline", "3", "--think", "20ms",
              "--threads", "2", "--selector", "poll"},
        Words{"--rate", "12345.678", "--arrivals", "poisson", "--busy-poll", "0", "--duration",
              "1.5s"},
        Words{"--rate", "0.25", "--pipeline", "9", "--timeout", "333ms", "--seed", "99"},
        Words{"--stages", "1s:1k,700ms:0-9k,250us:0", "--warmup", "10ms"},
        Words{"--stages", "1s:1k,2s:5k", "--duration", "700ms"},
        Words{"--lifetime", "500ms,100msg", "--close", "clean:80,rst:20", "--connect-rate", "300"},
        Words{"--keepalive", "90s"}, Words{"--connect-timeout", "3s"},
        Words{"--rate", "5k", "--no-reconnect"}, Words{"-n", "1000"},
        Words{"--connect-only", "--close", "rst", "--connect-rate", "300"}, Words{"--no-answer"},
        Words{"--send", "a{seq}", "--no-answer", "--first-send", "HELLO"},
        Words{"--send", "a", "--expect", "any", "--first-send", "b", "--first-expect", "lines:1"},
        Words{"--tls", "--cacert", "a.pem", "--cert", "b.pem", "--key", "c.pem", "--resume"},
        Words{"--lifetime", "3msg", "--close", "half", "--warmup", "0"}));

TEST(LoadArguments, SayNothingOfOutputsVerdictsAndTheToken) {
    const LoadOptions options =
        read({"--json", "j", "--html", "h", "--quiet", "--require", "errors=0", "--repeat", "3",
              "--agents", "a:1", "--token", "secret", "--size", "99"});
    const Words words = loadArguments(options);
    EXPECT_THAT(words, Contains("--size=99"));
    for (const std::string& word : words) {
        for (const char* other :
             {"json", "html", "quiet", "require", "repeat", "agents", "token", "secret"}) {
            EXPECT_EQ(word.find(other), std::string::npos) << word;
        }
    }
}

// A search tries rates that no word of the command line says.
TEST(LoadArguments, SayTheRateThatIsTried) {
    LoadOptions options = read({"--find-max", "p99<1ms"});
    options.rate = load::RateCurve::constant(1234);
    EXPECT_THAT(loadArguments(options), Contains("--rate=1.234k/s"));
}

TEST(LoadArguments, NameTheOptionThatIsNoAgentsBusiness) {
    EXPECT_EQ(notForAgents(read({"--size", "64", "--require", "errors=0", "--quiet"})),
              std::nullopt);
    for (const Words& words : {Words{"--json", "f"}, Words{"--json-lines", "f"},
                               Words{"--csv", "f"}, Words{"--hgrm", "f"}, Words{"--keep-bad", "f"},
                               Words{"--html", "f"}, Words{"--agents", "a:1", "--token", "t"},
                               Words{"--misbehave", "slowloris"}, Words{"--beside", "slowloris:2"},
                               Words{"--find-max", "p99<1ms"}, Words{"--repeat", "2"}}) {
        EXPECT_EQ(notForAgents(read(words)), words.front());
    }
}

}  // namespace
