#include "sms_router/admin/SnapshotText.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/MetricsReader.h"
#include "apps/sms_router/admin/SomeSnapshot.h"
#include "support/ProjectFile.h"

namespace {

using routertest::MetricsReader;
using routertest::someSnapshot;

MetricsReader read(const router::Snapshot& snapshot) {
    return MetricsReader(router::metrics(snapshot));
}

TEST(Metrics, HaveTheFiguresOfTheRouter) {
    const MetricsReader metrics = read(someSnapshot());
    EXPECT_EQ(metrics.value("sms_router_build_info{version=\"0.1.0\"}"), 1);
    EXPECT_EQ(metrics.value("sms_router_uptime_seconds"), 93784);
    EXPECT_EQ(metrics.value("sms_router_connections"), 8);
    EXPECT_EQ(metrics.value("sms_router_http_connections"), 9);
    EXPECT_EQ(metrics.value("sms_router_draining"), 0);
    EXPECT_EQ(metrics.value("sms_router_alarms"), 2);
    EXPECT_EQ(metrics.value("sms_router_refused_binds_total{reason=\"account\"}"), 1);
    EXPECT_EQ(metrics.value("sms_router_refused_binds_total{reason=\"password\"}"), 20);
    EXPECT_EQ(metrics.value("sms_router_refused_binds_total{reason=\"failure\"}"), 0);
    EXPECT_EQ(metrics.value("sms_router_refused_tokens_total"), 32);
    EXPECT_EQ(metrics.value("sms_router_malformed_pdus_total"), 22);
    EXPECT_EQ(metrics.value("sms_router_duplicate_receipts_total"), 23);
    EXPECT_EQ(metrics.value("sms_router_unmatched_receipts_total"), 24);
    EXPECT_EQ(metrics.value("sms_router_store_durable"), 1);
    EXPECT_EQ(metrics.value("sms_router_store_alarm"), 0);
    EXPECT_EQ(metrics.value("sms_router_store_commits_total"), 25);
    EXPECT_EQ(metrics.value("sms_router_store_failed_commits_total"), 26);
    EXPECT_EQ(metrics.value("sms_router_store_queued"), 27);
    EXPECT_EQ(metrics.value("sms_router_records_alarm"), 0);
    EXPECT_EQ(metrics.value("sms_router_records_dropped_total"), 28);
    EXPECT_EQ(metrics.value("sms_router_records_failed_total"), 29);
    EXPECT_EQ(metrics.value("sms_router_passwords_hashed_total"), 30);
    EXPECT_EQ(metrics.value("sms_router_passwords_refused_total"), 31);
}

TEST(Metrics, HaveEachAlarmThatThereMayBe) {
    const MetricsReader metrics = read(someSnapshot());
    const auto of = [&](const std::string& alarm, const std::string& name) {
        return metrics.value("sms_router_alarm{alarm=\"" + alarm + "\",name=\"" + name + "\"}");
    };
    EXPECT_EQ(of("binds_missing", "north"), 1);
    EXPECT_EQ(of("binds_missing", "south"), 0);
    EXPECT_EQ(of("connector_down", "south"), 1);
    EXPECT_EQ(of("certificate", "outer"), 0);
    EXPECT_EQ(of("webhook_fails", "esme2"), 0);
    EXPECT_EQ(of("store_slow", ""), 0);
    EXPECT_EQ(metrics.value("sms_router_alarm_notices_lost_total"), 33);
    EXPECT_EQ(metrics.value("sms_router_certificate_expires_timestamp_seconds{listener=\"outer\"}"),
              1'700'000'500);
}

TEST(Metrics, TellConnectorsCertificatesFromListeners) {
    router::Snapshot snapshot = someSnapshot();
    const auto expires = std::chrono::system_clock::from_time_t(1'700'000'600);
    snapshot.certificates.push_back({"outer", expires, true});
    const MetricsReader metrics = read(snapshot);
    const std::string gauge = "sms_router_certificate_expires_timestamp_seconds";
    EXPECT_EQ(metrics.value(gauge + "{listener=\"outer\"}"), 1'700'000'500);
    EXPECT_EQ(metrics.value(gauge + "{connector=\"outer\"}"), 1'700'000'600);
    const std::string alarm = "sms_router_alarm{alarm=\"client_certificate\",name=\"outer\"}";
    EXPECT_EQ(metrics.value(alarm), 0);
}

TEST(Metrics, HaveThoseOfTheMemoryBudgetIfThereIsOne) {
    router::Snapshot snapshot = someSnapshot();
    EXPECT_FALSE(read(snapshot).has("nio_memory_budget_bytes"));
    nio::MemoryBudgetOptions options;
    options.bytes = 5'000'000;
    snapshot.budget = std::make_shared<nio::MemoryBudget>(options);
    EXPECT_EQ(read(snapshot).value("nio_memory_budget_bytes"), 5'000'000);
}

TEST(Metrics, LeaveOutSumsThatWouldGoDownWhileADispatcherHangs) {
    router::Snapshot snapshot = someSnapshot();
    snapshot.dispatchers.emplace_back();
    snapshot.silent = {"smpp-2"};
    const MetricsReader metrics = read(snapshot);
    EXPECT_FALSE(metrics.has("sms_router_account_submitted_total{account=\"esme2\"}"));
    EXPECT_FALSE(metrics.has("sms_router_connections"));
    EXPECT_TRUE(metrics.has("sms_router_store_alarm"));
    EXPECT_TRUE(metrics.has("nio_turns_total{dispatcher=\"\"}"));
}

TEST(Metrics, HaveTheFiguresOfAccounts) {
    const MetricsReader metrics = read(someSnapshot());
    const auto of = [&](const std::string& name) {
        return metrics.value("sms_router_account_" + name + "{account=\"esme2\"}");
    };
    EXPECT_EQ(of("binds"), 1);
    EXPECT_EQ(of("binds_allowed"), 10);
    EXPECT_EQ(of("submitted_total"), 1000);
    EXPECT_EQ(of("accepted_total"), 900);
    EXPECT_EQ(of("refused_total"), 100);
    EXPECT_EQ(of("throttled_total"), 40);
    EXPECT_EQ(of("delivered_total"), 7);
    EXPECT_EQ(of("receipts_total"), 800);
    EXPECT_EQ(of("kept"), 12);
    EXPECT_EQ(of("kept_bytes"), 3456);
    EXPECT_EQ(of("kept_dropped_total"), 2);
    EXPECT_EQ(of("waiting"), 14);
    EXPECT_EQ(of("webhook_failures"), 36);
    EXPECT_EQ(of("webhook_posts"), 4);
}

TEST(Metrics, HaveAnswersAndWebhooksOnlyOfAccountsWithThem) {
    const MetricsReader metrics = read(someSnapshot());
    const std::string answers = "sms_router_account_http_answers_total";
    EXPECT_EQ(metrics.value(answers + "{account=\"esme2\",status=\"2xx\"}"), 34);
    EXPECT_EQ(metrics.value(answers + "{account=\"esme2\",status=\"4xx\"}"), 35);
    EXPECT_FALSE(metrics.has(answers + "{account=\"esme2\",status=\"5xx\"}"));
    EXPECT_FALSE(metrics.has(answers + "{account=\"esme1\",status=\"2xx\"}"));
    EXPECT_FALSE(metrics.has("sms_router_account_webhook_failures{account=\"esme1\"}"));
}

TEST(Metrics, HaveTheFiguresOfDispatchers) {
    router::Snapshot snapshot = someSnapshot();
    snapshot.dispatchers.resize(1);
    snapshot.dispatchers[0].dispatcher = "router-1";
    snapshot.dispatchers[0].turns = 41;
    EXPECT_EQ(read(snapshot).value("nio_turns_total{dispatcher=\"router-1\"}"), 41);
}

TEST(Metrics, HaveTheFiguresOfConnectors) {
    const MetricsReader metrics = read(someSnapshot());
    const auto of = [&](const std::string& name, const std::string& connector) {
        return metrics.value("sms_router_connector_" + name + "{connector=\"" + connector + "\"}");
    };
    EXPECT_EQ(of("live", "north"), 1);
    EXPECT_EQ(of("live", "south"), 0);
    EXPECT_EQ(of("stopped", "spare"), 1);
    EXPECT_EQ(of("binds", "north"), 1);
    EXPECT_EQ(of("binds_wanted", "north"), 2);
    EXPECT_EQ(of("queued", "north"), 17);
    EXPECT_EQ(of("outstanding", "north"), 6);
    EXPECT_EQ(of("allowed_per_second", "north"), 250.5);
    EXPECT_EQ(of("submitted_total", "north"), 1100);
    EXPECT_EQ(of("receipts_total", "north"), 850);
    EXPECT_EQ(of("ids", "north"), 4242);
    EXPECT_EQ(of("held_receipts", "north"), 1);
    EXPECT_EQ(of("unmatched_receipts_total", "north"), 8);
}

TEST(Metrics, CountRefusalsByStatus) {
    router::Snapshot snapshot = someSnapshot();
    for (std::uint32_t vendor = 0x400; vendor < 0x440; ++vendor) {
        ++snapshot.connectors[1]
              .refusedBy.of(smpp::Command::dataSm)
              .of(static_cast<smpp::Status>(vendor));
        ++snapshot.connectors[1].refusedDeliveries.of(static_cast<smpp::Status>(vendor));
    }
    snapshot.connectors[1].refusedBy.of(smpp::Command::bindReceiver).of(smpp::Status::bindFail) = 2;
    snapshot.accounts[1].refusedBy.of(smpp::Command::querySm).of(smpp::Status::invMsgId) = 3;
    const MetricsReader metrics = read(snapshot);
    const auto of = [&](const std::string& kind, const std::string& name, const std::string& status,
                        const std::string& request = "message") {
        return metrics.value("sms_router_" + kind + "_refused_by_status_total{" + kind + "=\"" +
                             name + "\",request=\"" + request + "\",status=\"" + status + "\"}");
    };
    const auto deliveries = [&](const std::string& connector, const std::string& status) {
        return metrics.value(
            "sms_router_connector_refused_deliveries_by_status_total{connector=\"" + connector +
            "\",status=\"" + status + "\"}");
    };
    EXPECT_EQ(of("account", "esme2", "ESME_RTHROTTLED"), 40);
    EXPECT_EQ(of("account", "esme2", "ESME_RINVDSTADR"), 60);
    EXPECT_EQ(of("connector", "north", "0x00000412"), 150);
    EXPECT_EQ(of("connector", "south", "0x00000400"), 1);
    EXPECT_EQ(of("connector", "south", "other"), 32);
    EXPECT_EQ(of("connector", "south", "ESME_RBINDFAIL", "bind"), 2);
    EXPECT_EQ(of("account", "esme2", "ESME_RINVMSGID", "query_sm"), 3);
    EXPECT_EQ(deliveries("north", "ESME_RX_P_APPN"), 70);
    EXPECT_EQ(deliveries("south", "other"), 33);
}

TEST(Metrics, CountMalformedPdusByReason) {
    const MetricsReader metrics = read(someSnapshot());
    EXPECT_EQ(metrics.value("sms_router_connector_malformed_pdus_total{connector=\"north\","
                            "reason=\"ESME_RINVPARLEN\"}"),
              5);
    EXPECT_EQ(metrics.value("sms_router_account_malformed_pdus_total{account=\"esme2\","
                            "reason=\"ESME_RINVMSGLEN\"}"),
              6);
}

TEST(Metrics, StagesAreHistogramsInSeconds) {
    const MetricsReader metrics = read(someSnapshot());
    const auto bucket = [&](const std::string& stage, const std::string& le) {
        return metrics.value("sms_router_stage_seconds_bucket{stage=\"" + stage +
                             "\",connector=\"north\",status=\"ESME_ROK\",le=\"" + le + "\"}");
    };
    const auto of = [&](const std::string& figure, const std::string& stage,
                        const std::string& connector) {
        return metrics.value("sms_router_stage_seconds_" + figure + "{stage=\"" + stage +
                             "\",connector=\"" + connector + "\",status=\"ESME_ROK\"}");
    };
    EXPECT_EQ(bucket("window_wait", "1e-06"), 2);
    EXPECT_EQ(bucket("window_wait", "8e-06"), 2);
    EXPECT_EQ(bucket("window_wait", "1.6e-05"), 3);
    EXPECT_EQ(bucket("window_wait", "16.777216"), 3);
    EXPECT_EQ(bucket("window_wait", "+Inf"), 3);
    EXPECT_EQ(of("sum", "window_wait", "north"), 1e-5);
    EXPECT_EQ(of("count", "window_wait", "south"), 1);
    EXPECT_EQ(bucket("smsc", "16.777216"), 0) << "what took longer is under no bound";
    EXPECT_EQ(bucket("smsc", "+Inf"), 2);
    EXPECT_EQ(of("sum", "smsc", "north"), 80);
    EXPECT_EQ(of("count", "hand_off", "north"), 0);
    EXPECT_EQ(of("count", "commit", "spare"), 0);
}

TEST(Metrics, StagesAreByAFewStatuses) {
    router::Snapshot snapshot = someSnapshot();
    for (std::uint32_t vendor = 0x400; vendor < 0x40a; ++vendor) {
        ++snapshot.connectors[1].refusedStages.of(smpp::Status(vendor)).smsc.counts[0];
    }
    const MetricsReader metrics = read(snapshot);
    const auto smsc = [](const std::string& connector, const std::string& status) {
        return "sms_router_stage_seconds_count{stage=\"smsc\",connector=\"" + connector +
               "\",status=\"" + status + "\"}";
    };
    EXPECT_EQ(metrics.value(smsc("north", "ESME_RTHROTTLED")), 5);
    EXPECT_FALSE(metrics.has(smsc("north", "other")));
    EXPECT_EQ(metrics.value(smsc("south", "0x00000407")), 1);
    EXPECT_FALSE(metrics.has(smsc("south", "0x00000408")));
    EXPECT_EQ(metrics.value(smsc("south", "other")), 2);
}

TEST(Metrics, LabelsAreEscaped) {
    router::Snapshot snapshot;
    snapshot.accounts.push_back(routertest::someAccount("a\"b\\c\nd} 1"));
    EXPECT_EQ(read(snapshot).value("sms_router_account_binds{account=\"a\\\"b\\\\c\\nd} 1\"}"), 1);
}

TEST(Metrics, OfNothingAreFine) {
    EXPECT_EQ(read({}).value("sms_router_build_info{version=\"\"}"), 1);
}

TEST(Metrics, AreAllInTheTableOfTheDocumentation) {
    const MetricsReader metrics = read(someSnapshot());
    std::set<std::string> written;
    for (const auto& [name, type] : metrics.types()) {
        if (name.starts_with("sms_router_")) written.insert("| `" + name + "` | " + type + " |");
    }
    const std::string page = support::projectFile("docs/metrics.md");
    const std::regex row("\\| `sms_router_\\w+` \\| \\w+ \\|");
    const std::set<std::string> documented(
        std::sregex_token_iterator(page.begin(), page.end(), row), {});
    EXPECT_EQ(documented, written);
}

// The reader must notice what is wrong.
bool isRefused(const std::string& text) {
    testing::TestPartResultArray results;
    {
        testing::ScopedFakeTestPartResultReporter reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
        MetricsReader reader(text);
    }
    return results.size() > 0;
}

TEST(MetricsReader, RefusesWhatIsNotOfTheFormat) {
    const std::string head = "# HELP a_total b\n# TYPE a_total counter\n";
    EXPECT_FALSE(isRefused(head + "a_total 1\n"));
    for (const std::string& text : {
             head + "a_total 1",
             head + "a_total one\n",
             head + "a_total\n",
             head + "b_total 1\n",
             head + "a_total 1\na_total 2\n",
             head + "a_total{x=\"\n\"} 1\n",
             head + "a_total{x=\"\"\"} 1\n",
             head + "a_total{x=\"\\x\"} 1\n",
             head + "a_total{1x=\"\"} 1\n",
             head + head,
             std::string("a_total 1\n"),
             std::string("# TYPE a gauge\n"),
             std::string("# HELP a b\n# TYPE a counter\na 1\n"),
         }) {
        EXPECT_TRUE(isRefused(text)) << text;
    }
}

TEST(MetricsReader, RefusesHistogramsThatDoNotAddUp) {
    const std::string head = "# HELP h b\n# TYPE h histogram\n";
    const std::string tail = "h_sum 1\nh_count 2\n";
    const std::string rest = "h_bucket{le=\"+Inf\"} 2\n";
    EXPECT_FALSE(isRefused(head + "h_bucket{le=\"1\"} 1\n" + rest + tail));
    EXPECT_TRUE(isRefused(head + "h_bucket{le=\"1\"} 3\n" + rest + tail));
    EXPECT_TRUE(isRefused(head + "h_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\n" + rest + tail));
    EXPECT_TRUE(isRefused(head + "h_bucket{le=\"1\"} 2\n" + tail));
    EXPECT_TRUE(isRefused(head + rest + "h_sum 1\nh_count 3\n"));
    EXPECT_TRUE(isRefused(head + rest + "h_count 2\n"));
}

}  // namespace
