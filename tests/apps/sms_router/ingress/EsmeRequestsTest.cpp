// What becomes of requests before a connector has them. Those of a connection: EsmeLinkMultiTest.
#include "sms_router/ingress/EsmeRequests.h"

#include <gtest/gtest.h>

#include "apps/sms_router/routing/RoutingTesting.h"
#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"

namespace router {
namespace {

using router::routingtest::pattern;
using smpp::Status;

// What begins with 1 has a route to the one connector, and is sent with 2 instead.
class EsmeRequestsTest : public ::testing::Test {
  protected:
    EsmeRequestsTest() {
        gate.standOn(*bench.dispatcher);
        RouteConfig& route = bench.config.routes.emplace_back();
        route.destinations = {pattern("1*")};
        route.connector = 0;
        route.rewriteDestination.stripPrefix = "1";
        route.rewriteDestination.addPrefix = "2";
        bench.board[0].live = true;
    }
    void start(bool knowsTlvs = true) {
        bench.start();
        Origin from;
        from.link = nio::ChannelHandle(*bench.dispatcher, 1, 0);
        requests.emplace(bench.shards[0], from, bench.known, 0, knowsTlvs);
    }
    Status take(std::string_view withoutLength) {
        const nio::Bytes pdu = smpp::smpptest::pduOf(withoutLength);
        const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
        Status status{};
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            status = requests->take(*scanned.pdu);
        });
        return status;
    }
    Status submit(const std::string& source, const std::string& destination,
                  const std::string& esmClass = "00") {
        return take("00000004 00000000 00000007 00 01 01 '" + source + "' 00 01 01 '" +
                    destination + "' 00" + esmClass + "00 00 00 00 01 00 00 00 01 'x'");
    }
    // As the account is now.
    Status submitToList(const std::string& name) {
        bench.use();
        requests->useAccount(0);
        return take("00000021 00000000 00000007 00 01 01 'A' 00 01 02 '" + name +
                    "' 00 00 00 00 00 00 01 00 00 00 01 'x'");
    }

    NotingEgress gate;
    EsmeBench bench{storeInMemory(), {&gate}};
    std::optional<EsmeRequests> requests;
};

TEST_F(EsmeRequestsTest, ASubmitGoesWhereItsRouteSays) {
    start();
    EXPECT_EQ(submit("A", "123"), Status::ok);
    ASSERT_EQ(gate.submissions.size(), 1u);
    const Submission& sent = gate.submissions[0];
    EXPECT_EQ(sent.origin.sequence, 7u);
    EXPECT_EQ(sent.account, &bench.known);
    EXPECT_TRUE(sent.wantsReceipt);
    EXPECT_EQ(sent.shown, 0u);
    const smpp::Scanned scanned = smpp::scan(sent.pdu, smpp::Reading::tolerant);
    EXPECT_EQ(scanned.pdu->text(smpp::Field::destinationAddress), "223");
}

TEST_F(EsmeRequestsTest, ASubmitWithoutARouteIsRefused) {
    start();
    EXPECT_NE(submit("A", "923"), Status::ok);
    EXPECT_TRUE(gate.submissions.empty());
}

TEST_F(EsmeRequestsTest, ASourceThatTheAccountMayNotUseIsRefused) {
    bench.account.sources = {pattern("77*")};
    start();
    EXPECT_EQ(submit("78", "123"), Status::invSrcAdr);
    EXPECT_EQ(submit("77", "123"), Status::ok);
    EXPECT_EQ(gate.submissions.size(), 1u);
}

TEST_F(EsmeRequestsTest, DigitsOnlyRefusesWhatIsNoPlainNumber) {
    bench.account.digitsOnly = true;
    bench.config.routes[0].destinations = {};
    start();
    for (const char* const odd : {"41-900", "41 900", "(41)900", "41x", "++41900", "", "+"}) {
        EXPECT_EQ(submit("A", odd), Status::invDstAdr) << odd;
    }
    EXPECT_TRUE(gate.submissions.empty());
    EXPECT_EQ(submit("A", "141900"), Status::ok);
    EXPECT_EQ(submit("A", "+41900"), Status::ok);
    EXPECT_EQ(gate.submissions.size(), 2u);
}

