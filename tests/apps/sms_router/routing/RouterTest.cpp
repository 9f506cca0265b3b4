#include "sms_router/routing/Router.h"

#include "RoutingTesting.h"
#include "sms_router/model/SourceAddress.h"

namespace router {
namespace {

using namespace router::routingtest;
using namespace std::chrono_literals;
using smpp::Status;

class RouterTest : public ::testing::Test {
  protected:
    RouterTest() {
        plan_.connector("a");
        plan_.connector("b");
        plan_.connector("c");
        plan_.config().router.noRoute = Status::invDstAdr;
        plan_.config().router.noConnector = Status::sysErr;
        setLive(board_, {0, 1, 2});
    }

    RouteConfig& routeTo(std::size_t connector, const std::string& name = "r") {
        RouteConfig& route = plan_.route(name);
        route.connector = connector;
        return route;
    }
    void groupRoute(Balance balance, std::vector<std::vector<std::size_t>> tiers) {
        plan_.route("pool").group = plan_.group(balance, std::move(tiers));
    }
    // Whether a message takes the only rule.
    bool matches(const MessageFacts& facts) {
        return Router(plan_.shared(), board_).route(facts).connector.has_value();
    }

    Plan plan_;
    ConnectorBoard board_{3};
};

TEST_F(RouterTest, TakesTheFirstRuleThatMatches) {
    routeTo(0).destinations = {pattern("4179*")};
    routeTo(1).destinations = {pattern("41*")};
    routeTo(2);
    const SharedConfig config = plan_.shared();
    Router router(config, board_);
    EXPECT_EQ(router.route(to("41791")).connector, 0u);
    EXPECT_EQ(router.route(to("41781")).connector, 1u);
    EXPECT_EQ(router.route(to("49171")).connector, 2u);
    EXPECT_EQ(router.route(to("49171")).route, &config->routes[2]);
    EXPECT_EQ(router.route(to("49171")).status, Status::ok);
}

TEST_F(RouterTest, TakesSeveralValuesOfOneConditionForOr) {
    routeTo(0).destinations = {pattern("41*"), pattern("/^49/")};
    EXPECT_TRUE(matches(to("411")));
    EXPECT_TRUE(matches(to("491")));
    EXPECT_FALSE(matches(to("441")));
}

TEST_F(RouterTest, TakesConditionsForAnd) {
    RouteConfig& route = routeTo(0);
    route.destinations = {pattern("41*")};
    route.sources = {pattern("99*")};
    EXPECT_TRUE(matches(to("411", "991")));
    EXPECT_FALSE(matches(to("411", "981")));
    EXPECT_FALSE(matches(to("421", "991")));
}

TEST_F(RouterTest, LooksAtAccountServiceTypeAndDataCoding) {
    RouteConfig& route = routeTo(0);
    route.accounts = {"esme1", "esme2"};
    route.serviceTypes = {"CMT"};
    route.dataCodings = {0, 8};
    MessageFacts facts = to("1");
    facts.serviceType = "CMT";
    facts.dataCoding = 8;
    EXPECT_TRUE(matches(facts));
    MessageFacts other = facts;
    other.account = "esme3";
    EXPECT_FALSE(matches(other));
    other = facts;
    other.serviceType = "";
    EXPECT_FALSE(matches(other));
    other = facts;
    other.dataCoding = 4;
    EXPECT_FALSE(matches(other));
}

TEST_F(RouterTest, LooksAtTheTimeOfDay) {
    // The minute of the local time in which the message comes, whatever the zone.
    LocalClock clock;
    const std::chrono::minutes now(clock.at(monday).minute);
    routeTo(0).time = TimeOfDay{now, now + 1min, 0x7F};
    MessageFacts facts = to("1");
    EXPECT_TRUE(matches(facts));
    facts.time = monday + 1min;
    EXPECT_FALSE(matches(facts));
    facts.time = monday + 24h;
    EXPECT_TRUE(matches(facts));
}

TEST_F(RouterTest, RefusesWithTheConfiguredStatusWithoutARule) {
    plan_.config().router.noRoute = Status::invDstTon;
    const RouteDecision decision = Router(plan_.shared(), board_).route(to("1"));
    EXPECT_FALSE(decision.connector);
    EXPECT_EQ(decision.status, Status::invDstTon);
    EXPECT_EQ(decision.route, nullptr);
}

TEST_F(RouterTest, RejectsWithTheStatusOfTheRule) {
    plan_.route("no").reject = Status::invSrcAdr;
    routeTo(0);
    const SharedConfig config = plan_.shared();
    const RouteDecision decision = Router(config, board_).route(to("1"));
    EXPECT_FALSE(decision.connector);
    EXPECT_EQ(decision.status, Status::invSrcAdr);
    EXPECT_EQ(decision.route, &config->routes[0]);
}

TEST_F(RouterTest, WithoutALiveConnectorRefusesAsConfigured) {
    routeTo(0).destinations = {pattern("1*")};
    groupRoute(Balance::roundRobin, {{0, 1}});
    plan_.config().router.noConnector = Status::msgQFul;
    setLive(board_, {2});
    const SharedConfig config = plan_.shared();
    Router router(config, board_);
    for (const char* destination : {"1", "2"}) {
        const RouteDecision decision = router.route(to(destination));
        EXPECT_FALSE(decision.connector);
        EXPECT_EQ(decision.status, Status::msgQFul);
        EXPECT_NE(decision.route, nullptr);
    }
    EXPECT_FALSE(router.route(partTo("2", 7)).connector);
}

TEST_F(RouterTest, BalancesWithinAGroup) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    Router router(plan_.shared(), board_);
    for (const std::size_t connector : {0u, 1u, 2u, 0u})
        EXPECT_EQ(router.route(to("1")).connector, connector);
}

TEST_F(RouterTest, SendsThePartsOfALongMessageOneWayOnEveryDispatcher) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    Router one(plan_.shared(), board_);
    Router other(plan_.shared(), board_);
    one.route(to("1"));
    std::vector<int> used(3);
    for (unsigned reference = 0; reference < 50; ++reference) {
        const auto first = one.route(partTo("41791", reference, 1)).connector;
        ASSERT_TRUE(first);
        ++used[*first];
        EXPECT_EQ(other.route(partTo("41791", reference, 2)).connector, first);
        EXPECT_EQ(one.route(partTo("41791", reference, 3)).connector, first);
    }
    for (const int messages : used) EXPECT_GT(messages, 0);
}

