#include "common/http/Authorization.h"

#include <gtest/gtest.h>

namespace {

using apps::HttpRequest;

HttpRequest with(const std::string& header) {
    HttpRequest request;
    request.headers.emplace_back("authorization", header);
    return request;
}

// "USER|PASSWORD"; "(none)" without credentials.
std::string basic(const std::string& header) {
    const auto found = apps::basicCredentialsOf(with(header));
    return found ? found->user + "|" + found->password : "(none)";
}

std::string bearer(const std::string& header) {
    return std::string(apps::credentialsOf(with(header), "bearer").value_or("(none)"));
}

TEST(Authorization, GivesTheKeyOfABearer) {
    EXPECT_EQ(bearer("Bearer nio_1"), "nio_1");
    EXPECT_EQ(bearer("bearer nio_1"), "nio_1");
    EXPECT_EQ(bearer("BEARER   nio_1"), "nio_1");
    EXPECT_EQ(bearer("Bearer "), "");
    EXPECT_EQ(bearer("Bearer    "), "");
}

TEST(Authorization, IsNothingForAnotherScheme) {
    EXPECT_EQ(bearer(""), "(none)");
    EXPECT_EQ(bearer("Bearer"), "(none)");
    EXPECT_EQ(bearer("Bear nio_1"), "(none)");
    EXPECT_EQ(bearer("Bearers nio_1"), "(none)");
    EXPECT_EQ(bearer("Basic YTpi"), "(none)");
    EXPECT_EQ(basic("Bearer YTpi"), "(none)");
    EXPECT_FALSE(apps::credentialsOf(HttpRequest(), "bearer"));
    EXPECT_FALSE(apps::basicCredentialsOf(HttpRequest()));
}

TEST(Authorization, GivesUserAndPasswordOfBasic) {
    EXPECT_EQ(basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin|open sesame");  // RFC 7617, 2
    EXPECT_EQ(basic("bASIC YTpi"), "a|b");
    EXPECT_EQ(basic("Basic  YTpiYg=="), "a|bb");
    EXPECT_EQ(basic("Basic YTpiYmI="), "a|bbb");
}

TEST(Authorization, TakesAnEmptyUserOrPassword) {
    EXPECT_EQ(basic("Basic YTo="), "a|");
    EXPECT_EQ(basic("Basic OmI="), "|b");
    EXPECT_EQ(basic("Basic Og=="), "|");
}

TEST(Authorization, LeavesFurtherColonsToThePassword) {
    EXPECT_EQ(basic("Basic YTpiOmM6"), "a|b:c:");
}

TEST(Authorization, IsNothingWithoutAColon) {
    EXPECT_EQ(basic("Basic YWJj"), "(none)");
}

TEST(Authorization, IsNothingForMalformedBase64) {
    for (const char* text :
         {"",     " ",         "Y",        "YTp",      "YTo",       "YTp*", "YTp-",
          "Y Tp", "YTpi YTpi", "YTpi\n",   "YTpiYg=",  "YTpiYg===", "=",    "=YTp",
          "A===", "====",      "========", "YTpi====", "YQ==OmI=",  "YT=i"}) {
        EXPECT_EQ(basic(std::string("Basic ") + text), "(none)") << text;
    }
}

}  // namespace
