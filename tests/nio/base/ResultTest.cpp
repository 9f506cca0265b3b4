#include <nio/base/Result.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <system_error>

namespace nio {
namespace {

Result<int> half(int number) {
    if (number % 2 != 0) return Errc::notSupported;
    return number / 2;
}

Result<void> allow(bool allowed) {
    if (!allowed) return std::errc::permission_denied;
    return {};
}

TEST(Result, IsTheValueWhereThereIsOne) {
    const Result<int> result = half(84);
    EXPECT_TRUE(result);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.value(), 42);
}

TEST(Result, IsTheErrorWhereThereIsNoValue) {
    const Result<int> result = half(1);
    EXPECT_FALSE(result);
    EXPECT_FALSE(result.ok());
    EXPECT_TRUE(result.error().is(Errc::notSupported));
}

TEST(Result, IsMadeOfAnErrorOrEitherKindOfCode) {
    EXPECT_EQ(Result<int>(Error(Errc::stopped, "here")).error().context(), "here");
    EXPECT_TRUE(Result<int>(Errc::stopped).error().is(Errc::stopped));
    EXPECT_TRUE(Result<int>(std::errc::timed_out).error().is(std::errc::timed_out));
}

TEST(Result, LetsItsValueBeChanged) {
    Result<std::string> result(std::string("a"));
    result.value() += "b";
    EXPECT_EQ(result.value(), "ab");
}

TEST(Result, GivesItsValueAway) {
    Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
    const std::unique_ptr<int> owned = std::move(result).value();
    EXPECT_EQ(*owned, 7);
    EXPECT_EQ(*Result<std::unique_ptr<int>>(std::make_unique<int>(8)).orThrow(), 8);
}

TEST(Result, ThrowsItsErrorWhereTheCallerHasNoBetterIdea) {
    EXPECT_EQ(half(2).orThrow(), 1);
    try {
        static_cast<void>(half(3).orThrow());
        FAIL() << "nothing was thrown";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), Errc::notSupported);
    }
}

TEST(Result, MayHoldAnErrorCodeOfItsOwnAsAValue) {
    const Result<std::error_code> result(std::make_error_code(std::errc::timed_out));
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.value(), std::errc::timed_out);
}

TEST(ResultOfNothing, IsOkUnlessItHoldsAnError) {
    EXPECT_TRUE(Result<void>().ok());
    EXPECT_TRUE(allow(true));
    EXPECT_FALSE(allow(false));
    EXPECT_TRUE(allow(false).error().is(std::errc::permission_denied));
    EXPECT_TRUE(Result<void>(Errc::stopped).error().is(Errc::stopped));
}

TEST(ResultOfNothing, ThrowsItsErrorWhereTheCallerHasNoBetterIdea) {
    EXPECT_NO_THROW(allow(true).orThrow());
    EXPECT_THROW(allow(false).orThrow(), std::system_error);
}

#if !defined(NDEBUG)
TEST(ResultDeathTest, RefusesToShowWhatIsNotThere) {
    EXPECT_DEATH(static_cast<void>(half(1).value()), "ok\\(\\)");
    EXPECT_DEATH(static_cast<void>(half(2).error()), "ok\\(\\)");
    EXPECT_DEATH(static_cast<void>(allow(true).error()), "ok\\(\\)");
}
#endif

}  // namespace
}  // namespace nio