TEST_F(RouterTest, TellsReferencesApartThatShareTheirLowOctet) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    Router router(plan_.shared(), board_);
    std::vector<int> used(3);
    for (unsigned reference = 0x107; reference < 0x2000; reference += 0x100) {
        ++used.at(router.route(partTo("41791", reference)).connector.value());
    }
    for (const int messages : used) EXPECT_GT(messages, 0);
}

// A long message, with three live connectors, that would go to this one.
MessageFacts messageFor(std::size_t connector, const Plan& plan, const ConnectorBoard& board) {
    for (unsigned reference = 0;; ++reference)
        if (Router(plan.shared(), board).route(partTo("1", reference)).connector == connector)
            return partTo("1", reference);
}

TEST_F(RouterTest, KeepsAMessageWhereItIsWhenAnotherConnectorComesUp) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    const MessageFacts facts = messageFor(0, plan_, board_);
    setLive(board_, {1, 2});
    Router router(plan_.shared(), board_);
    const auto before = router.route(facts).connector;
    ASSERT_NE(before, 0u);
    setLive(board_, {0, 1, 2});
    EXPECT_EQ(router.route(facts).connector, before);
}

TEST_F(RouterTest, ChoosesAnewForAMessageWhoseConnectorIsGone) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    const MessageFacts facts = messageFor(0, plan_, board_);
    Router router(plan_.shared(), board_);
    EXPECT_EQ(router.route(facts).connector, 0u);
    setLive(board_, {1, 2});
    const auto after = router.route(facts).connector;
    ASSERT_TRUE(after);
    EXPECT_NE(after, 0u);
    setLive(board_, {0, 1, 2});
    EXPECT_EQ(router.route(facts).connector, after);
}

TEST_F(RouterTest, ForgetsALongMessageAfterTenMinutes) {
    groupRoute(Balance::roundRobin, {{0, 1, 2}});
    MessageFacts facts = messageFor(0, plan_, board_);
    setLive(board_, {1, 2});
    Router router(plan_.shared(), board_);
    ASSERT_NE(router.route(facts).connector, 0u);
    setLive(board_, {0, 1, 2});
    facts.time += 10min + 1s;
    EXPECT_EQ(router.route(facts).connector, 0u);
}

