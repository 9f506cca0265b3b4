#include "common/metrics/BudgetFamilies.h"

#include <gtest/gtest.h>

#include "apps/sms_router/admin/MetricsReader.h"

namespace {

using routertest::MetricsReader;

std::string written(const nio::MemoryBudget* budget) {
    apps::MetricsText text;
    apps::writeBudget(text, budget);
    return text.take();
}

TEST(BudgetFamilies, SayHowTheBudgetIs) {
    nio::MemoryBudgetOptions options;
    options.bytes = 5'000'000;
    nio::MemoryBudget budget(options);
    nio::MemoryBudget::Share& share = budget.join([] { return true; });
    share.bytes = 4'100'000;
    share.paused = 2;
    share.refused = 3;
    share.dropped = 4;
    share.act({true, false, true});
    const MetricsReader reader(written(&budget));
    const auto of = [&](const std::string& name) {
        return reader.value("nio_memory_budget_" + name);
    };
    EXPECT_EQ(of("bytes"), 5'000'000);
    EXPECT_EQ(of("used_bytes"), 4'100'000);
    EXPECT_EQ(of("acts{action=\"pause\"}"), 1);
    EXPECT_EQ(of("acts{action=\"refuse\"}"), 0);
    EXPECT_EQ(of("acts{action=\"drop\"}"), 1);
    EXPECT_EQ(of("paused_total"), 2);
    EXPECT_EQ(of("refused_total"), 3);
    EXPECT_EQ(of("dropped_total"), 4);
}

TEST(BudgetFamilies, AreNotThereWithoutABudget) {
    EXPECT_EQ(written(nullptr), "");
}

}  // namespace
