#include "common/http/PrivateAddress.h"

#include <gtest/gtest.h>

namespace {

bool isPrivate(const char* host) {
    return apps::isPrivateAddress(nio::SocketAddress::numeric(host, 80).orThrow());
}

TEST(PrivateAddress, IsOneOfAPrivateNetwork) {
    for (const char* host :
         {"0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
          "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
          "192.0.0.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "240.0.0.1",
          "255.255.255.255"}) {
        EXPECT_TRUE(isPrivate(host)) << host;
    }
    for (const char* host : {"::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1",
                             "ff02::1", "64:ff9b:1::1"}) {
        EXPECT_TRUE(isPrivate(host)) << host;
    }
    EXPECT_TRUE(apps::isPrivateAddress(nio::SocketAddress::unixPath("/a").orThrow()));
}

TEST(PrivateAddress, IsNoneOfTheInternet) {
    for (const char* host :
         {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.1.1.1",
          "128.0.0.1", "169.253.1.1", "169.255.1.1", "172.15.255.255", "172.32.0.0", "192.0.1.0",
          "192.167.1.1", "192.169.1.1", "198.17.1.1", "198.20.1.1", "223.255.255.255"}) {
        EXPECT_FALSE(isPrivate(host)) << host;
    }
    for (const char* host : {"2606:4700::1111", "2001:4860::1", "fbff::1", "fe00::1"}) {
        EXPECT_FALSE(isPrivate(host)) << host;
    }
}

TEST(PrivateAddress, OfIpv6MayBeThatOfIpv4) {
    for (const char* host : {"::ffff:127.0.0.1", "::ffff:10.1.2.3", "::10.1.2.3",
                             "64:ff9b::192.168.1.1", "2002:7f00:1::", "2002:a9fe:a9fe::1"}) {
        EXPECT_TRUE(isPrivate(host)) << host;
    }
    for (const char* host : {"::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::"}) {
        EXPECT_FALSE(isPrivate(host)) << host;
    }
}

}  // namespace
