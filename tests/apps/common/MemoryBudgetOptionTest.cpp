#include "common/MemoryBudgetOption.h"

#include <gtest/gtest.h>

#include <nio/sys/Process.h>

namespace {

apps::BudgetBytes parsed(const std::string& size) {
    CLI::App app;
    apps::BudgetBytes bytes;
    apps::addMemoryBudget(app, bytes);
    app.parse("--memory-budget " + size);
    return bytes;
}

TEST(MemoryBudgetOption, IsASizeWithOrWithoutAUnit) {
    EXPECT_EQ(parsed("2000000"), 2'000'000U);
    EXPECT_EQ(parsed("64M"), 64'000'000U);
    EXPECT_EQ(parsed("64Mi"), 64U * 1024 * 1024);
    EXPECT_EQ(parsed("0"), 0U);
}

TEST(MemoryBudgetOption, RefusesWhatIsNoSizeOrTooLittle) {
    EXPECT_THROW(parsed("much"), CLI::ValidationError);
    EXPECT_THROW(parsed("-1"), CLI::ParseError);
    EXPECT_THROW(parsed("1000"), CLI::ValidationError);
}

TEST(MemoryBudgetOption, MakesTheBudgetThatWasAskedFor) {
    EXPECT_EQ(apps::makeMemoryBudget(apps::BudgetBytes(2'000'000))->options().bytes, 2'000'000U);
    EXPECT_EQ(apps::makeMemoryBudget(apps::BudgetBytes(0)), nullptr);
}

TEST(MemoryBudgetOption, IsHalfOfTheMemoryUnlessItIsSaid) {
    EXPECT_EQ(apps::makeMemoryBudget({})->options().bytes, nio::kernel::memoryLimit() / 2);
}

}  // namespace
