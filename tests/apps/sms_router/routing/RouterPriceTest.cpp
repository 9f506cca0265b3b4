// Router: the price of a number, in the groups that are the cheapest.
#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;

class RouterPriceTest : public ::testing::Test {
  protected:
    RouterPriceTest() {
        for (const char* name : {"a", "b", "c"}) plan_.connector(name);
        plan_.price(0, "44", 3);
        plan_.price(1, "44", 1);
        plan_.price(2, "44", 2);
        plan_.route("pool").group = plan_.group(Balance::cheapest, {{0, 1, 2}});
        setLive(board_, {0, 1, 2});
    }
    void expectCheapest(std::string_view address) {
        Router router(plan_.shared(), board_);
        // Equal ones would take turns.
        for (int turn = 0; turn < 3; ++turn)
            EXPECT_EQ(router.route(to(address)).connector, 1u) << address;
        EXPECT_EQ(router.route(partTo(address, 7)).connector, 1u) << address;
    }

    Plan plan_;
    ConnectorBoard board_{3};
};

TEST_F(RouterPriceTest, IsThatOfTheNumberHoweverItIsSpelled) {
    for (const char* address :
         {"4477123", "+4477123", "004477123", "44 77 123", "+44 (0)77123", "0044 (0)77123"})
        expectCheapest(address);
}

TEST_F(RouterPriceTest, IsThatOfANationalNumberInItsCountry) {
    plan_.config().numbers.countryCode = "44";
    for (const char* address : {"077123", "4477123", "004477123"}) expectCheapest(address);
}

TEST_F(RouterPriceTest, MovesAMessageThatWaits) {
    Router router(plan_.shared(), board_);
    const Rerouting one = router.route(to("0044 77123")).rerouting;
    const Rerouting part = router.route(partTo("0044 77123", 7)).rerouting;
    setLive(board_, {0, 2});
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(router.another(one), 2u);
    EXPECT_EQ(router.another(part), 2u);
}

}  // namespace
}  // namespace router
