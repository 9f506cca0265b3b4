#include "sms_router/app/Commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;
using Task = RouterOptions::Task;

struct Parsed {
    std::optional<RouterOptions> options;
    int exitCode = 0;
    std::string out;
    std::string errors;
};

Parsed parse(Words words) {
    words.insert(words.begin(), "sms-router");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    Parsed parsed;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    parsed.options =
        parseRouterOptions(static_cast<int>(argv.size()), argv.data(), parsed.exitCode);
    parsed.out = testing::internal::GetCapturedStdout();
    parsed.errors = testing::internal::GetCapturedStderr();
    return parsed;
}

TEST(RouterOptions, RunWithAConfiguration) {
    const auto options = parse({"--config", "router.toml"}).options;
    ASSERT_TRUE(options);
    EXPECT_EQ(options->task, Task::run);
    EXPECT_EQ(options->configFile, "router.toml");
    EXPECT_TRUE(options->settings.empty());
}

TEST(RouterOptions, TakeSettingsInTheirOrderAndAsTheyAre) {
    const auto options =
        parse({"--set", "a=1", "--config", "f", "--set", "b=[1,2]", "--set=c=", "--set", "d=x=y"})
            .options;
    ASSERT_TRUE(options);
    EXPECT_THAT(options->settings, ElementsAre("a=1", "b=[1,2]", "c=", "d=x=y"));
}

TEST(RouterOptions, HaveAFlightFileForARouterThatRuns) {
    EXPECT_EQ(parse({"--config", "f", "--flight-file", "g"}).options->flightFile, "g");
    EXPECT_EQ(parse({"--config", "f"}).options->flightFile, "");
    EXPECT_EQ(parse({"--config", "f", "--flight-file", ""}).errors,
              "sms-router: --flight-file: the file name must not be empty (see --help)\n");
    EXPECT_EQ(parse({"--config", "f", "--flight-file", "g", "--check"}).exitCode, 2);
}

TEST(RouterOptions, HaveATakeoverPathForARouterThatRuns) {
    EXPECT_EQ(parse({"--config", "f", "--takeover", "p"}).options->takeover, "p");
    EXPECT_EQ(parse({"--config", "f"}).options->takeover, "");
    EXPECT_EQ(parse({"--config", "f", "--takeover", ""}).errors,
              "sms-router: --takeover: the path must not be empty (see --help)\n");
    EXPECT_EQ(parse({"--config", "f", "--takeover", "p", "--check"}).exitCode, 2);
}

TEST(RouterOptions, ChooseATask) {
    EXPECT_EQ(parse({"--config", "f", "--check"}).options->task, Task::check);
    EXPECT_EQ(parse({"--config", "f", "--explain", "--to", "1"}).options->task, Task::explain);
    EXPECT_EQ(parse({"--hash-password"}).options->task, Task::hashPassword);
}

TEST(RouterOptions, DescribeTheMessageToExplain) {
    const auto options =
        parse({"--config", "f", "--explain", "--from", "123", "--to", "+41791234567", "--account",
               "esme1", "--service-type", "CMT", "--data-coding", "8"})
            .options;
    ASSERT_TRUE(options);
    EXPECT_EQ(options->message.source, "123");
    EXPECT_EQ(options->message.destination, "+41791234567");
    EXPECT_EQ(options->message.account, "esme1");
    EXPECT_EQ(options->message.serviceType, "CMT");
    EXPECT_EQ(options->message.dataCoding, 8);
}

TEST(RouterOptions, DescribeAMessageOfAnSmscToExplain) {
    const auto options =
        parse({"--config", "f", "--explain", "--connector", "smsc", "--to", "1234"}).options;
    ASSERT_TRUE(options);
    EXPECT_EQ(options->message.connector, "smsc");
    EXPECT_EQ(options->message.destination, "1234");
}

TEST(RouterOptions, TakeADataCodingAsDescriptionsOfPdusWriteIt) {
    const auto options =
        parse({"--config", "f", "--explain", "--to", "1", "--data-coding", "0xF5"}).options;
    ASSERT_TRUE(options);
    EXPECT_EQ(options->message.dataCoding, 0xF5);
}

