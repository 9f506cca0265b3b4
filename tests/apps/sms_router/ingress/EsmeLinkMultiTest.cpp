// submit_multi from an ESME's connection to two connectors and back.
#include <gtest/gtest.h>

#include "apps/sms_router/routing/RoutingTesting.h"
#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"

namespace router {
namespace {

using router::routingtest::pattern;
using smpp::Status;
using smpp::smpptest::octets;
using smpp::smpptest::shown;

// What begins with 1 goes to the first connector, with 2 to the second, with 9 to nobody.
class EsmeLinkMultiTest : public ::testing::Test {
  protected:
    EsmeLinkMultiTest() {
        for (NotingEgress* gate : {&first, &second}) gate->standOn(*bench.dispatcher);
        for (const std::size_t connector : {0u, 1u}) {
            RouteConfig& route = bench.config.routes.emplace_back();
            route.destinations = {pattern(connector == 0 ? "1*" : "2*")};
            route.connector = connector;
            bench.board[connector].live = true;
        }
    }
    // Two for the first connector, one for the second.
    void submitToThree() {
        bench.start();
        esme = bench.bind();
        esme->send(
            "0000003A 00000021 00000000 00000002 00 01 01 'A' 00 03"
            "01 01 01 '111' 00  01 01 01 '222' 00  01 01 01 '112' 00"
            "00 00 00 00 00 01 00 00 00 05 'hello'");
        ASSERT_TRUE(bench.dispatcher.turnUntil(
            [&] { return first.submissions.size() == 1 && second.submissions.size() == 1; }));
    }
    void answer(NotingEgress& gate, std::string_view response) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            gate.submissions.at(0).origin.answer(octets(response));
        });
    }
    void refuse(NotingEgress& gate, Status status) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            gate.submissions.at(0).origin.refuse(status);
        });
    }
    std::string shownId() const {
        return std::string(textOf(first.submissions.at(0).shown).view());
    }

    NotingEgress first;
    NotingEgress second;
    EsmeBench bench{storeInMemory(), {&first, &second}};
    std::unique_ptr<RawSmpp> esme;
};

const std::string_view taken = "00000022 80000021 00000000 00000002 '0010000000000001' 00 00";

TEST_F(EsmeLinkMultiTest, IsRefusedWhereThereIsNoShortId) {
    bench.start();
    bench.store.close();
    esme = bench.connect();
    esme->send("00000023 00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 33 00 00 00");
    EXPECT_EQ(esme->next(), written("00000014 80000009 00000000 00000001 'nio' 00"));
    esme->send(
        "0000003A 00000021 00000000 00000002 00 01 01 'A' 00 03"
        "01 01 01 '111' 00  01 01 01 '222' 00  01 01 01 '112' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'");
    EXPECT_EQ(esme->next(), written("00000010 80000021 00000008 00000002"));
    EXPECT_TRUE(first.submissions.empty());
    EXPECT_TRUE(second.submissions.empty());
}

TEST_F(EsmeLinkMultiTest, EachConnectorGetsItsDestinations) {
    ASSERT_NO_FATAL_FAILURE(submitToThree());
    EXPECT_EQ(shown(first.submissions[0].pdu),
              written("00000033 00000021 00000000 00000002 00 01 01 'A' 00 02"
                      "01 01 01 '111' 00  01 01 01 '112' 00"
                      "00 00 00 00 00 01 00 00 00 05 'hello'"));
    EXPECT_EQ(shown(second.submissions[0].pdu),
              written("0000002C 00000021 00000000 00000002 00 01 01 'A' 00 01"
                      "01 01 01 '222' 00"
                      "00 00 00 00 00 01 00 00 00 05 'hello'"));
    EXPECT_NE(first.submissions[0].shown, 0u);
    EXPECT_EQ(first.submissions[0].shown, second.submissions[0].shown);
    EXPECT_NE(first.submissions[0].origin.part, second.submissions[0].origin.part);
}

TEST_F(EsmeLinkMultiTest, ADuplicateSequenceNumberIsRefused) {
    ASSERT_NO_FATAL_FAILURE(submitToThree());
    esme->send(
        "0000003A 00000021 00000000 00000002 00 01 01 'A' 00 03"
        "01 01 01 '111' 00  01 01 01 '222' 00  01 01 01 '112' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'");
    EXPECT_EQ(esme->next(), written("00000010 80000021 00000008 00000002"));
    EXPECT_EQ(first.submissions.size(), 1u);
    answer(first, taken);
    answer(second, taken);
    EXPECT_EQ(esme->next(),
              written("00000022 80000021 00000000 00000002 '" + shownId() + "' 00 00"));
}

