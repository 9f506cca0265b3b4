#include "common/Digest.h"

#include <gtest/gtest.h>

namespace {

// FIPS 180-2, appendix B.1.
TEST(Digest, PolicyHashIsSha256InBase64) {
    EXPECT_EQ(apps::policyHash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

// RFC 4231, test case 2.
TEST(Digest, KeyedDigestIsHmac) {
    EXPECT_EQ(apps::keyedDigest("Jefe", "what do ya want for nothing?"),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Digest, OnlyTheSameTextIsEqual) {
    EXPECT_TRUE(apps::equalInConstantTime("secret", "secret"));
    EXPECT_TRUE(apps::equalInConstantTime("", ""));
    for (const char* const other : {"", "secre", "secrets", "Secret", "secreT"}) {
        EXPECT_FALSE(apps::equalInConstantTime("secret", other)) << other;
    }
}

}  // namespace
