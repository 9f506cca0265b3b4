#include <nio-tls/TlsContext.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "nio-tls/Certificates.h"

namespace {

using nio::TlsContext;
using ::testing::HasSubstr;

class TlsContextTest : public ::testing::Test {
  protected:
    static std::string refusal(const nio::Result<std::shared_ptr<const TlsContext>>& made) {
        return made ? "accepted" : made.error().message();
    }

    support::Authority authority{"authority"};
    const nio::TlsServerFiles good = authority.issue("good");
};

TEST_F(TlsContextTest, TakesACertificateAndItsKey) {
    const auto made = TlsContext::server(good);
    ASSERT_TRUE(made.ok()) << made.error().message();
    EXPECT_TRUE(made.value()->isServer());
}

TEST_F(TlsContextTest, SaysWhenTheFirstOfItsCertificatesExpires) {
    using namespace std::chrono_literals;
    const auto daysOf = [](const nio::TlsServerFiles& files) {
        const auto expires = TlsContext::server(files).orThrow()->expires();
        return std::chrono::round<std::chrono::hours>(*expires - std::chrono::system_clock::now()) /
               24h;
    };
    const nio::TlsServerFiles late = authority.issue("late", {.toDays = 20});
    EXPECT_EQ(daysOf(late), 20);
    const auto textOf = [](const std::string& file) {
        std::ifstream stream(file);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    // The authority's own is good for a day.
    const std::string chain =
        authority.write("chain.pem", textOf(late.certificate) + textOf(authority.file()));
    EXPECT_EQ(daysOf({chain, late.key}), 1);
    EXPECT_FALSE(TlsContext::client({}).orThrow()->expires());
}

TEST_F(TlsContextTest, TakesAnAuthorityOrTheSystemsOrNone) {
    const auto made = TlsContext::client({.authority = authority.file()});
    ASSERT_TRUE(made.ok()) << made.error().message();
    EXPECT_TRUE(made.value()->verifies());
    EXPECT_TRUE(TlsContext::client({}).ok());
    EXPECT_FALSE(TlsContext::client({.verify = false}).value()->verifies());
}

TEST_F(TlsContextTest, SaysWhichFileIsNotThere) {
    const auto certificate = TlsContext::server({"/no/such.pem", good.key});
    EXPECT_EQ(refusal(certificate), "certificate /no/such.pem: No such file or directory");
    EXPECT_TRUE(certificate.error().is(std::errc::no_such_file_or_directory));
    EXPECT_EQ(refusal(TlsContext::server({good.certificate, "/no/such.key"})),
              "key /no/such.key: No such file or directory");
    EXPECT_EQ(refusal(TlsContext::client({.authority = "/no/such.pem"})),
              "certificate authority /no/such.pem: No such file or directory");
}

TEST_F(TlsContextTest, SaysWhichFileIsNotWhatItShouldBe) {
    const std::string text = authority.write("text", "no certificate\n");
    const std::string why = ": no such item in PEM format (no start line): Invalid argument";
    EXPECT_EQ(refusal(TlsContext::server({text, good.key})), "certificate " + text + why);
    EXPECT_EQ(refusal(TlsContext::server({good.key, good.key})), "certificate " + good.key + why);
    EXPECT_THAT(refusal(TlsContext::server({good.certificate, text})), HasSubstr("key " + text));
    const std::string authorityError = refusal(TlsContext::client({.authority = text}));
    EXPECT_THAT(authorityError, HasSubstr("authority " + text + ": "));
}

TEST_F(TlsContextTest, SaysThatAKeyDoesNotFit) {
    const nio::TlsServerFiles other = authority.issue("other");
    EXPECT_EQ(refusal(TlsContext::server({good.certificate, other.key})),
              "key " + other.key + ": key values mismatch: Invalid argument");
}

TEST_F(TlsContextTest, AsksNobodyForAPassphrase) {
    const nio::TlsServerFiles locked = authority.issue("locked", {.passphrase = "secret"});
    const std::string why = refusal(TlsContext::server(locked));
    EXPECT_THAT(why, HasSubstr("key " + locked.key + ": it is protected by a passphrase"));
}

TEST_F(TlsContextTest, AnErrorLeavesNothingBehindForTheNextOne) {
    (void)TlsContext::server({good.certificate, authority.write("empty", "")}).ok();
    EXPECT_EQ(refusal(TlsContext::server({"/no/such.pem", good.key})),
              "certificate /no/such.pem: No such file or directory");
    EXPECT_TRUE(TlsContext::server(good).ok());
}

}  // namespace