TEST_F(RouterTest, KeepsPartsInAnEarlierTierWhereTheyBegan) {
    groupRoute(Balance::roundRobin, {{0}, {1}});
    setLive(board_, {1});
    Router router(plan_.shared(), board_);
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 1u);
    setLive(board_, {0, 1});
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 1u);
    EXPECT_EQ(router.route(partTo("1", 8)).connector, 0u);
}

TEST_F(RouterTest, KeepsPartsOnTheSameConnectorAfterAReload) {
    groupRoute(Balance::roundRobin, {{0}, {1}, {2}});
    setLive(board_, {1, 2});
    Router router(plan_.shared(), board_);
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 1u);  // "b"

    Plan next;
    next.connector("c");
    next.connector("b");
    next.connector("a");
    next.route("pool").group = next.group(Balance::roundRobin, {{0}, {1}});
    ConnectorBoard board(3);
    setLive(board, {0, 1});
    const SharedConfig config = next.shared();
    router.use(config, board);
    EXPECT_EQ(&router.config(), config.get());
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 1u);
    EXPECT_EQ(router.route(partTo("1", 8)).connector, 0u);
}

TEST_F(RouterTest, ForgetsPartsWhoseConnectorANewConfigurationHasNot) {
    groupRoute(Balance::roundRobin, {{2}});
    Router router(plan_.shared(), board_);
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 2u);
    Plan next;
    next.connector("a");
    next.route("pool").group = next.group(Balance::roundRobin, {{0}});
    router.use(next.shared());
    EXPECT_EQ(router.route(partTo("1", 7)).connector, 0u);
}

TEST_F(RouterTest, TellsWhyAndMovesNothingOn) {
    routeTo(1, "swiss").destinations = {pattern("41*")};
    groupRoute(Balance::roundRobin, {{0, 1}});
    setLive(board_, {1, 2});
    Router router(plan_.shared(), board_);
    for (int i = 0; i < 2; ++i) {
        std::vector<std::string> why;
        EXPECT_EQ(router.route(to("49"), &why).connector, 1u);
        EXPECT_EQ(why, (std::vector<std::string>{
                           R"(route "swiss" (line 10): no: destination "49" does not match 41*)",
                           R"(route "pool" (line 20): matches)",
                           R"(group "pool", round robin; tier 1: a (not live), b (live))",
                           R"(connector "b": its turn)"}));
    }
    setLive(board_, {0, 1});
    std::vector<std::string> why;
    router.route(to("49"), &why);
    EXPECT_EQ(router.route(to("49")).connector, 0u);
}

TEST_F(RouterTest, TellsWhyItRefuses) {
    plan_.route("").reject = Status::invSrcAdr;
    std::vector<std::string> why;
    Router(plan_.shared(), board_).route(to("49"), &why);
    EXPECT_EQ(why, (std::vector<std::string>{"route (line 10): matches",
                                             "the route rejects: refused with ESME_RINVSRCADR"}));
    plan_.config().routes.clear();
    why.clear();
    Router(plan_.shared(), board_).route(to("49"), &why);
    EXPECT_EQ(why, (std::vector<std::string>{"no route matches: refused with ESME_RINVDSTADR"}));
}

class RouterMoTest : public RouterTest {
  protected:
    RouterMoTest() {
        plan_.account("esme1").numbers = {pattern("12345"), pattern("4179*")};
        plan_.account("esme2").numbers = {pattern("54321"), pattern("41791"), pattern("41*")};
        plan_.account("esme3");
    }
    std::optional<std::size_t> routeMo(std::size_t connector, std::string_view source,
                                       std::string_view destination) {
        return Router(plan_.shared(), board_).routeMo(connector, source, destination);
    }
    MoRouteConfig& moRoute() { return plan_.config().moRoutes.emplace_back(); }
};

TEST_F(RouterMoTest, FindsTheAccountWhoseNumberItIs) {
    EXPECT_EQ(routeMo(0, "1", "12345"), 0u);
    EXPECT_EQ(routeMo(0, "1", "54321"), 1u);
    EXPECT_EQ(routeMo(0, "1", "+54321"), 1u);
    EXPECT_FALSE(routeMo(0, "1", "123456"));
}

