#include "sms_router/routing/AddressForms.h"

#include <random>

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;
using enum AddressForms::Choice;

constexpr std::uint8_t national = 2;

bool rejects(std::string_view rule, std::string_view address, const NumberingPlan& plan = {},
             std::uint8_t ton = 0) {
    return AddressForms(address, plan, ton).match(pattern(rule), doubtfulToo);
}

bool permits(std::string_view rule, std::string_view address, const NumberingPlan& plan = {}) {
    return AddressForms(address, plan).match(pattern(rule), usual);
}

TEST(AddressForms, MatchARuleHoweverTheNumberIsSpelled) {
    for (const char* address :
         {"0900123", "+0900123", "++0900123", " 0900123", "00900123", "000900123", "(0900)123",
          "0-900-123", "\t0900123", "0 900 123", "0.900/123", "x0900123"}) {
        EXPECT_TRUE(rejects("0900*", address)) << address;
        EXPECT_TRUE(rejects("/^0900/", address)) << address;
    }
    for (const char* address :
         {"41900123", "+41900123", "++41900123", "0041900123", "+0041900123", "41-900-123",
          "41 900 123", "+41 (0)900 123", "+41(0)900123", "(41) 900123", "0041 (900) 123"}) {
        EXPECT_TRUE(rejects("41900*", address)) << address;
        EXPECT_TRUE(rejects("+41900*", address) || address[0] == '4' || address[0] == '(')
            << address;
    }
    EXPECT_TRUE(rejects("0900*", "900123", {}, national));
}

TEST(AddressForms, LeaveOtherNumbersAlone) {
    for (const char* address : {"4179123", "079123", "+4179123", "0041 79 123", "900123", "Shop"}) {
        EXPECT_FALSE(rejects("0900*", address)) << address;
        EXPECT_FALSE(rejects("41900*", address)) << address;
    }
    EXPECT_FALSE(rejects("0*", "+4179123"));
}

TEST(AddressForms, KnowTheCountry) {
    const NumberingPlan swiss{"00", "0", "41"};
    for (const char* address : {"0900123", "41900123", "+41900123", "0041900123", "0 900 123",
                                "+410900123", "+41 (0) 900123"}) {
        for (const char* rule : {"0900*", "41900*"})
            EXPECT_TRUE(rejects(rule, address, swiss)) << rule << " " << address;
    }
    EXPECT_TRUE(rejects("41900*", "900123", swiss, national));
    EXPECT_TRUE(permits("4179*", "079123", swiss));
    EXPECT_TRUE(permits("079*", "+4179123", swiss));
    EXPECT_FALSE(rejects("4144*", "447700900123", swiss));
}

TEST(AddressForms, PermitWhatIsTheNumberBeyondDoubtOnly) {
    EXPECT_TRUE(permits("4179*", "0041 79 123"));
    EXPECT_TRUE(permits("+4179*", "004179123"));
    EXPECT_TRUE(permits("Shop", "Shop"));
    EXPECT_FALSE(permits("079*", "0079123")) << "that is in another country";
    EXPECT_FALSE(permits("4179*", "x4179123"));
}

TEST(AddressForms, TellANumberFromAnythingElse) {
    for (const char* number : {"1", "+41791234567", "0041"}) EXPECT_TRUE(isPlainNumber(number));
    for (const char* other : {"", "+", "++41", " 41", "41-79", "4179x", "41\t"})
        EXPECT_FALSE(isPlainNumber(other)) << other;
}

// Separators anywhere, any number of "+" and zeros in front.
TEST(AddressForms, CannotBeSpelledRound) {
    std::mt19937 random(1);
    const auto below = [&](std::size_t most) { return random() % most; };
    const std::string separators = " -.()/\t,;:_*#\x01\x7F'";
    for (int run = 0; run < 20'000; ++run) {
        const bool isNational = below(2) == 0;
        std::string digits = isNational ? "0900" : "41900";
        for (std::size_t more = below(8); more > 0; --more)
            digits += static_cast<char>('0' + below(10));
        std::string address(below(4), '+');
        address += std::string(below(6), '0');
        for (const char digit : digits) {
            for (std::size_t more = below(3); more > 0; --more)
                address += separators[below(separators.size())];
            address += digit;
        }
        EXPECT_TRUE(rejects("0900*", address) || rejects("41900*", address)) << address;
    }
}

}  // namespace
}  // namespace router
