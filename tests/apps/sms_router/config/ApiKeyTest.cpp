#include "sms_router/config/ApiKey.h"

#include <gtest/gtest.h>

namespace router {
namespace {

TEST(ApiKey, HasTheShapeThatIsPromised) {
    const std::string key = newApiKey();
    ASSERT_EQ(key.size(), 68u);
    EXPECT_EQ(key.substr(0, 4), "nio_");
    EXPECT_EQ(key.find_first_not_of("0123456789abcdef", 4), key.npos);
}

TEST(ApiKey, IsAnotherOneEachTime) {
    EXPECT_NE(newApiKey(), newApiKey());
}

TEST(ApiKey, HasTheDigestOfSha256) {
    // FIPS 180-4, the example of one block.
    EXPECT_EQ(apiKeyDigest("abc"),
              "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_TRUE(isApiKeyDigest(apiKeyDigest(newApiKey())));
    EXPECT_TRUE(isApiKeyDigest(apiKeyDigest("")));
    EXPECT_NE(apiKeyDigest("a"), apiKeyDigest("b"));
}

TEST(ApiKey, KnowsWhatIsNoDigest) {
    const std::string digits(64, 'a');
    EXPECT_TRUE(isApiKeyDigest("sha256:" + digits));
    for (const std::string& text :
         {std::string(), std::string("sha256:"), digits, "SHA256:" + digits, "sha512:" + digits,
          "sha256:" + digits + "a", "sha256:" + digits.substr(1),
          "sha256:" + digits.substr(1) + "A", "sha256:" + digits.substr(1) + "g",
          "sha256: " + digits.substr(1), newApiKey()}) {
        EXPECT_FALSE(isApiKeyDigest(text)) << text;
    }
}

}  // namespace
}  // namespace router
