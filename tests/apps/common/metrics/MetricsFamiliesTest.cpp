#include "common/metrics/MetricsFamilies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/MetricsReader.h"

namespace {

using routertest::MetricsReader;

nio::DispatcherMetrics some(const std::string& name) {
    nio::DispatcherMetrics metrics;
    metrics.dispatcher = name;
    metrics.turns = 7;
    metrics.events = 12;
    metrics.eventsPerTurn.counts[0] = 1;  // none
    metrics.eventsPerTurn.counts[2] = 6;  // 2 or 3
    metrics.selectTime = std::chrono::milliseconds(1500);
    metrics.callbackTimes.counts[3] = 2;   // less than 8 ns
    metrics.callbackTimes.counts[10] = 9;  // less than 1024 ns
    metrics.callbackTimes.counts[60] = 1;
    metrics.callbackTime = std::chrono::microseconds(250);
    metrics.tasks = 21;
    metrics.tasksWaiting = 22;
    metrics.tasksDropped = 23;
    metrics.deadlines = 24;
    metrics.deadlinesExpired = 25;
    metrics.connections = 26;
    metrics.accepts = 27;
    metrics.closes[static_cast<std::size_t>(nio::CloseReason::reset)] = 28;
    metrics.bytesIn = 29;
    metrics.bytesOut = 30;
    metrics.receivesInVain = 31;
    metrics.sendsHeldUp = 32;
    metrics.bufferedBytes = 33;
    return metrics;
}

class Families : public testing::Test {
  protected:
    static MetricsReader read() {
        const std::vector<nio::DispatcherMetrics> all{some("echo-1"), some("echo-2")};
        apps::MetricsText text;
        apps::writeDispatchers(text, all);
        return MetricsReader(text.take());
    }

    double of(const std::string& name, const std::string& more = {}) const {
        return reader.value("nio_" + name + "{dispatcher=\"echo-2\"" + more + "}");
    }

    const MetricsReader reader = read();
};

TEST_F(Families, HaveAllThatADispatcherCounts) {
    EXPECT_EQ(of("turns_total"), 7);
    EXPECT_EQ(of("select_seconds_total"), 1.5);
    EXPECT_EQ(of("tasks_total"), 21);
    EXPECT_EQ(of("tasks_waiting"), 22);
    EXPECT_EQ(of("tasks_dropped_total"), 23);
    EXPECT_EQ(of("deadlines"), 24);
    EXPECT_EQ(of("deadlines_expired_total"), 25);
    EXPECT_EQ(of("connections"), 26);
    EXPECT_EQ(of("accepts_total"), 27);
    EXPECT_EQ(of("closes_total", ",reason=\"reset\""), 28);
    EXPECT_EQ(of("closes_total", ",reason=\"finished\""), 0);
    EXPECT_EQ(of("received_bytes_total"), 29);
    EXPECT_EQ(of("sent_bytes_total"), 30);
    EXPECT_EQ(of("receives_in_vain_total"), 31);
    EXPECT_EQ(of("sends_held_up_total"), 32);
    EXPECT_EQ(of("buffered_bytes"), 33);
}

TEST_F(Families, SayThatKeptInputIsBuffered) {
    apps::MetricsText text;
    apps::writeDispatchers(text, {});
    EXPECT_THAT(text.take(), testing::HasSubstr("# HELP nio_buffered_bytes Memory of pending "
                                                "output, and of buffered input of 1 KiB or "
                                                "more.\n"));
}

TEST_F(Families, HaveCallbackTimesInSeconds) {
    EXPECT_EQ(of("callback_seconds_bucket", ",le=\"2.56e-07\""), 2);
    EXPECT_EQ(of("callback_seconds_bucket", ",le=\"1.024e-06\""), 11);
    EXPECT_EQ(of("callback_seconds_bucket", ",le=\"+Inf\""), 12);
    EXPECT_EQ(of("callback_seconds_count"), 12);
    EXPECT_EQ(of("callback_seconds_sum"), 0.00025);
}

TEST_F(Families, HaveEventsPerTurnAsWholeNumbers) {
    EXPECT_EQ(of("events_per_turn_bucket", ",le=\"0\""), 1);
    EXPECT_EQ(of("events_per_turn_bucket", ",le=\"1\""), 1);
    EXPECT_EQ(of("events_per_turn_bucket", ",le=\"3\""), 7);
    EXPECT_EQ(of("events_per_turn_sum"), 12);
}

TEST_F(Families, LabelEachDispatcher) {
    EXPECT_TRUE(reader.has("nio_turns_total{dispatcher=\"echo-1\"}"));
    EXPECT_TRUE(reader.has("nio_turns_total{dispatcher=\"echo-2\"}"));
}

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
