#include "sms_router/ingress/MultiSubmit.h"

#include <gtest/gtest.h>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using smpp::Status;
using smpp::smpptest::octets;
using smpp::smpptest::shown;
using smpp::smpptest::written;

// submit_multi to 111, the list "friends" and 222.
class SubmitMultiTest : public ::testing::Test {
  protected:
    const nio::Bytes octets_ = octets(
        "0000003E 00000021 00000000 00000007 00 01 01 'A' 00 03"
        "01 01 01 '111' 00  02 'friends' 00  01 02 03 '222' 00"
        "00 00 00 00 00 01 00 00 00 01 'x'  0204 0002 1234");
    const smpp::Scanned scanned_ = smpp::scan(octets_);
    const smpp::Pdu& request = *scanned_.pdu;
};

TEST_F(SubmitMultiTest, DestinationsAreAddressesAndLists) {
    const std::vector<Destination> all = destinationsOf(request);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_FALSE(all[0].isList);
    EXPECT_EQ(all[0].ton, 1);
    EXPECT_EQ(all[0].npi, 1);
    EXPECT_EQ(all[0].address, "111");
    EXPECT_TRUE(all[1].isList);
    EXPECT_EQ(all[1].address, "friends");
    EXPECT_FALSE(all[2].isList);
    EXPECT_EQ(all[2].ton, 2);
    EXPECT_EQ(all[2].npi, 3);
    EXPECT_EQ(all[2].address, "222");
}

// The request for the destinations from this one on.
std::string requestFrom(const smpp::Pdu& request, std::size_t first,
                        const RouteConfig* route = nullptr) {
    DestinationGroup group(0, route);
    const std::vector<Destination> all = destinationsOf(request);
    for (std::size_t i = first; i < all.size(); ++i) group.add(all[i]);
    const std::optional<nio::Bytes> made =
        group.request(request, sourceSentBy(group.route(), request));
    return made ? shown(*made) : "";
}

TEST_F(SubmitMultiTest, AGroupKnowsItsConnectorItsRouteAndItsDestinations) {
    const RouteConfig route;
    DestinationGroup group(5, &route);
    group.add(destinationsOf(request)[2]);
    EXPECT_EQ(group.connector(), 5u);
    EXPECT_EQ(group.route(), &route);
    ASSERT_EQ(group.destinations().size(), 1u);
    EXPECT_EQ(group.destinations()[0].own.address, "222");
    EXPECT_FALSE(group.isRewritten());
}

TEST_F(SubmitMultiTest, ARequestWithAllOfThemIsTheSame) {
    EXPECT_EQ(requestFrom(request, 0), shown(octets_));
    const RouteConfig changesNothing;
    EXPECT_EQ(requestFrom(request, 0, &changesNothing), shown(octets_));
}

TEST_F(SubmitMultiTest, ARequestWithSomeOfThemCountsThem) {
    EXPECT_EQ(requestFrom(request, 1),
              written("00000037 00000021 00000000 00000007 00 01 01 'A' 00 02"
                      "02 'friends' 00  01 02 03 '222' 00"
                      "00 00 00 00 00 01 00 00 00 01 'x'  0204 0002 1234"));
}

TEST_F(SubmitMultiTest, AddressesAreRewrittenAndTheNamesOfListsAreNot) {
    RouteConfig route;
    route.rewriteSource.replaceBy = "SHOP";
    route.rewriteSource.ton = 5;
    route.rewriteSource.npi = 0;
    route.rewriteDestination.addPrefix = "49";
    route.rewriteDestination.ton = 1;
    route.rewriteDestination.npi = 8;
    EXPECT_EQ(requestFrom(request, 0, &route),
              written("00000045 00000021 00000000 00000007 00 05 00 'SHOP' 00 03"
                      "01 01 08 '49111' 00  02 'friends' 00  01 01 08 '49222' 00"
                      "00 00 00 00 00 01 00 00 00 01 'x'  0204 0002 1234"));
}

TEST_F(SubmitMultiTest, WithASourceThatDoesNotFitThereIsNoRequest) {
    RouteConfig route;
    route.rewriteSource.replaceBy = "123456789012345678901";
    EXPECT_EQ(requestFrom(request, 0, &route), "");
}

TEST_F(SubmitMultiTest, ADestinationThatDoesNotFitIsNotAdded) {
    RouteConfig route;
    route.rewriteDestination.addPrefix = std::string(18, '1');
    DestinationGroup group(0, &route);
    EXPECT_FALSE(group.add(destinationsOf(request)[0]));
    EXPECT_TRUE(group.destinations().empty());
}

// --- the answers ----------------------------------------------------------------------------

constexpr MessageId ours = 0x0FFF0000000000A1;

const std::string_view ok = "00000016 80000021 00000000 00000007 'ABCD' 00 00";
const std::string_view full = "00000010 80000021 00000014 00000007";  // ESME_RMSGQFUL

using Part = std::vector<DealtDestination>;

class MultiSubmitsTest : public ::testing::Test {
  protected:
    // The request 7. Empty: more parts are to come.
    std::string answered(std::uint32_t part, std::string_view answer) {
        const auto whole = multis.partAnswered(7, part, octets(answer));
        return whole ? shown(*whole) : "";
    }

    const Part one{{{false, 1, 1, "111"}}};
    const Part two{{{false, 2, 3, "222"}}, {{true, 0, 0, "friends"}}};
    const Part three{{{false, 1, 1, "333"}}};
    MultiSubmits multis;
};

