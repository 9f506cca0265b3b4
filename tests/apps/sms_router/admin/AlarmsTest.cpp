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
                ElementsAre("Connector south is down: connect: Connection refused"));
    snapshot.connectors[1].lastError.clear();
    EXPECT_THAT(alarmsOf(snapshot), ElementsAre("Connector south is down."));
    snapshot.connectors[1].live = true;
    EXPECT_THAT(alarmsOf(snapshot), IsEmpty());
}

TEST(Alarms, AStoreThatCannotWriteIsOne) {
    router::Snapshot snapshot;
    snapshot.storeAlarm = true;
    EXPECT_THAT(alarmsOf(snapshot),
                ElementsAre("The store cannot write: submits are refused until it can."));
}

TEST(Alarms, OnlyBoundBindsAreCountedAsBound) {
    EXPECT_EQ(router::boundCount(routertest::someAccount("x").binds), 1U);
}

}  // namespace
