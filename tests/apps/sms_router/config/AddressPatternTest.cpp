#include "sms_router/config/AddressPattern.h"

#include "apps/sms_router/routing/RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;

std::string problemOf(std::string_view text) {
    std::string problem;
    EXPECT_FALSE(AddressPattern::parse(text, problem)) << text;
    return problem;
}

TEST(AddressPattern, OfAnAddressMatchesThatAddress) {
    EXPECT_TRUE(pattern("12345").matches("12345"));
    EXPECT_FALSE(pattern("12345").matches("123456"));
    EXPECT_FALSE(pattern("12345").matches("1234"));
    EXPECT_FALSE(pattern("12345").matches(""));
    EXPECT_TRUE(pattern("My Bank").matches("My Bank"));
    EXPECT_TRUE(pattern("12345").isExact());
}

TEST(AddressPattern, OfAPrefixMatchesWhatBeginsSo) {
    EXPECT_TRUE(pattern("4179*").matches("41791234567"));
    EXPECT_TRUE(pattern("4179*").matches("4179"));
    EXPECT_FALSE(pattern("4179*").matches("417"));
    EXPECT_FALSE(pattern("4179*").matches("4178"));
    EXPECT_FALSE(pattern("4179*").isExact());
}

TEST(AddressPattern, OfAStarMatchesAll) {
    EXPECT_TRUE(pattern("*").matches(""));
    EXPECT_TRUE(pattern("*").matches("+1"));
}

TEST(AddressPattern, OfAnExpressionMatchesWhereItIsFound) {
    EXPECT_TRUE(pattern("/^41(76|79)/").matches("41761"));
    EXPECT_TRUE(pattern("/^41(76|79)/").matches("41791"));
    EXPECT_FALSE(pattern("/^41(76|79)/").matches("41771"));
    EXPECT_FALSE(pattern("/^41(76|79)/").matches("041761"));
    EXPECT_TRUE(pattern("/00/").matches("1001"));
    EXPECT_FALSE(pattern("/00/").isExact());
}

TEST(AddressPattern, DoesNotLookAtALeadingPlusUnlessItHasOne) {
    EXPECT_TRUE(pattern("4179*").matches("+41791"));
    EXPECT_TRUE(pattern("41791").matches("+41791"));
    EXPECT_TRUE(pattern("/^4179/").matches("+41791"));
    EXPECT_TRUE(pattern("+4179*").matches("+41791"));
    EXPECT_FALSE(pattern("+4179*").matches("41791"));
    EXPECT_FALSE(pattern("+41791").matches("41791"));
    EXPECT_TRUE(pattern("/^\\+4179/").matches("+41791"));
    EXPECT_FALSE(pattern("/^\\+4179/").matches("41791"));
    EXPECT_TRUE(pattern("/^[+]41/").matches("+41791"));
    EXPECT_TRUE(pattern("/^41+7/").matches("+41791"));
}

TEST(AddressPattern, MatchesOctetsThatAreNoUtf8) {
    EXPECT_TRUE(pattern("/^Caf.$/").matches("Caf\xE9"));
    EXPECT_TRUE(pattern("Caf\xE9").matches("Caf\xE9"));
}

TEST(AddressPattern, KeepsItsText) {
    EXPECT_EQ(pattern("4179*").text(), "4179*");
    EXPECT_EQ(pattern("/^41/").text(), "/^41/");
}

TEST(AddressPattern, SaysWhatIsWrong) {
    EXPECT_EQ(problemOf(""), "the pattern is empty");
    EXPECT_EQ(problemOf("41*79"), "\"*\" is only allowed at the end");
    EXPECT_EQ(problemOf("**"), "\"*\" is only allowed at the end");
    EXPECT_EQ(problemOf("/"), "the expression's closing \"/\" is missing");
    EXPECT_EQ(problemOf("/^41"), "the expression's closing \"/\" is missing");
    EXPECT_EQ(problemOf("/(41/"), "missing ): (41");
    EXPECT_EQ(problemOf(std::string(1001, '4')), "the pattern is longer than 1000 octets");
}

TEST(AddressPattern, RefusesAnExpressionThatTakesTooMuchMemory) {
    EXPECT_EQ(problemOf("/((a{100}){100}){100}/"), "invalid repetition size: {100}");
    std::string large;
    for (char c = 'a'; c <= 'z'; ++c) large += std::string(1, c) + "{1000}" + c + "{1000}";
    EXPECT_NE(problemOf("/" + large + "/").find("too large"), std::string::npos);
}

TEST(AddressPattern, TakesTimeLinearInTheAddress) {
    // A backtracking matcher would take 2^64 steps.
    EXPECT_FALSE(pattern("/^(a+)+$/").matches(std::string(64, 'a') + "b"));
}

}  // namespace
}  // namespace router
