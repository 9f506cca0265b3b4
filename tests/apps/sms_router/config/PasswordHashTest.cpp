#include "sms_router/config/PasswordHash.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace router {
namespace {

using Cost = PasswordHash::Cost;

// Of "secret1", by openssl passwd -6.
const char* const sha512 =
    "$6$saltsalt$jCP90RmSIIja2o9FRs25ASQaR1lMN6uKHmNcHaoNCpAXgV3n5NfAlQdZQcvMVQO1BTCOFF0LzoHFZBt9"
    "E45NW0";

TEST(PasswordHash, FitsThePasswordItWasMadeOf) {
    for (const Cost cost : {Cost::modest, Cost::cheap}) {
        const auto hash = PasswordHash::of("secret1", cost);
        EXPECT_TRUE(hash.isUsable()) << hash.text();
        EXPECT_TRUE(hash.check("secret1"));
        for (const char* other : {"", "secret", "secret2", "secret11", "Secret1"}) {
            EXPECT_FALSE(hash.check(other)) << other;
        }
    }
}

TEST(PasswordHash, IsAnotherEachTimeSinceItsSaltIs) {
    EXPECT_NE(PasswordHash::of("secret1", Cost::cheap).text(),
              PasswordHash::of("secret1", Cost::cheap).text());
}

TEST(PasswordHash, OfAPlainPasswordIsTheSameEachTime) {
    const auto hash = PasswordHash::ofPlain("secret1");
    EXPECT_TRUE(hash.check("secret1"));
    EXPECT_FALSE(hash.check("secret2"));
    EXPECT_EQ(hash.text(), PasswordHash::ofPlain("secret1").text());
    EXPECT_NE(hash.text(), PasswordHash::ofPlain("secret2").text());
}

TEST(PasswordHash, OfNobodyFitsNothing) {
    EXPECT_FALSE(PasswordHash().check(""));
    EXPECT_FALSE(PasswordHash().check("secret1"));
    EXPECT_FALSE(PasswordHash().isUsable());
}

TEST(PasswordHash, OfAnotherProgramIsUnderstood) {
    const PasswordHash hash{std::string(sha512)};
    EXPECT_TRUE(hash.isUsable());
    EXPECT_TRUE(hash.check("secret1"));
    EXPECT_FALSE(hash.check("secret2"));
}

TEST(PasswordHash, IsNotUsableWhenCryptDoesNotKnowItOrAPartIsMissing) {
    const std::string yescrypt = PasswordHash::of("x", Cost::cheap).text();
    for (const std::string& text :
         {std::string(), std::string("secret1"), std::string("*"), std::string("$9$salt$hash"),
          std::string("$y$"), yescrypt.substr(0, yescrypt.size() - 1), yescrypt + "x",
          std::string(sha512).substr(0, 40), std::string("$2b$05$short")}) {
        EXPECT_FALSE(PasswordHash(text).isUsable()) << text;
    }
}

TEST(PasswordHash, TakesNoPasswordWithANulForWhatStandsBeforeIt) {
    const std::string_view withNul("secret1\0x", 9);
    EXPECT_FALSE(PasswordHash::of("secret1", Cost::cheap).check(withNul));
    EXPECT_THROW((void)PasswordHash::of(withNul), std::runtime_error);
}

TEST(PasswordHash, RefusesAPasswordThatIsTooLongForCrypt) {
    const std::string longOne(512, 'x');
    EXPECT_THROW((void)PasswordHash::of(longOne), std::runtime_error);
    EXPECT_FALSE(PasswordHash::of("x", Cost::cheap).check(longOne));
}

}  // namespace
}  // namespace router
