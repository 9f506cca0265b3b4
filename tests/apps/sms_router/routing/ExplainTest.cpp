#include "sms_router/routing/Explain.h"

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;
using Lines = std::vector<std::string>;

class ExplainTest : public ::testing::Test {
  protected:
    ExplainTest() {
        plan_.connector("a", 2, 3);
        plan_.connector("b", 1, 1);
        plan_.account("esme1");
        setLive(board_, {0, 1});
    }
    Lines explained(const MessageFacts& facts) {
        Router router(plan_.shared(), board_);
        return explain(router, facts);
    }
    // The line that says how the group chose, and between whom.
    Lines ofGroup(Balance balance, const MessageFacts& facts) {
        plan_.config().routes.clear();
        plan_.config().groups.clear();
        plan_.route("all").group = plan_.group(balance, {{0, 1}});
        const Lines lines = explained(facts);
        EXPECT_EQ(lines.size(), 5u);
        return {lines.at(2), lines.at(3)};
    }
    // Why the only rule does not match.
    std::string failure(const MessageFacts& facts) { return explained(facts).at(1); }

    Plan plan_;
    ConnectorBoard board_{2};
};

TEST_F(ExplainTest, EndsWithTheConnectorAndTheAddressesAsTheyBecome) {
    RouteConfig& route = plan_.route("rest");
    route.connector = 1;
    route.rewriteDestination.addPrefix = "00";
    route.rewriteDestination.ton = 1;
    route.rewriteSource.npi = 8;
    EXPECT_EQ(explained(to("49")),
              (Lines{R"(account "esme1" may send it)", R"(route "rest" (line 10): matches)",
                     "source becomes npi 8", R"(destination becomes "0049" ton 1)",
                     R"(=> connector "b")"}));
}

TEST_F(ExplainTest, EndsWithTheStatusThatRefuses) {
    plan_.route("rest").connector = 1;
    setLive(board_, {0});
    EXPECT_EQ(explained(to("49")).back(), "=> refused with ESME_RSYSERR");
    plan_.config().routes.clear();
    EXPECT_EQ(explained(to("49")).back(), "=> refused with ESME_RINVDSTADR");
}

TEST_F(ExplainTest, SaysWhatAnAccountIsNotPermitted) {
    plan_.route("rest").connector = 1;
    plan_.config().accounts[0].sources = {pattern("12*"), pattern("13")};
    plan_.config().accounts[0].destinations = {pattern("41*")};
    const Lines lines = explained(to("49", "14"));
    EXPECT_EQ(lines.at(0), R"(account "esme1" may not use source "14": permitted are 12*, 13)");
    EXPECT_EQ(lines.at(1), R"(account "esme1" may not use destination "49": permitted are 41*)");
    EXPECT_EQ(lines.at(2), R"(route "rest" (line 10): matches)");
    EXPECT_EQ(lines.back(), "=> refused: the account may not send it");
    EXPECT_EQ(explained(to("41", "13")).back(), R"(=> connector "b")");
}

TEST_F(ExplainTest, SaysThatAnAccountIsUnknown) {
    MessageFacts facts = to("49");
    facts.account = "nobody";
    EXPECT_EQ(explained(facts).front(), R"(account "nobody" is unknown)");
    EXPECT_EQ(explained(facts).back(), "=> refused: the account may not send it");
}

TEST_F(ExplainTest, WithoutAnAccountLooksAtNoPermission) {
    plan_.route("rest").connector = 1;
    MessageFacts facts = to("49");
    facts.account = "";
    EXPECT_EQ(explained(facts).front(), "no account given: permissions are not checked");
    EXPECT_EQ(explained(facts).back(), R"(=> connector "b")");
}

TEST_F(ExplainTest, NamesTheFirstConditionThatFails) {
    RouteConfig& route = plan_.route("r");
    route.connector = 0;
    LocalClock clock;
    const int now = clock.at(monday).minute;
    const bool isLate = now == 24 * 60 - 1;  // in some zone
    const std::chrono::minutes other(isLate ? 0 : now + 1);
    route.time = TimeOfDay{other, other + std::chrono::minutes(1), 0x7F};
    EXPECT_NE(failure(to("1")).find(" is not within "), std::string::npos) << failure(to("1"));
    EXPECT_NE(failure(to("1")).find(" on Mon,Tue,Wed,Thu,Fri,Sat,Sun"), std::string::npos);
    route.dataCodings = {8, 24};
    EXPECT_EQ(failure(to("1")), R"(route "r" (line 10): no: data_coding 0 does not match 8, 24)");
    route.serviceTypes = {"CMT"};
    EXPECT_EQ(failure(to("1")), R"(route "r" (line 10): no: service_type "" does not match "CMT")");
    route.accounts = {"esme2"};
    EXPECT_EQ(failure(to("1")),
              R"(route "r" (line 10): no: account "esme1" does not match "esme2")");
    route.sources = {pattern("/^9/")};
    EXPECT_EQ(failure(to("1")), R"(route "r" (line 10): no: source "4444" does not match /^9/)");
    route.destinations = {pattern("2")};
    EXPECT_EQ(failure(to("1")), R"(route "r" (line 10): no: destination "1" does not match 2)");
}