TEST_F(RouterMoTest, FindsANumberHoweverItIsSpelled) {
    for (const char* address : {"0012345", " 12345", "+12345", "123-45", "12345 "})
        EXPECT_EQ(routeMo(0, "1", address), 0u) << address;
    EXPECT_EQ(routeMo(0, "1", "0041 79 5"), 0u) << "by its pattern";
    EXPECT_FALSE(routeMo(0, "1", "x12345"));
    EXPECT_FALSE(routeMo(0, "1", ""));
    plan_.config().numbers.countryCode = "41";
    EXPECT_EQ(routeMo(0, "1", "0795"), 0u) << "a national number";
}

TEST_F(RouterMoTest, LooksAtRulesHoweverNumbersAreSpelled) {
    MoRouteConfig& rule = moRoute();
    rule.destinations = {pattern("77*")};
    rule.sources = {pattern("49*")};
    rule.account = 2;
    EXPECT_EQ(routeMo(0, "0049 1", "+77 1"), 2u);
    EXPECT_FALSE(routeMo(0, "0048 1", "+77 1"));
}

TEST_F(RouterMoTest, PrefersANumberInFullThenAPattern) {
    EXPECT_EQ(routeMo(0, "1", "41791"), 1u);
    EXPECT_EQ(routeMo(0, "1", "41792"), 0u);
    EXPECT_EQ(routeMo(0, "1", "41782"), 1u);
}

TEST_F(RouterMoTest, OfSeveralPatternsPrefersTheLongest) {
    plan_.config().accounts[0].numbers = {pattern("*"), pattern("/^4177/")};
    plan_.config().accounts[1].numbers = {pattern("41*"), pattern("4179*")};
    EXPECT_EQ(routeMo(0, "1", "41790"), 1u);
    EXPECT_EQ(routeMo(0, "1", "41780"), 1u);
    EXPECT_EQ(routeMo(0, "1", "41770"), 0u);
    EXPECT_EQ(routeMo(0, "1", "49"), 0u);
    plan_.config().accounts[1].numbers = {pattern("*")};
    EXPECT_EQ(routeMo(0, "1", "49"), 0u) << "the first account of two that are as long";
}

TEST_F(RouterMoTest, LooksAtTheRulesForNumbersOfNobody) {
    MoRouteConfig& rule = moRoute();
    rule.connectors = {1};
    rule.destinations = {pattern("77*"), pattern("12345")};
    rule.sources = {pattern("49*")};
    rule.account = 2;
    MoRouteConfig& rest = moRoute();
    rest.destinations = {pattern("7*")};
    rest.account = 1;
    EXPECT_EQ(routeMo(1, "491", "771"), 2u);
    EXPECT_EQ(routeMo(0, "491", "771"), 1u);
    EXPECT_EQ(routeMo(1, "481", "771"), 1u);
    EXPECT_EQ(routeMo(1, "491", "781"), 1u);
    EXPECT_FALSE(routeMo(1, "491", "881"));
    EXPECT_EQ(routeMo(1, "491", "12345"), 0u);
}

TEST(Rewriting, ReplacesAPrefix) {
    AddressRewrite rewrite;
    rewrite.stripPrefix = "0";
    rewrite.addPrefix = "41";
    EXPECT_EQ(rewritten("0791234567", rewrite), "41791234567");
    EXPECT_EQ(rewritten("0", rewrite), "41");
    EXPECT_FALSE(rewritten("49171", rewrite));
    EXPECT_FALSE(rewritten("", rewrite));
}

TEST(Rewriting, StripsOrAddsAlone) {
    AddressRewrite strip;
    strip.stripPrefix = "+";
    EXPECT_EQ(rewritten("+41", strip), "41");
    EXPECT_FALSE(rewritten("41", strip));
    AddressRewrite add;
    add.addPrefix = "00";
    EXPECT_EQ(rewritten("41", add), "0041");
}

TEST(Rewriting, ReplacesTheWholeAddress) {
    AddressRewrite rewrite;
    rewrite.replaceBy = "12345";
    EXPECT_EQ(rewritten("41", rewrite), "12345");
    EXPECT_FALSE(rewritten("12345", rewrite));
}

TEST(Rewriting, LeavesAnAddressAsItIsWithoutARule) {
    EXPECT_FALSE(rewritten("41", AddressRewrite{}));
    AddressRewrite same;
    same.stripPrefix = "4";
    same.addPrefix = "4";
    EXPECT_FALSE(rewritten("41", same));
}

}  // namespace
}  // namespace router
