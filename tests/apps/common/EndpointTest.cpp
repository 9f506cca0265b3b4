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

TEST(Endpoint, IsNothingElse) {
    for (const char* text : {"", ":", ":1", "host", "host:", "1:x", "70000", "-1", "1 ", "::1",
                             "[]:1", "[::1:1", "::1:9100", "[localhost]:1", "[[::1]]:1"}) {
        EXPECT_FALSE(endpointFrom(text)) << text;
    }
}

}  // namespace