TEST(RouterOptions, AreRefusedInOneLine) {
    const std::pair<Words, Words> rows[] = {
        {{}, {"--config is required"}},
        {{"--check"}, {"--config is required"}},
        {{"--config", ""}, {"--config", "the file name must not be empty"}},
        {{"--config", "f", "--config", "g"}, {"--config"}},
        {{"--config", "f", "g"}, {"g"}},
        {{"--config", "f", "--check=abc"}, {"check was given"}},
        {{"--config", "f", "--check=false"}, {"check was given"}},
        {{"--config", "f", "--explain=,", "--to", "1"}, {"explain was given"}},
        {{"--hash-password=99999999999999999999"}, {"hash-password was given"}},
        {{"--config", "f", "--nonsense"}, {"--nonsense"}},
        {{"--config", "f", "--set", "x"}, {"--set", "'x' is not KEY=VALUE"}},
        {{"--config", "f", "--set", "=x"}, {"--set", "'=x' is not KEY=VALUE"}},
        {{"--config", "f", "--set", "a=1", "b=2"}, {"b=2"}},
        {{"--config", "f", "--check", "--explain", "--to", "1"}, {"--check", "--explain"}},
        {{"--hash-password", "--config", "f"}, {"--hash-password", "--config"}},
        {{"--hash-password", "--set", "a=1"}, {"--hash-password", "--set"}},
        {{"--hash-password", "--check"}, {"--hash-password", "--check"}},
        {{"--hash-password", "--explain", "--to", "1"}, {"--hash-password", "--explain"}},
        {{"--config", "f", "--explain"}, {"--explain", "--to"}},
        {{"--config", "f", "--to", "1"}, {"--to", "--explain"}},
        {{"--config", "f", "--from", "1"}, {"--from", "--explain"}},
        {{"--config", "f", "--account", "1"}, {"--account", "--explain"}},
        {{"--config", "f", "--service-type", "1"}, {"--service-type", "--explain"}},
        {{"--config", "f", "--data-coding", "1"}, {"--data-coding", "--explain"}},
        {{"--config", "f", "--connector", "1"}, {"--connector", "--explain"}},
        {{"--config", "f", "--explain", "--to", "1", "--connector", "1", "--account", "2"},
         {"--connector", "--account"}},
        {{"--config", "f", "--explain", "--to", "1", "--connector", "1", "--data-coding", "8"},
         {"--connector", "--data-coding"}},
        {{"--config", "f", "--explain", "--to", "1", "--connector", "1", "--service-type", "V"},
         {"--connector", "--service-type"}},
        {{"--config", "f", "--explain", "--to", "1", "--connector", ""},
         {"--connector", "the connector name must not be empty"}},
        {{"--config", "f", "--explain", "--to", "1", "--data-coding", "256"},
         {"--data-coding", "'256' is out of range: 0 to 255"}},
    };
    for (const auto& [words, parts] : rows) {
        const Parsed parsed = parse(words);
        const std::string line = testing::PrintToString(words);
        EXPECT_FALSE(parsed.options) << line;
        EXPECT_EQ(parsed.exitCode, 2) << line;
        EXPECT_TRUE(parsed.errors.starts_with("sms-router: ")) << parsed.errors;
        EXPECT_EQ(std::count(parsed.errors.begin(), parsed.errors.end(), '\n'), 1) << line;
        for (const auto& part : parts) EXPECT_THAT(parsed.errors, HasSubstr(part)) << line;
        EXPECT_EQ(parsed.out, "") << line;
    }
}

TEST(RouterOptions, ExplainThemselvesWithExamples) {
    const Parsed help = parse({"--help"});
    EXPECT_FALSE(help.options);
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  sms-router --config router.toml\n"));
    for (const char* signal : {"SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"}) {
        EXPECT_THAT(help.out, HasSubstr(signal));
    }
    for (const char* option :
         {"--config FILE", "--set KEY=VALUE", "--check", "--explain", "--from", "--to", "--account",
          "--service-type", "--data-coding N=0", "--connector", "--hash-password", "--version"}) {
        EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + option)) << option;
    }
}

TEST(RouterOptions, NameTheVersion) {
    const Parsed version = parse({"--version"});
    EXPECT_EQ(version.exitCode, 0);
    EXPECT_TRUE(version.out.starts_with("sms-router ")) << version.out;
}

}  // namespace
}  // namespace router
