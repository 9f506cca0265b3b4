#include "sms_router/config/AddressRange.h"

#include <gtest/gtest.h>

namespace router {
namespace {

nio::SocketAddress addressOf(const char* host) {
    return nio::SocketAddress::numeric(host, 2775).orThrow();
}

TEST(AddressRange, ContainsTheAddressesOfItsBlockAndNoOthers) {
    struct Row {
        const char* range;
        const char* address;
        bool contained;
    };
    const Row rows[] = {
        {"192.0.2.0/24", "192.0.2.0", true},
        {"192.0.2.0/24", "192.0.2.255", true},
        {"192.0.2.0/24", "192.0.3.0", false},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"192.0.2.128/25", "192.0.2.128", true},
        {"10.16.0.0/12", "10.31.255.255", true},
        {"10.16.0.0/12", "10.32.0.0", false},
        {"127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1", "127.0.0.2", false},
        {"127.0.0.1/32", "127.0.0.1", true},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"2001:db8::/32", "2001:db8:ffff::1", true},
        {"2001:db8::/32", "2001:db9::1", false},
        {"2001:db8::8000:0/97", "2001:db8::8000:1", true},
        {"2001:db8::8000:0/97", "2001:db8::1", false},
        {"::1", "::1", true},
        {"::1", "127.0.0.1", false},
        {"::/0", "2001:db8::1", true},
    };
    for (const Row& row : rows) {
        const auto range = AddressRange::parse(row.range);
        ASSERT_TRUE(range) << row.range;
        EXPECT_EQ(range->contains(addressOf(row.address)), row.contained)
            << row.range << " and " << row.address;
    }
}

TEST(AddressRange, TakesTheMappedFormOfAnIpv4AddressForThatAddress) {
    const auto mapped = addressOf("::ffff:192.0.2.7");
    EXPECT_TRUE(AddressRange::parse("192.0.2.0/24")->contains(mapped));
    EXPECT_FALSE(AddressRange::parse("192.0.3.0/24")->contains(mapped));
    EXPECT_TRUE(AddressRange::parse("::ffff:192.0.2.0/120")->contains(addressOf("192.0.2.7")));
}

TEST(AddressRange, OfAllIpv6ContainsNoIpv4) {
    EXPECT_FALSE(AddressRange::parse("::/0")->contains(addressOf("192.0.2.7")));
    EXPECT_FALSE(AddressRange::parse("::/0")->contains(addressOf("::ffff:192.0.2.7")));
}

TEST(AddressRange, ContainsNothingThatIsNoIpAddress) {
    const auto all = *AddressRange::parse("0.0.0.0/0");
    EXPECT_FALSE(all.contains(nio::SocketAddress::unixPath("/run/x").orThrow()));
    EXPECT_FALSE(all.contains(nio::SocketAddress()));
}

TEST(AddressRange, IsNotMadeOfAnythingElse) {
    for (const char* text :
         {"", "/", "/24", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/+8",
          "192.0.2.0/8x", "192.0.2.0/ 24", "192.0.2.1/24", "192.0.2/24", "192.0.2.0/24/24",
          "2001:db8::/129", "2001:db8::1/32", "[::1]", "fe80::1%lo", "localhost", "*"}) {
        EXPECT_FALSE(AddressRange::parse(text)) << text;
    }
}

TEST(AddressRange, IsWrittenAsItIsRead) {
    for (const char* text :
         {"192.0.2.0/24", "0.0.0.0/0", "127.0.0.1", "2001:db8::/32", "::1", "::/0", "10.0.0.0/8"}) {
        EXPECT_EQ(AddressRange::parse(text)->toString(), text);
    }
    EXPECT_EQ(AddressRange::parse("127.0.0.1/32")->toString(), "127.0.0.1");
}

}  // namespace
}  // namespace router
