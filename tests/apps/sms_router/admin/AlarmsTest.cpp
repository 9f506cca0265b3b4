#include "sms_router/admin/Alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/SomeSnapshot.h"

namespace {

using router::alarmsOf;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Alarms, AConnectorThatIsDownIsOneButNotAStoppedOne) {
    router::Snapshot snapshot = routertest::someSnapshot();
    EXPECT_THAT(alarmsOf(snapshot),
                ElementsAre("Connector north has 1 of 2 binds.",
                            "Connector south is down: connect: Connection refused"));
    snapshot.connectors[1].lastError.clear();
    snapshot.connectors[0].binds.pop_back();
    EXPECT_THAT(alarmsOf(snapshot), ElementsAre("Connector south is down."));
    snapshot.connectors[1].stopped = true;
    EXPECT_THAT(alarmsOf(snapshot), IsEmpty());
}

TEST(Alarms, AMissingBindIsAnAlarmAReceiveOnlyConnectorIsNot) {
    router::Snapshot snapshot;
    router::ConnectorRow& connector = snapshot.connectors.emplace_back();
    connector.name = "mo";
    connector.binds.resize(2);
    connector.binds[0].state = connector.binds[1].state = "BOUND_RX";
    EXPECT_THAT(alarmsOf(snapshot), IsEmpty());
    connector.binds[1].state = "connecting";
    EXPECT_THAT(alarmsOf(snapshot), ElementsAre("Connector mo has 1 of 2 binds."));
    connector.binds[0].state = "waiting 2 s";
    EXPECT_THAT(alarmsOf(snapshot), ElementsAre("Connector mo is down."));
}

TEST(Alarms, AStoreThatCannotWriteIsOne) {
    router::Snapshot snapshot;
    snapshot.storeAlarm = true;
    EXPECT_THAT(alarmsOf(snapshot),
                ElementsAre("The store cannot write: submits are refused until it recovers."));
}

TEST(Alarms, AnAccessLogThatCannotBeWrittenIsOne) {
    router::Snapshot snapshot;
    snapshot.recordsAlarm = true;
    EXPECT_THAT(
        alarmsOf(snapshot),
        ElementsAre(
            "The message records cannot be written: records are lost until this recovers."));
}

TEST(Alarms, OnlyBoundBindsAreCountedAsBound) {
    EXPECT_EQ(router::boundCount(routertest::someAccount("x").binds), 1U);
}

}  // namespace