TEST_F(EsmeLinkMultiTest, TheAnswersBecomeOneWithOneId) {
    ASSERT_NO_FATAL_FAILURE(submitToThree());
    answer(first, taken);
    EXPECT_TRUE(esme->isSilent());
    answer(second, taken);
    EXPECT_EQ(esme->next(),
              written("00000022 80000021 00000000 00000002 '" + shownId() + "' 00 00"));
}

TEST_F(EsmeLinkMultiTest, WhomOneConnectorRefusedIsAmongTheUnsuccessful) {
    ASSERT_NO_FATAL_FAILURE(submitToThree());
    answer(first, taken);
    refuse(second, Status::msgQFul);
    EXPECT_EQ(esme->next(), written("0000002C 80000021 00000000 00000002 '" + shownId() +
                                    "' 00 01 01 01 '222' 00 00000014"));
}

TEST_F(EsmeLinkMultiTest, WhoHasNoRouteIsAmongTheUnsuccessful) {
    bench.start();
    esme = bench.bind();
    esme->send(
        "00000033 00000021 00000000 00000002 00 01 01 'A' 00 02"
        "01 01 01 '111' 00  01 01 01 '999' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'");
    ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return first.submissions.size() == 1; }));
    answer(first, taken);
    EXPECT_EQ(esme->next(), written("0000002C 80000021 00000000 00000002 '" + shownId() +
                                    "' 00 01 01 01 '999' 00 0000000B"));
}

TEST_F(EsmeLinkMultiTest, ToOneConnectorItIsPassedOnAsItIs) {
    bench.start();
    esme = bench.bind();
    const std::string_view request =
        "00000033 00000021 00000000 00000002 00 01 01 'A' 00 02"
        "01 01 01 '111' 00  01 01 01 '112' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'";
    esme->send(request);
    ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return first.submissions.size() == 1; }));
    EXPECT_EQ(shown(first.submissions[0].pdu), written(request));
    EXPECT_EQ(first.submissions[0].shown, 0u);
    EXPECT_EQ(first.submissions[0].origin.part, 0u);
    answer(first, taken);
    EXPECT_EQ(esme->next(), written(taken));
}

TEST_F(EsmeLinkMultiTest, WhenNobodyHasARouteItIsRefused) {
    bench.start();
    esme = bench.bind();
    esme->send(
        "0000002C 00000021 00000000 00000002 00 01 01 'A' 00 01"
        "01 01 01 '999' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'");
    EXPECT_EQ(esme->next(), written("00000010 80000021 0000000B 00000002"));
}

TEST_F(EsmeLinkMultiTest, AddressesAreRewrittenAsTheRouteSays) {
    bench.config.routes[0].rewriteSource.replaceBy = "SHOP";
    bench.config.routes[0].rewriteSource.ton = 5;
    bench.config.routes[0].rewriteDestination.addPrefix = "49";
    bench.config.routes[0].rewriteDestination.npi = 8;
    bench.start();
    esme = bench.bind();
    esme->send(
        "0000002C 00000021 00000000 00000002 00 01 01 'A' 00 01"
        "01 01 01 '111' 00"
        "00 00 00 00 00 01 00 00 00 05 'hello'");
    ASSERT_TRUE(bench.dispatcher.turnUntil([&] { return first.submissions.size() == 1; }));
    EXPECT_EQ(shown(first.submissions[0].pdu),
              written("00000031 00000021 00000000 00000002 00 05 01 'SHOP' 00 01"
                      "01 01 08 '49111' 00"
                      "00 00 00 00 00 01 00 00 00 05 'hello'"));
    answer(first,
           "0000002E 80000021 00000000 00000002 '0010000000000001' 00 01 01 08 '49111' 00 "
           "0000000B");
    EXPECT_EQ(esme->next(),
              written("0000002C 80000021 00000000 00000002 '0010000000000001' 00 01 01 01 '111' 00 "
                      "0000000B"));
}

}  // namespace
}  // namespace router
