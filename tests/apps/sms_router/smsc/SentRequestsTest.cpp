// A submit_sm from an ESME's connection to the SMSC's and back.
#include "sms_router/smsc/SentRequests.h"

#include <gtest/gtest.h>

#include "apps/sms_router/routing/RoutingTesting.h"
#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"

namespace router {
namespace {

using smpp::Status;

// Gives the answers of the SMSC to the part, as a connector does.
class PassingOwner final : public SmscLinkOwner {
  public:
    void linkBound(SmscLink& link) override NIO_REQUIRES(nio::onDispatcher) { bound = &link; }
    void requestArrived(SmscLink&, const smpp::Pdu&) override NIO_REQUIRES(nio::onDispatcher) {}
    void answerArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override
        NIO_REQUIRES(nio::onDispatcher) {
        sent->answeredNow(sent->take(cookie), answer, nio::Clock::now());
    }
    void requestLost(smpp::Cookie, smpp::Lost, smpp::Status) override
        NIO_REQUIRES(nio::onDispatcher) {}
    void linkLeaves(SmscLink&) override NIO_REQUIRES(nio::onDispatcher) {}
    void linkClosed(SmscLink&, const std::string&) override NIO_REQUIRES(nio::onDispatcher) {}
    void malformedArrived(SmscLink&, smpp::Status, nio::ByteView) override
        NIO_REQUIRES(nio::onDispatcher) {}
    void dialFailed(const std::string&) override NIO_REQUIRES(nio::onDispatcher) {}

    SmscLink* bound = nullptr;
    SentRequests* sent = nullptr;
};

class SentRequestsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        gate.standOn(*bench.dispatcher);
        RouteConfig& route = bench.config.routes.emplace_back();
        route.destinations = {routingtest::pattern("*")};
        route.connector = 0;
        bench.board[0].live = true;
        bench.start();
        outcomes.emplace(bench.shards[0]);
        receipts.emplace(bench.shards[0], gate, 0, IdMap::Limits(),
                         [this] { return sent->oldest(); });
        sent.emplace(bench.shards[0], 1, *receipts, *outcomes);
        owner.sent = &*sent;
        esme = bench.bind();
        bindToSmsc();
    }
    void bindToSmsc() {
        auto session = std::make_shared<smpp::SessionOptions>();
        session->side = smpp::Side::esme;
        session->window = 10;
        smpp::SmppSession::BindRequest bind;
        bind.kind = smpp::Command::bindTransceiver;
        bind.systemId = "router";
        bench.dispatcher.add(SmppLink::makeHandler(
                                 std::move(link.channel),
                                 std::make_shared<SmscLink>(session, bind, false, owner), {10'000}),
                             nio::Interest::read);
        ASSERT_NE(smsc.next(), "");
        smsc.send("0000001A 80000009 00000000 00000001 'smsc' 00 0210 0001 34");
        ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return owner.bound != nullptr; }));
    }
    void submit() {
        esme->send(
            smpp::smpptest::pduOf("00000004 00000000 00000002 00 01 01 'A' 00 01 01 'B' 00"
                                  "00 00 00 00 00 01 00 00 00 01 'x'"));
        ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return !gate.submissions.empty(); }));
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            sent->sendNow(*owner.bound, std::move(gate.submissions[0]), nio::Clock::now());
        });
        EXPECT_EQ(sent->size(), 1u);
        ASSERT_NE(smsc.next(), "");
    }
    const SubmitOutcomes::Figures& figures() const { return outcomes->figures(); }

    NotingEgress gate;
    PassingOwner owner;
    EsmeBench bench{storeInMemory(), {&gate}};
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    RawSmpp smsc{std::move(link.peer), bench.dispatcher};
    std::unique_ptr<RawSmpp> esme;
    std::optional<SubmitOutcomes> outcomes;
    std::optional<ReceiptDesk> receipts;
    std::optional<SentRequests> sent;
};

TEST_F(SentRequestsTest, AnAcceptedMessageGetsAnIdOfOurs) {
    submit();
    smsc.send("00000013 80000004 00000000 00000002 '42' 00");
    const std::string answer = esme->next();
    EXPECT_EQ(answer.substr(0, 32), written("00000021 80000004 00000000 00000002"));
    ASSERT_EQ(receipts->ids().size(), 1u);
    EXPECT_TRUE(sent->empty());
    EXPECT_EQ(figures().counters.accepted, 1u);
    EXPECT_EQ(figures().stages.smsc.total(), 1u);
    EXPECT_EQ(figures().stages.commit.total(), 1u);
    EXPECT_EQ(sent->wantReceipts(), 1u);
}

TEST_F(SentRequestsTest, ARefusalIsPassedOn) {
    submit();
    smsc.send("00000010 80000004 00000058 00000002");
    EXPECT_EQ(esme->next(), written("00000010 80000004 00000058 00000002"));
    EXPECT_TRUE(sent->empty());
    EXPECT_EQ(receipts->ids().size(), 0u);
    EXPECT_EQ(figures().counters.refused, 1u);
    EXPECT_EQ(figures().counters.throttled, 1u);
    EXPECT_EQ(figures().refusedBy.counts().at(Status::throttled), 1u);
}

// The SMSC sends it again to nobody: the ESME does, and is told so.
TEST_F(SentRequestsTest, WhatIsNotOnDiskIsRefused) {
    submit();
    bench.store.close();
    smsc.send("00000013 80000004 00000000 00000002 '42' 00");
    EXPECT_EQ(esme->next(), written("00000010 80000004 00000008 00000002"));
    EXPECT_EQ(receipts->ids().size(), 0u);
    EXPECT_EQ(figures().refusedBy.counts().at(Status::sysErr), 1u);
}

}  // namespace
}  // namespace router
