// What the router does instead of running: --check, --explain, --hash-password.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include "sms_router/app/Commands.h"
#include "sms_router/config/PasswordHash.h"

namespace router {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr const char* good = R"(
[listener.esme]
[account.alice]
password = "secret"
[connector.smsc]
host = "127.0.0.1"
system_id = "router"
)";

// A configuration in a file while it lives.
class TestFile {
  public:
    explicit TestFile(const std::string& text)
        : path_(testing::TempDir() + "commands-" + std::to_string(::getpid()) + ".toml") {
        std::ofstream(path_) << text;
        ::chmod(path_.c_str(), 0640);
    }
    TestFile(const TestFile&) = delete;
    TestFile& operator=(const TestFile&) = delete;
    ~TestFile() { std::remove(path_.c_str()); }

    const std::string& path() const { return path_; }
    RouterOptions options() const {
        RouterOptions options;
        options.configFile = path_;
        return options;
    }

  private:
    const std::string path_;
};

TEST(CheckCommand, SaysWhatThereIs) {
    const TestFile file(good);
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(checkConfig(file.options(), out, errors), 0);
    EXPECT_EQ(out.str(), file.options().configFile +
                             ": ok\n1 listener, 1 account, 1 connector, 0 groups, 1 route, "
                             "0 MO routes; ids in sms-router.db; no admin interface\n");
    EXPECT_EQ(errors.str(), "");
}

TEST(CheckCommand, SaysEveryMistakeWithItsLine) {
    const TestFile file(std::string("colour = 1\n[router]\nthreads = -1\n") + good);
    std::ostringstream out;
    std::ostringstream errors;
    const std::string path = file.options().configFile;
    EXPECT_EQ(checkConfig(file.options(), out, errors), 2);
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(errors.str(), path + ":1: unknown key 'colour'\n" + path +
                                ":3: router.threads: -1 is not a whole number\n");
}

TEST(CheckCommand, TakesWarningsForNoMistakes) {
    const TestFile file("[listener.esme]\n");
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(checkConfig(file.options(), out, errors), 0);
    EXPECT_THAT(errors.str(), HasSubstr(": warning: no account is configured"));
}

TEST(CheckCommand, WarnsOfAConfigurationThatAllCanRead) {
    const TestFile file(good);
    const auto said = [&](mode_t mode) {
        EXPECT_EQ(::chmod(file.path().c_str(), mode), 0);
        std::ostringstream out;
        std::ostringstream errors;
        EXPECT_EQ(checkConfig(file.options(), out, errors), 0);
        return errors.str();
    };
    EXPECT_EQ(said(0644), file.path() + ": warning: every user can read " + file.path() +
                              " (mode 0644); use 0640 or less\n");
    EXPECT_EQ(said(0640), "");
}

TEST(CheckCommand, ShowsNoControlCharactersOfTheFile) {
    const TestFile file("\"a\\u001b[2J\" = 1\n" + std::string(good));
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(checkConfig(file.options(), out, errors), 2);
    EXPECT_THAT(errors.str(), HasSubstr(":1: unknown key 'a?[2J'"));
}

TEST(CheckCommand, SaysWhenThereIsNoFile) {
    RouterOptions options;
    options.configFile = "/nowhere/x.toml";
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(checkConfig(options, out, errors), 2);
    EXPECT_EQ(errors.str(), "/nowhere/x.toml: No such file or directory\n");
}

TEST(ExplainCommand, TakesEveryConnectorForLive) {
    const TestFile file(good);
    RouterOptions options = file.options();
    options.message.account = "alice";
    options.message.destination = "41791234567";
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(explainMessage(options, out, errors), 0);
    EXPECT_THAT(out.str(), EndsWith("=> connector \"smsc\"\n"));
    EXPECT_EQ(errors.str(), "");
}

TEST(ExplainCommand, RefusesAnAccountOrConnectorThatIsUnknown) {
    const TestFile file(good);
    RouterOptions options = file.options();
    options.message.destination = "41791234567";
    for (std::string ExplainRequest::*of : {&ExplainRequest::account, &ExplainRequest::connector}) {
        const std::string before = std::exchange(options.message.*of, "carol");
        std::ostringstream out;
        std::ostringstream errors;
        EXPECT_EQ(explainMessage(options, out, errors), 2);
        EXPECT_EQ(out.str(), "");
        EXPECT_THAT(errors.str(), HasSubstr("unknown "));
        EXPECT_THAT(errors.str(), HasSubstr("'carol'"));
        options.message.*of = before;
    }
}

TEST(ExplainCommand, NeedsAConfigurationWithoutMistakes) {
    const TestFile file("x = 1\n");
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(explainMessage(file.options(), out, errors), 2);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(errors.str(), HasSubstr(":1: unknown key 'x'"));
}

TEST(HashPasswordCommand, WritesAHashOfTheFirstLine) {
    std::istringstream in("secret1\r\nmore\n");
    std::ostringstream out;
    std::ostringstream errors;
    EXPECT_EQ(hashPassword(in, out, errors), 0);
    const std::string line = out.str();
    ASSERT_THAT(line, EndsWith("\n"));
    const PasswordHash hash(line.substr(0, line.size() - 1));
    EXPECT_TRUE(hash.isUsable());
    EXPECT_TRUE(hash.check("secret1"));
}

TEST(HashPasswordCommand, RefusesWhatNoBindCanCarry) {
    const std::string inputs[] = {"", "\n", std::string(65, '1') + "\n", std::string("a\0b\n", 4)};
    for (const std::string& input : inputs) {
        std::istringstream in(input);
        std::ostringstream out;
        std::ostringstream errors;
        EXPECT_EQ(hashPassword(in, out, errors), 2) << input;
        EXPECT_EQ(out.str(), "");
        EXPECT_NE(errors.str(), "");
    }
}

}  // namespace
}  // namespace router
