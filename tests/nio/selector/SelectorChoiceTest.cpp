// Which engine is opened for which kind.
#include <nio/selector/Selector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

#include "support/Engines.h"
#include "support/RefusedCall.h"

namespace nio {
namespace {

// The environment of the test run itself may name one.
class SelectorChoice : public testing::Test {
  protected:
    SelectorChoice() {
        if (const char* before = std::getenv(variable)) before_ = before;
    }
    ~SelectorChoice() override {
        before_ ? ::setenv(variable, before_->c_str(), 1) : ::unsetenv(variable);
    }
    static constexpr const char* variable = "NIO_SELECTOR";
    std::optional<std::string> before_;
};

TEST_F(SelectorChoice, TakesEpollByDefault) {
    ::unsetenv(variable);
    EXPECT_EQ(Selector::open({}).orThrow()->name(), "epoll");
    ::setenv(variable, "", 1);
    EXPECT_EQ(Selector::open({}).orThrow()->name(), "epoll");
}

TEST_F(SelectorChoice, DefaultsToTheEngineOfTheEnvironment) {
    for (const SelectorKind kind : support::everyEngine()) {
        ::setenv(variable, nameOf(kind).data(), 1);
        EXPECT_EQ(Selector::open({}).orThrow()->name(), nameOf(kind));
        SelectorOptions poll;
        poll.kind = SelectorKind::poll;
        EXPECT_EQ(Selector::open(poll).orThrow()->name(), "poll");
    }
}

TEST_F(SelectorChoice, RefusesANameThatIsNoneWithThatName) {
    ::setenv(variable, "devpoll", 1);
    const auto refused = Selector::open({});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(std::errc::invalid_argument));
    EXPECT_THAT(
        refused.error().message(),
        testing::HasSubstr("NIO_SELECTOR=devpoll, not one of auto, epoll, poll, select, uring"));
}

TEST_F(SelectorChoice, RefusesALimitOfNothing) {
    for (const SelectorKind kind : support::everyEngine()) {
        SelectorOptions noKeys;
        noKeys.kind = kind;
        noKeys.maxSelectedKeys = 0;
        SelectorOptions noBytes;
        noBytes.kind = kind;
        noBytes.receiveBufferBytes = 0;
        for (const SelectorOptions& options : {noKeys, noBytes}) {
            const auto selector = Selector::open(options);
            ASSERT_FALSE(selector.ok()) << nameOf(kind);
            EXPECT_TRUE(selector.error().is(std::errc::invalid_argument));
        }
    }
}

TEST_F(SelectorChoice, FallsBackToPollWhereEpollIsRefused) {
    ::unsetenv(variable);
    for (const int error : {EPERM, ENOSYS}) {
        support::withRefusedCall(SYS_epoll_create1, error,
                                 [] { EXPECT_EQ(Selector::open({}).orThrow()->name(), "poll"); });
    }
}

TEST_F(SelectorChoice, NamesACallThatIsRefusedForEver) {
    for (const SelectorKind kind : support::everyEngine()) {
        for (const int error : {EPERM, ENOSYS}) {
            support::withRefusedCall(SYS_recvfrom, error, [&] {
                SelectorOptions options;
                options.kind = kind;
                const auto refused = Selector::open(options);
                ASSERT_FALSE(refused.ok()) << nameOf(kind);
                EXPECT_TRUE(refused.error().is(static_cast<std::errc>(error)));
                EXPECT_EQ(refused.error().context(), "recvfrom");
            });
        }
    }
}

TEST_F(SelectorChoice, KnowsItsNames) {
    EXPECT_EQ(selectorKindFrom("auto"), SelectorKind::automatic);
    EXPECT_EQ(selectorKindFrom("epoll"), SelectorKind::epoll);
    EXPECT_EQ(selectorKindFrom("poll"), SelectorKind::poll);
    EXPECT_EQ(selectorKindFrom("uring"), SelectorKind::uring);
    for (const SelectorKind kind : selectorKinds) {
        EXPECT_EQ(selectorKindFrom(nameOf(kind)), kind) << nameOf(kind);
    }
    EXPECT_EQ(selectorKindFrom("select"), SelectorKind::select);
    EXPECT_EQ(selectorKindFrom("devpoll"), std::nullopt);
    EXPECT_EQ(selectorKindFrom(""), std::nullopt);
}

TEST_F(SelectorChoice, SaysThatKqueueIsNotBuilt) {
    SelectorOptions options;
    options.kind = SelectorKind::kqueue;
    const auto refused = Selector::open(options);
    if (selectorKindFrom("kqueue")) GTEST_SKIP() << "it is built here";
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(refused.error().is(Errc::notSupported));
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("kqueue"));
}

}  // namespace
}  // namespace nio