TEST_F(MultiSubmitsTest, TheAnswerIsWholeWhenTheLastPartHasCome) {
    multis.begin(7, ours, {one, two, three});
    EXPECT_EQ(answered(2, ok), "");
    EXPECT_EQ(answered(1, ok), "");
    EXPECT_EQ(answered(3, ok),
              written("00000022 80000021 00000000 00000007 '0FFF0000000000A1' 00 00"));
}

TEST_F(MultiSubmitsTest, WhatNobodyWaitsForIsDropped) {
    EXPECT_EQ(answered(1, ok), "");
    multis.begin(7, ours, {one});
    EXPECT_NE(answered(1, ok), "");
    EXPECT_EQ(answered(1, ok), "");
}

TEST_F(MultiSubmitsTest, TheUnsuccessfulOfAllPartsAreToldTogether) {
    multis.begin(7, ours, {one, three});
    EXPECT_EQ(answered(1,
                       "0000001E 80000021 00000000 00000007 'AB' 00"
                       "01 01 01 '111' 00 0000000B"),
              "");
    EXPECT_EQ(answered(2,
                       "0000001E 80000021 00000000 00000007 'CD' 00"
                       "01 02 03 '222' 00 00000014"),
              written("00000036 80000021 00000000 00000007 '0FFF0000000000A1' 00"
                      "02 01 01 '111' 00 0000000B 02 03 '222' 00 00000014"));
}

TEST_F(MultiSubmitsTest, TheUnsuccessfulAreNamedAsTheEsmeDid) {
    const Part sentOtherwise{{{false, 1, 1, "111"}, octets("01 08 '49111' 00")},
                             {{false, 1, 1, "222"}, octets("01 08 '49222' 00")}};
    multis.begin(7, ours, {sentOtherwise});
    EXPECT_EQ(answered(1,
                       "0000002A 80000021 00000000 00000007 'AB' 00"
                       "02 01 08 '49222' 00 0000000B 01 08 '777' 00 00000014"),
              written("00000036 80000021 00000000 00000007 '0FFF0000000000A1' 00"
                      "02 01 01 '222' 00 0000000B 01 08 '777' 00 00000014"));
}

TEST_F(MultiSubmitsTest, ASinglePartsAnswerIsPassedOnWithItsOwnIds) {
    const Part sentOtherwise{{{false, 1, 1, "111"}, octets("01 08 '49111' 00")}};
    multis.begin(7, 0, {sentOtherwise});
    EXPECT_EQ(answered(1,
                       "00000026 80000021 00000000 00000007 'AB' 00"
                       "01 01 08 '49111' 00 0000000B 0204 0002 1234"),
              written("00000024 80000021 00000000 00000007 'AB' 00"
                      "01 01 01 '111' 00 0000000B 0204 0002 1234"));
    multis.begin(7, 0, {sentOtherwise});
    EXPECT_EQ(answered(1, full), written(full));
}

TEST_F(MultiSubmitsTest, AllDestinationsOfAPartThatWasRefusedAreAmongThem) {
    multis.begin(7, ours, {one, two});
    EXPECT_EQ(answered(1, ok), "");
    EXPECT_EQ(answered(2, full), written("0000003A 80000021 00000000 00000007 '0FFF0000000000A1' 00"
                                         "02 02 03 '222' 00 00000014 00 00 'friends' 00 00000014"));
}

TEST_F(MultiSubmitsTest, WhoWasRefusedByUsIsAmongThem) {
    multis.begin(7, ours, {one});
    multis.addUnsuccess(7, {false, 1, 2, "333"}, Status::invDstAdr);
    EXPECT_EQ(answered(1, ok), written("0000002C 80000021 00000000 00000007 '0FFF0000000000A1' 00"
                                       "01 01 02 '333' 00 0000000B"));
}

TEST_F(MultiSubmitsTest, WhenNobodyTakesItTheFirstReasonAnswersIt) {
    multis.begin(7, ours, {one, two});
    EXPECT_EQ(answered(1, full), "");
    EXPECT_EQ(answered(2, "00000010 80000021 00000008 00000007"),
              written("00000010 80000021 00000014 00000007"));
}

TEST_F(MultiSubmitsTest, NoMoreUnsuccessfulAreToldThanTheirCountCanSay) {
    const Part many(254, DealtDestination{{false, 1, 1, "1"}});
    multis.begin(7, ours, {one, many, three});
    EXPECT_EQ(answered(1, ok), "");
    EXPECT_EQ(answered(2, full), "");
    const nio::Bytes whole = *multis.partAnswered(7, 3, octets(full));
    const smpp::Scanned scanned = smpp::scan(whole);
    ASSERT_TRUE(scanned.pdu);
    EXPECT_GE(scanned.pdu->number(smpp::Field::unsuccessCount), 254);
}

TEST_F(MultiSubmitsTest, RequestsDoNotMix) {
    multis.begin(7, ours, {one, two});
    multis.begin(8, ours + 1, {one});
    EXPECT_EQ(answered(1, ok), "");
    const auto other = multis.partAnswered(8, 1, octets(ok));
    ASSERT_TRUE(other);
    EXPECT_EQ(shown(*other),
              written("00000022 80000021 00000000 00000008 '0FFF0000000000A2' 00 00"));
    EXPECT_NE(answered(2, ok), "");
}

TEST_F(MultiSubmitsTest, AnEsmeThatUsesANumberTwiceAtOnceHarmsNobody) {
    multis.begin(7, ours, {one, two, three});
    multis.begin(7, ours + 1, {one});
    (void)answered(3, full);
    (void)answered(2, full);
    (void)answered(1, full);
    (void)answered(1, full);
}

}  // namespace
}  // namespace router
