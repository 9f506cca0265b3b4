#include "sms_router/admin/SnapshotText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/sms_router/admin/SomeSnapshot.h"

namespace {

using nlohmann::json;
using router::statusJson;
using routertest::someSnapshot;

json parsed(const router::Snapshot& snapshot, const router::StatusDetail& detail = {}) {
    return json::parse(statusJson(snapshot, detail));
}

TEST(StatusJson, SaysHowTheRouterIs) {
    const json status = parsed(someSnapshot());
    EXPECT_EQ(status["version"], "0.1.0");
    EXPECT_EQ(status["takenMilliseconds"], 1700000000123);
    EXPECT_EQ(status["uptimeSeconds"], 93784);
    EXPECT_EQ(status["connections"], 8);
    EXPECT_EQ(status["httpConnections"], 9);
    EXPECT_EQ(status["draining"], false);
    EXPECT_EQ(status["alarms"], json({"Connector north has 1 of 2 binds.",
                                      "Connector south is down: connect: Connection refused"}));
    EXPECT_EQ(status["refusedBinds"], 21);
    EXPECT_EQ(status["malformed"], 22);
    EXPECT_EQ(status["duplicateReceipts"], 23);
    EXPECT_EQ(status["unmatchedReceipts"], 24);
    EXPECT_EQ(status["store"], json({{"durable", true},
                                     {"alarm", false},
                                     {"commits", 25},
                                     {"failedCommits", 26},
                                     {"queued", 27}}));
    EXPECT_EQ(status["records"], json({{"alarm", false}, {"dropped", 28}, {"failed", 29}}));
}

TEST(StatusJson, AddsUp) {
    EXPECT_EQ(parsed(someSnapshot())["totals"], json({{"submitted", 2000},
                                                      {"accepted", 1800},
                                                      {"refused", 200},
                                                      {"throttled", 80},
                                                      {"delivered", 14},
                                                      {"receipts", 1600},
                                                      {"bound", 2},
                                                      {"kept", 24},
                                                      {"keptBytes", 6912},
                                                      {"connectorsLive", 1},
                                                      {"connectorsStopped", 1}}));
}

TEST(StatusJson, AConnectorThatCannotSendIsDownThoughItReceives) {
    router::Snapshot snapshot = someSnapshot();
    router::ConnectorRow& north = snapshot.connectors[0];
    north.live = false;
    EXPECT_EQ(parsed(snapshot)["connectors"][0]["state"], "down");
    EXPECT_EQ(parsed(snapshot)["totals"]["connectorsLive"], 0);
    north.sends = false;
    EXPECT_EQ(parsed(snapshot)["connectors"][0]["state"], "receives");
    EXPECT_EQ(parsed(snapshot)["totals"]["connectorsLive"], 1);
}

TEST(StatusJson, ListsAccounts) {
    const json account = parsed(someSnapshot())["accounts"][0];
    EXPECT_EQ(account["systemId"], "esme1");
    EXPECT_EQ(account["maxBinds"], 10);
    EXPECT_EQ(account["bound"], 1);
    EXPECT_EQ(account["bindCount"], 2);
    EXPECT_EQ(account["kept"], 12);
    EXPECT_EQ(account["keptBytes"], 3456);
    EXPECT_EQ(account["keptDropped"], 2);
    EXPECT_EQ(account["malformed"], 6);
    EXPECT_EQ(account["lastError"], "wrong password from 192.0.2.9");
    EXPECT_EQ(account["counters"], json({{"submitted", 1000},
                                         {"accepted", 900},
                                         {"refused", 100},
                                         {"throttled", 40},
                                         {"delivered", 7},
                                         {"receipts", 800}}));
    EXPECT_EQ(account["refusedByStatus"], json({{"ESME_RINVDSTADR", 60}, {"ESME_RTHROTTLED", 40}}));
    EXPECT_EQ(account["binds"][1], json({{"number", 2},
                                         {"kind", "transceiver"},
                                         {"state", "OPEN"},
                                         {"bound", false},
                                         {"peer", "192.0.2.7:40002"},
                                         {"dispatcher", "io-1"},
                                         {"ageSeconds", 3725},
                                         {"outstandingIn", 3},
                                         {"outstandingOut", 5},
                                         {"window", 10},
                                         {"tls", true}}));
}

TEST(StatusJson, SaysWhatAccountsDoByHttp) {
    const json accounts = parsed(someSnapshot())["accounts"];
    EXPECT_EQ(accounts[0]["waiting"], 14);
    EXPECT_EQ(accounts[0]["httpAnswers"], json::object());
    EXPECT_TRUE(accounts[0]["webhook"].is_null());
    EXPECT_EQ(accounts[1]["httpAnswers"], json({{"2xx", 34}, {"4xx", 35}}));
    EXPECT_EQ(accounts[1]["webhook"], json({{"host", "shop.example:443"},
                                            {"failures", 36},
                                            {"failsForSeconds", 37},
                                            {"lastError", "answered with status 500"},
                                            {"posts", 4}}));
}

TEST(StatusJson, AWebhooksAlarmIsNotThatOfAConnectorOfItsName) {
    router::Snapshot snapshot = someSnapshot();
    snapshot.alarms = {{router::Alarm::Kind::webhookFails, "north", "The webhook fails."}};
    EXPECT_EQ(parsed(snapshot)["connectors"][0]["alarms"], json::array());
}

TEST(StatusJson, ListsConnectors) {
    const json status = parsed(someSnapshot());
    const json& north = status["connectors"][0];
    EXPECT_EQ(north["name"], "north");
    EXPECT_EQ(north["address"], "smsc.example:2775");
    EXPECT_EQ(north["state"], "live");
    EXPECT_EQ(north["queued"], 17);
    EXPECT_EQ(north["outstanding"], 6);
    EXPECT_EQ(north["window"], 10) << "that of its bound binds";
    EXPECT_EQ(north["allowedPerSecond"], 250.5);
    EXPECT_EQ(north["throttledUntilMilliseconds"], 1700000015123);
    EXPECT_TRUE(status["connectors"][1]["throttledUntilMilliseconds"].is_null());
    EXPECT_EQ(north["ids"], 4242);
    EXPECT_EQ(north["heldReceipts"], 1);
    EXPECT_EQ(north["unmatchedReceipts"], 8);
    EXPECT_EQ(north["malformed"], 5);
    EXPECT_EQ(north["alarms"], json({"Connector north has 1 of 2 binds."}));
    EXPECT_EQ(north["binds"].size(), 2U);
    EXPECT_EQ(status["connectors"][1]["state"], "down");
    EXPECT_EQ(status["connectors"][2]["state"], "stopped");
}

TEST(StatusJson, ListsStages) {
    const json stages = parsed(someSnapshot())["stages"];
    EXPECT_EQ(stages["windowWait"]["count"], 4);
    EXPECT_EQ(stages["windowWait"]["sumMicroseconds"], 10);
    EXPECT_EQ(stages["windowWait"]["p50Microseconds"], 1);
    EXPECT_EQ(stages["windowWait"]["p99Microseconds"], 16);
    EXPECT_EQ(stages["windowWait"]["buckets"].size(), router::LatencyBuckets::count);
    EXPECT_EQ(stages["handOff"]["count"], 0);
    EXPECT_EQ(stages["smsc"]["count"], 7) << "those of refused messages, too";
    EXPECT_EQ(stages["commit"]["count"], 0);
}

TEST(StatusJson, ListsTheBindsThatAreAskedFor) {
    router::StatusDetail detail;
    detail.allBinds = false;
    detail.accounts = {"esme2"};
    detail.connectors = {"north"};
    const json status = parsed(someSnapshot(), detail);
    EXPECT_FALSE(status["accounts"][0].contains("binds"));
    EXPECT_EQ(status["accounts"][0]["bindCount"], 2);
    EXPECT_TRUE(status["accounts"][1].contains("binds"));
    EXPECT_TRUE(status["connectors"][0].contains("binds"));
    EXPECT_FALSE(status["connectors"][1].contains("binds"));
}

TEST(StatusJson, WithoutAnythingHasEmptyLists) {
    const json status = parsed({});
    EXPECT_EQ(status["accounts"], json::array());
    EXPECT_EQ(status["connectors"], json::array());
    EXPECT_EQ(status["alarms"], json::array());
}

TEST(StatusJson, TextThatIsNotUtf8IsReplaced) {
    router::Snapshot snapshot = someSnapshot();
    snapshot.accounts[0].lastError = "bad \xff byte \" and \n line";
    EXPECT_EQ(parsed(snapshot)["accounts"][0]["lastError"], "bad \xef\xbf\xbd byte \" and \n line");
}

}  // namespace
