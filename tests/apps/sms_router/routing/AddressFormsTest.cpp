#include "sms_router/routing/AddressForms.h"

#include <algorithm>
#include <random>

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;
using enum AddressForms::Choice;

constexpr std::uint8_t national = 2;

bool rejects(std::string_view rule, std::string_view address, const NumberingPlan& plan = {},
             std::uint8_t ton = 0) {
    return AddressForms(address, plan, ton).match(pattern(rule), noNumbersToo);
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

TEST(AddressForms, OfNoNumberFallUnderARuleForNumbers) {
    for (const char* address :
         {"41791234567,0900123456", "41791234567;0900123456", "*31#09001234", "O900123456",
          "+41+900123", "090o123", "\xEF\xBC\x90\xEF\xBC\x99\xEF\xBC\x90\xEF\xBC\x90"}) {
        for (const char* rule : {"0900*", "0900123456", "+41900*", "/^410*900/", "/^\\d{3}$/"})
            EXPECT_TRUE(rejects(rule, address)) << rule << " " << address;
        EXPECT_FALSE(rejects("Shop*", address)) << address;
        EXPECT_FALSE(AddressForms(address, {}).match(pattern("0900*"), doubtfulToo)) << address;
    }
    for (const char* address : {"Shop", "My-Shop", "+41 (79) 123-45.67/8"})
        EXPECT_FALSE(rejects("0900*", address)) << address;
}

TEST(AddressForms, OfANetworksOwnNumberMayBeNational) {
    for (const unsigned type : {2u, 3u, 4u}) {
        const auto ton = static_cast<std::uint8_t>(type);
        EXPECT_TRUE(rejects("0900*", "900123456", {}, ton)) << type;
        EXPECT_TRUE(rejects("0900*", "900123456", {"00", "0", "41"}, ton)) << type;
    }
    EXPECT_FALSE(AddressForms("900123456", {"00", "0", "41"}, 4).match(pattern("0900*"), usual));
    EXPECT_FALSE(rejects("0900*", "900123", {"00", "0", "41"}, 3)) << "a short code";
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

const NumberingPlan american{"011", "1", "1"};
const NumberingPlan australian{"0011", "0", "61"};
const NumberingPlan russian{"810", "8", "7"};

TEST(AddressForms, KnowPrefixesThatAreNotZeros) {
    for (const char* address : {"+0111900123456", "00111900123456", "x0111900123456",
                                "0111900123456", "+1 1 900 123456", "01900123456"})
        EXPECT_TRUE(rejects("1900*", address, american)) << address;
    for (const char* address : {"+0011611900123", "++0011611900123", "00011611900123",
                                "x0011611900123", "+61 01900123", "0 1900123"})
        EXPECT_TRUE(rejects("611900*", address, australian)) << address;
    for (const char* address :
         {"+8900123", "08900123", "x8900123", "+8107900123", "+7 8 900123", "8 900123"})
        EXPECT_TRUE(rejects("7900*", address, russian)) << address;
    EXPECT_TRUE(permits("7900*", "8107900123", {"810", "8", ""}));
}

TEST(AddressForms, LeaveNumbersBehindOtherPrefixesAlone) {
    EXPECT_FALSE(rejects("1900*", "+11900123", australian)) << "0011 begins with a zero";
    EXPECT_FALSE(rejects("3639*", "+639171234567", {"00", "06", "36"}));
    EXPECT_FALSE(rejects("900*", "+41900123", {"00", "0", "41"}));
    EXPECT_FALSE(permits("7900*", "+8900123", russian)) << "that is in another country";
}

TEST(AddressForms, IgnoreZerosBehindTheCountryCode) {
    for (const char* address : {"+4100900123", "004100900123", "+41(00)900123", "+41 [0] 900123",
                                "+41 (0 )900123", "41(0)(0)900123"}) {
        EXPECT_TRUE(rejects("0900*", address, {"00", "0", "41"})) << address;
        EXPECT_TRUE(rejects("/^410*900/", address)) << address;
    }
}

struct Premium {
    NumberingPlan plan;
    std::string countryCode;
    std::vector<std::string> rules;
};

// Separators anywhere, any number of "+" and zeros in front, and of zeros behind the country code.
TEST(AddressForms, CannotBeSpelledRound) {
    const std::vector<Premium> all{{{"00", "0", ""}, "41", {"0900*", "/^410*900/"}},
                                   {{"00", "0", "41"}, "41", {"0900*"}},
                                   {american, "1", {"1900*"}},
                                   {australian, "61", {"61900*"}},
                                   {russian, "7", {"7900*"}},
                                   {{"00", "06", "36"}, "36", {"36900*"}}};
    std::mt19937 random(1);
    const auto below = [&](std::size_t most) { return random() % most; };
    const std::string separators = " -.()/\t,;:_*#\x01\x7F'";
    for (int run = 0; run < 20'000; ++run) {
        const Premium& premium = all[below(all.size())];
        const NumberingPlan& plan = premium.plan;
        std::string digits;
        if (below(2) == 0) {
            digits = plan.nationalPrefix;
        } else {
            if (below(2) == 0) digits = plan.internationalPrefix;
            digits += premium.countryCode + std::string(below(4), '0');
            if (!plan.countryCode.empty() && below(4) == 0) digits += plan.nationalPrefix;
        }
        digits += "900";
        for (std::size_t more = below(8); more > 0; --more)
            digits += static_cast<char>('0' + below(10));
        std::string address(below(4), '+');
        address += std::string(below(6), '0');
        for (const char digit : digits) {
            for (std::size_t more = below(3); more > 0; --more)
                address += separators[below(separators.size())];
            address += digit;
        }
        switch (below(8)) {
            case 0: address.insert(0, "41791234567,"); break;
            case 1: address.insert(0, "41791234567;"); break;
            case 2: address.insert(0, "*31#"); break;
            case 3: address.replace(address.find_first_of("0123456789"), 1, "O"); break;
            case 4: {
                const std::size_t at = address.find_first_of("0123456789");
                address.replace(at, 1, "\xEF\xBC" + std::string(1, char(address[at] - '0' + 0x90)));
                break;
            }
            default: break;
        }
        const bool isRejected = std::ranges::any_of(
            premium.rules, [&](const std::string& rule) { return rejects(rule, address, plan); });
        EXPECT_TRUE(isRejected) << address << " in " << premium.countryCode;
    }
}

}  // namespace
}  // namespace router
