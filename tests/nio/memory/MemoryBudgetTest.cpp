#include <nio/memory/MemoryBudget.h>

#include <gtest/gtest.h>

#include <system_error>

#include <nio/loop/SelectorThread.h>

namespace {

using nio::MemoryBudget;
using nio::MemoryBudgetOptions;
using nio::Overload;

constexpr Overload calm{};

MemoryBudgetOptions ofBytes(std::size_t bytes) {
    MemoryBudgetOptions options;
    options.bytes = bytes;
    return options;
}

TEST(MemoryBudget, PacketsInFlightPauseAndRefuseButEvictNobody) {
    const MemoryBudget budget(MemoryBudgetOptions{.bytes = 1000});
    EXPECT_EQ(budget.judge({.posted = 2000}, {}), (Overload{true, true, false}));
}

TEST(MemoryBudget, TheThreeActionsBeginAtTheirMarks) {
    const MemoryBudget budget(ofBytes(1000));
    EXPECT_EQ(budget.judge({.bytes = 799}, calm), calm);
    EXPECT_EQ(budget.judge({.bytes = 800}, calm), (Overload{true, false, false}));
    EXPECT_EQ(budget.judge({.bytes = 899}, calm), (Overload{true, false, false}));
    EXPECT_EQ(budget.judge({.bytes = 900}, calm), (Overload{true, true, false}));
    EXPECT_EQ(budget.judge({.bytes = 1000}, calm), (Overload{true, true, true}));
}

TEST(MemoryBudget, EachActionEndsAWayBelowItsMark) {
    const MemoryBudget budget(ofBytes(1000));
    const Overload all{true, true, true};
    EXPECT_EQ(budget.judge({.bytes = 951}, all), all);
    EXPECT_EQ(budget.judge({.bytes = 949}, all), (Overload{true, true, false}));
    EXPECT_EQ(budget.judge({.bytes = 849}, all), (Overload{true, false, false}));
    EXPECT_EQ(budget.judge({.bytes = 751}, all), (Overload{true, false, false}));
    EXPECT_EQ(budget.judge({.bytes = 749}, all), calm);
}

TEST(MemoryBudget, AFractionOfZeroIsNever) {
    MemoryBudgetOptions options = ofBytes(1000);
    options.pauseAt = options.refuseAt = options.dropAt = 0;
    EXPECT_EQ(MemoryBudget(options).judge({.bytes = 5000}, calm), calm);
}

TEST(MemoryBudget, AnActionEndsWhenNothingIsBuffered) {
    MemoryBudgetOptions options = ofBytes(1000);
    options.easeBy = 1;
    const MemoryBudget budget(options);
    EXPECT_TRUE(budget.judge({.bytes = 1}, {true, true, true}).pauses);
    EXPECT_EQ(budget.judge({.bytes = 0}, {true, true, true}), calm);
}

TEST(MemoryBudget, RefusesOptionsThatMeanNothing) {
    const auto isRefused = [](auto change) {
        MemoryBudgetOptions options;
        change(options);
        try {
            const MemoryBudget budget(options);
        } catch (const std::system_error& error) {
            return error.code() == std::errc::invalid_argument;
        }
        return false;
    };
    EXPECT_FALSE(isRefused([](auto&) {}));
    EXPECT_TRUE(isRefused([](auto& options) { options.bytes = 0; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.pauseAt = 1.1; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.refuseAt = -0.1; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.dropAt = 2; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.easeBy = -1; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.maxDropsAtOnce = 0; }));
    EXPECT_TRUE(isRefused([](auto& options) { options.lookInterval = {}; }));
}

bool heard() {
    return true;
}

TEST(MemoryBudget, AddsUpWhatAllSharesSay) {
    MemoryBudget budget;
    MemoryBudget::Share& one = budget.join(heard);
    MemoryBudget::Share& other = budget.join(heard);
    (void)budget.join(heard);
    one.bytes = 100;
    other.bytes = 23;
    one.refused = 2;
    other.dropped = 3;
    other.paused = 4;
    one.act({true, false, false});
    other.act({false, true, false});
    EXPECT_EQ(budget.sum().bytes, 123U);
    EXPECT_EQ(budget.sum().holders, 2U) << "one holds nothing";
    const nio::MemoryBudgetFigures figures = budget.figures();
    EXPECT_EQ(figures.bytes, 123U);
    EXPECT_EQ(figures.refused, 2U);
    EXPECT_EQ(figures.dropped, 3U);
    EXPECT_EQ(figures.paused, 4U);
    EXPECT_EQ(figures.overload, (Overload{true, true, false})) << "what any of them does";
}

TEST(MemoryBudget, AShareThatWasLeftIsTakenAgainAndItsCountsStay) {
    MemoryBudget budget;
    MemoryBudget::Share& first = budget.join(heard);
    first.bytes = 100;
    first.dropped = 3;
    first.act({true, true, true});
    budget.leave(first);
    EXPECT_EQ(budget.figures().overload, calm);
    EXPECT_EQ(budget.figures().bytes, 0U);
    EXPECT_EQ(&budget.join(heard), &first);
    EXPECT_EQ(budget.figures().dropped, 3U);
}

TEST(MemoryBudget, AnAlertCallsAllOthersThatAreThere) {
    MemoryBudget budget;
    int called = 0;
    bool hears = true;
    const auto count = [&] { return ++called, hears; };
    MemoryBudget::Share& one = budget.join(count);
    (void)budget.join(count);
    MemoryBudget::Share& gone = budget.join(count);
    budget.leave(gone);
    EXPECT_TRUE(budget.alert(one));
    EXPECT_EQ(called, 1);
    hears = false;
    EXPECT_FALSE(budget.alert(one));
    EXPECT_EQ(called, 2);
}

TEST(MemoryBudget, ADispatcherLeavesItWhenItGoes) {
    const auto budget = std::make_shared<MemoryBudget>();
    for (int i = 0; i < 3; ++i) {
        nio::SelectorThreadOptions options;
        options.memoryBudget = budget;
        const nio::SelectorThread dispatcher(options);
    }
    EXPECT_EQ(budget.use_count(), 1);
    MemoryBudget::Share& share = budget->join(heard);
    EXPECT_EQ(share.next, nullptr) << "all three had the same one";
}

}  // namespace
