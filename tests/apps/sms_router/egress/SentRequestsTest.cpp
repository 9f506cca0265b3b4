// A submit_sm from an ESME's connection to the SMSC's and back.
#include "sms_router/egress/SentRequests.h"

#include "apps/sms_router/egress/ConnectorCase.h"
#include "apps/sms_router/routing/RoutingTesting.h"

namespace router {
namespace {

using smpp::Status;

class SentRequestsTest : public ConnectorCase {
  protected:
    using ConnectorCase::ConnectorCase;

    void submit() {
        RouteConfig& route = bench.config.routes.emplace_back();
        route.destinations = {routingtest::pattern("*")};
        route.connector = 0;
        start();
        esme = bench.bind();
        smsc.emplace(acceptAndBind());
        esme->send(
            smpp::smpptest::pduOf("00000004 00000000 00000002 00 01 01 'A' 00 01 01 'B' 00"
                                  "00 00 00 00 00 01 00 00 00 01 'x'"));
        ASSERT_NE(smsc->next(), "");
        EXPECT_EQ(row().outstanding, 1u);
    }

    std::unique_ptr<RawSmpp> esme;
    std::optional<RawSmpp> smsc;
};

TEST_F(SentRequestsTest, AnAcceptedMessageGetsAnIdOfOurs) {
    submit();
    smsc->send("00000013 80000004 00000000 00000002 '42' 00");
    const std::string answer = esme->next();
    EXPECT_EQ(answer.substr(0, 32), written("00000021 80000004 00000000 00000002"));
    const ConnectorRow after = row();
    EXPECT_EQ(after.receipts.ids, 1u);
    EXPECT_EQ(after.outstanding, 0u);
    EXPECT_EQ(after.counters.accepted, 1u);
    EXPECT_EQ(after.stages.handOff.total(), 1u);
    EXPECT_EQ(after.stages.windowWait.total(), 1u);
    EXPECT_EQ(after.stages.smsc.total(), 1u);
    EXPECT_EQ(after.stages.commit.total(), 1u);
    EXPECT_TRUE(after.refusedStages.counts().empty());
    EXPECT_EQ(after.receipts.wanted, 1u);
}

TEST_F(SentRequestsTest, ARefusalIsPassedOn) {
    submit();
    smsc->send("00000010 80000004 00000058 00000002");
    EXPECT_EQ(esme->next(), written("00000010 80000004 00000058 00000002"));
    const ConnectorRow after = row();
    EXPECT_EQ(after.outstanding, 0u);
    EXPECT_EQ(after.receipts.ids, 0u);
    EXPECT_EQ(after.counters.refused, 1u);
    EXPECT_EQ(after.counters.throttled, 1u);
    EXPECT_EQ(after.refusedBy.of(smpp::Command::submitSm).counts().at(Status::throttled), 1u);
    const Stages& stages = after.refusedStages.counts().at(Status::throttled);
    EXPECT_EQ(stages.handOff.total(), 1u);
    EXPECT_EQ(stages.windowWait.total(), 1u);
    EXPECT_EQ(stages.smsc.total(), 1u);
    EXPECT_EQ(stages.commit.total(), 0u);
    EXPECT_EQ(after.stages.handOff.total(), 0u);
}

TEST_F(SentRequestsTest, OneThatIsLostHasTheStatusThatItsEsmeGets) {
    submit();
    smsc.reset();
    EXPECT_NE(esme->next(), "");
    EXPECT_EQ(row().refusedStages.counts().at(bench.config.router.linkLost).smsc.total(), 1u);
}

struct SentRequestsOnDiskTest : SentRequestsTest {
    SentRequestsOnDiskTest() : SentRequestsTest(Durability::commit) {}
};

// The SMSC sends it again to nobody: the ESME does, and is told so.
TEST_F(SentRequestsOnDiskTest, WhatIsNotOnDiskIsRefused) {
    submit();
    bench.store.close();
    smsc->send("00000013 80000004 00000000 00000002 '42' 00");
    EXPECT_EQ(esme->next(), written("00000010 80000004 00000008 00000002"));
    EXPECT_EQ(row().receipts.ids, 0u);
    EXPECT_EQ(row().refusedBy.of(smpp::Command::submitSm).counts().at(Status::sysErr), 1u);
    EXPECT_EQ(row().refusedStages.counts().at(Status::sysErr).commit.total(), 1u);
    EXPECT_EQ(row().stages.smsc.total(), 1u) << "the SMSC has accepted it";
    EXPECT_EQ(row().stages.commit.total(), 0u);
}

}  // namespace
}  // namespace router