TEST_F(EsmeRequestsTest, AListIsRefusedWhereNoRouteTakesAll) {
    start();
    EXPECT_EQ(submitToList("1friends"), Status::invDlName) << "the route is for numbers";
    bench.account.distributionLists = true;
    EXPECT_EQ(submitToList("1friends"), Status::ok);
    bench.account.distributionLists.reset();
    RouteConfig& all = bench.config.routes.emplace_back();
    all.connector = 0;
    all.accounts = {"another"};
    EXPECT_EQ(submitToList("1friends"), Status::invDlName);
    all.accounts = {"another", "esme1"};
    EXPECT_EQ(submitToList("1friends"), Status::ok);
}

TEST_F(EsmeRequestsTest, AListIsRefusedWhereDestinationsAreRestricted) {
    bench.config.routes.emplace_back().connector = 0;
    start();
    EXPECT_EQ(submitToList("friends"), Status::ok);
    bench.account.digitsOnly = true;
    EXPECT_EQ(submitToList("friends"), Status::invDlName);
    bench.account.digitsOnly = false;
    bench.account.destinations = {pattern("f*")};
    EXPECT_EQ(submitToList("friends"), Status::invDlName);
    bench.account.destinations = {};
    RouteConfig& premium = bench.config.routes.emplace_back();
    premium.destinations = {pattern("900*")};
    premium.reject = Status::invDstAdr;
    EXPECT_EQ(submitToList("friends"), Status::invDlName);
    bench.account.distributionLists = false;
    bench.config.routes.pop_back();
    EXPECT_EQ(submitToList("friends"), Status::invDlName);
}

TEST_F(EsmeRequestsTest, ASubmitThatSaysReceiptIsRefused) {
    start();
    EXPECT_EQ(submit("A", "123", "04"), Status::invEsmClass);
    EXPECT_TRUE(gate.submissions.empty());
}

TEST_F(EsmeRequestsTest, APeerWithoutTlvsGetsAShortId) {
    start(false);
    EXPECT_EQ(submit("A", "123"), Status::ok);
    ASSERT_EQ(gate.submissions.size(), 1u);
    EXPECT_TRUE(isShort(gate.submissions[0].shown));
}

TEST_F(EsmeRequestsTest, AQueryGoesToTheConnectorOfTheId) {
    start();
    const auto query = [&](const std::string& id) {
        return take("00000003 00000000 00000007 '" + id + "' 00 01 01 'A' 00");
    };
    EXPECT_EQ(query(std::string(textOf(MessageIdMaker(1, 1'700'000'000).make()).view())),
              Status::ok);
    ASSERT_EQ(gate.submissions.size(), 1u);
    EXPECT_NE(gate.submissions[0].about, 0u);
    EXPECT_EQ(query(std::string(textOf(MessageIdMaker(2, 1'700'000'000).make()).view())),
              Status::invMsgId)
        << "there is no such connector";
    EXPECT_EQ(query("hello"), Status::invMsgId);
}

TEST_F(EsmeRequestsTest, UseTheLimitsOfTheConfigurationInForce) {
    bench.account.window = 3;
    bench.account.maxBinds = 2;
    start();
    submit("A", "123");
    bench.account.window = 4;
    bench.use();
    requests->useAccount(0);
    submit("A", "123");
    ASSERT_EQ(gate.submissions.size(), 2u);
    EXPECT_EQ(gate.submissions[0].mostWaiting, 6u);
    EXPECT_EQ(gate.submissions[1].mostWaiting, 8u);
}

}  // namespace
}  // namespace router
