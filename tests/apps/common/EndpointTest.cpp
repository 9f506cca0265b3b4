#include "common/Endpoint.h"

#include <gtest/gtest.h>

namespace {

using apps::endpointFrom;

TEST(Endpoint, OfAPortIsThisMachineOnly) {
    const auto endpoint = endpointFrom("9100");
    ASSERT_TRUE(endpoint);
    EXPECT_EQ(endpoint->toString(), "127.0.0.1:9100");
}

TEST(Endpoint, MayNameAHost) {
    EXPECT_EQ(endpointFrom("0.0.0.0:9100").value().toString(), "0.0.0.0:9100");
    EXPECT_EQ(endpointFrom("localhost:0").value().toString(), "localhost:0");
    EXPECT_EQ(endpointFrom("[::1]:9100").value().toString(), "[::1]:9100");
}

TEST(Endpoint, TakesAnIpv6HostOutOfItsBrackets) {
    EXPECT_EQ(apps::withoutBrackets("[::1]"), "::1");
    for (const char* other : {"::1", "127.0.0.1", "host", "[host]", "[]", "[::1", "", "["}) {
        EXPECT_EQ(apps::withoutBrackets(other), other);
    }
}

TEST(SourceOf, IsAnAddressOrAnIpv6Network) {
    const std::pair<const char*, const char*> cases[] = {
        {"192.0.2.7", "192.0.2.7"},
        {"::ffff:192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:db8:1:2::1", "2001:db8:1:2::/64"},
        {"2001:db8:1:3::1", "2001:db8:1:3::/64"},
        {"::1", "::/64"},
    };
    for (const auto& [address, source] : cases) {
        EXPECT_EQ(apps::sourceOf(nio::SocketAddress::numeric(address, 7).orThrow()), source);
    }
}

TEST(Endpoint, IsNothingElse) {
    for (const char* text : {"", ":", ":1", "host", "host:", "1:x", "70000", "-1", "1 ", "::1",
                             "[]:1", "[::1:1", "::1:9100", "[localhost]:1", "[[::1]]:1"}) {
        EXPECT_FALSE(endpointFrom(text)) << text;
    }
}

}  // namespace