TEST_F(ExplainTest, SaysHowAGroupChooses) {
    board_[0].outstanding = 4;
    board_[1].outstanding = 7;
    EXPECT_EQ(ofGroup(Balance::roundRobin, to("1")),
              (Lines{R"(group "pool", round robin; tier 1: a (live), b (live))",
                     R"(connector "a": its turn)"}));
    EXPECT_EQ(ofGroup(Balance::weighted, to("1")),
              (Lines{R"(group "pool", weighted; tier 1: a (live, weight 3), b (live, weight 1))",
                     R"(connector "a": its turn by weight)"}));
    EXPECT_EQ(ofGroup(Balance::cheapest, to("1")),
              (Lines{R"(group "pool", cheapest; tier 1: a (live, cost 2, 4 outstanding), )"
                     R"(b (live, cost 1, 7 outstanding))",
                     R"(connector "b": the lowest cost, then the fewest outstanding)"}));
    EXPECT_EQ(ofGroup(Balance::fewestOutstanding, to("1")),
              (Lines{R"(group "pool", fewest outstanding; tier 1: a (live, 4 outstanding), )"
                     R"(b (live, 7 outstanding))",
                     R"(connector "a": the fewest outstanding)"}));
}

TEST_F(ExplainTest, ShowsThePriceThatDecided) {
    plan_.price(0, "41", 0.05);
    plan_.price(0, "4179", 0.02);
    plan_.price(1, "", 0.03);
    EXPECT_EQ(ofGroup(Balance::cheapest, to("+41791234567")),
              (Lines{R"(group "pool", cheapest; tier 1: a (live, price 0.02 for 4179, )"
                     R"(0 outstanding), b (live, price 0.03 for all other numbers, 0 outstanding))",
                     R"(connector "a": the lowest cost, then the fewest outstanding: )"
                     R"(price 0.02 for 4179)"}));
    EXPECT_EQ(ofGroup(Balance::cheapest, to("41761234567")).at(1),
              R"(connector "b": the lowest cost, then the fewest outstanding: )"
              R"(price 0.03 for all other numbers)");
    EXPECT_EQ(ofGroup(Balance::cheapest, to("49")).at(0),
              R"(group "pool", cheapest; tier 1: a (live, cost 2, 0 outstanding), )"
              R"(b (live, price 0.03 for all other numbers, 0 outstanding))");
}

TEST_F(ExplainTest, SaysThatAPartIsChosenByItsHash) {
    setLive(board_, {1});
    EXPECT_EQ(ofGroup(Balance::roundRobin, partTo("1", 7, 2)).at(1),
              R"(connector "b": part 2 of 3 of a long message, by its hash)");
    Router router(plan_.shared(), board_);
    router.route(partTo("1", 7, 1));
    EXPECT_EQ(explain(router, partTo("1", 7, 2)).at(3),
              R"(connector "b": part 2 of 3 of a long message, like the earlier parts)");
}

TEST_F(ExplainTest, EscapesAddresses) {
    RouteConfig& route = plan_.route("r");
    route.connector = 0;
    route.destinations = {pattern("2")};
    EXPECT_EQ(failure(to("\n\xFF")),
              "route \"r\" (line 10): no: destination \"\\n\uFFFD\" does not match 2");
}

TEST_F(ExplainTest, ExplainsAMessageFromAnSmsc) {
    plan_.config().accounts[0].numbers = {pattern("123*")};
    MoRouteConfig& rule = plan_.config().moRoutes.emplace_back();
    rule.name = "mo1";
    rule.line = 7;
    rule.connectors = {1};
    const auto explained = [&](const char* connector, const char* destination) {
        ExplainRequest request;
        request.connector = connector;
        request.source = "49";
        request.destination = destination;
        Router router(plan_.shared(), board_);
        return explain(router, request);
    };
    EXPECT_EQ(explained("a", "1234"),
              (Lines{R"(account "esme1": its number 123*)", R"(=> account "esme1")"}));
    EXPECT_EQ(explained("b", "99"),
              (Lines{R"("99" is not a number of any account)", R"(mo "mo1" (line 7): matches)",
                     R"(=> account "esme1")"}));
    EXPECT_EQ(explained("a", "99"), (Lines{R"("99" is not a number of any account)",
                                           R"(mo "mo1" (line 7): no: connector a does not match b)",
                                           "=> no account: refused with ESME_RINVDSTADR"}));
    EXPECT_EQ(explained("c", "1234"),
              (Lines{R"(connector "c" is unknown)", "=> no such connector"}));
}

}  // namespace
}  // namespace router
