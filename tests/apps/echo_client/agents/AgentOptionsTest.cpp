#include "echo_client/agents/AgentOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace {

using load::AgentOptions;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

class AgentCommandLine : public testing::Test {
  protected:
    AgentCommandLine() { ::unsetenv("ECHO_CLIENT_TOKEN"); }
    ~AgentCommandLine() override { ::unsetenv("ECHO_CLIENT_TOKEN"); }

    std::optional<AgentOptions> parse(const Words& words) {
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        auto options = load::parseAgentOptions(words, exitCode);
        output = testing::internal::GetCapturedStdout();
        errors = testing::internal::GetCapturedStderr();
        return options;
    }

    int exitCode = -1;
    std::string output;
    std::string errors;
};

TEST_F(AgentCommandLine, ListensOnTheLoopbackUnlessToldOtherwise) {
    const auto options = parse({"--token", "t"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->listen.toString(), "127.0.0.1:7010");
    EXPECT_EQ(options->token, "t");
    EXPECT_EQ(options->threads, 0u);
}

TEST_F(AgentCommandLine, SaysWhereToListenAndHowManyDispatchers) {
    const auto options = parse({"--listen", "[::]:0", "--token", "t", "--threads", "3"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->listen.toString(), "[::]:0");
    EXPECT_EQ(options->threads, 3u);
    EXPECT_EQ(parse({"--listen", "box:7", "--token", "t"})->listen.toString(), "box:7");
}

TEST_F(AgentCommandLine, TakesTheTokenFromTheEnvironmentToo) {
    ::setenv("ECHO_CLIENT_TOKEN", "of-the-environment", 1);
    EXPECT_EQ(parse({})->token, "of-the-environment");
    EXPECT_EQ(parse({"--token", "given"})->token, "given");
}

TEST_F(AgentCommandLine, RefusesWithOneLine) {
    for (const Words& words :
         {Words{}, Words{"--token", ""}, Words{"--token", "with blank"},
          Words{"--token", "t", "--listen", "7010"}, Words{"--token", "t", "--listen", ":0"},
          Words{"--token", "t", "--listen", "a:70000"}, Words{"--token", "t", "--threads", "-1"},
          Words{"--token", "t", "--size", "64"}, Words{"--token", "t", "more"}}) {
        EXPECT_FALSE(parse(words));
        EXPECT_EQ(exitCode, 2);
        EXPECT_THAT(errors, AllOf(StartsWith("echo-client agent: "), HasSubstr("--help")));
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    }
}

TEST_F(AgentCommandLine, HasAHelpOfItsOwn) {
    EXPECT_FALSE(parse({"--help"}));
    EXPECT_EQ(exitCode, 0);
    EXPECT_THAT(output, AllOf(HasSubstr("--listen"), HasSubstr("--token"), HasSubstr("--threads"),
                              HasSubstr("unencrypted"), HasSubstr("ECHO_CLIENT_TOKEN")));
}

}  // namespace
