#include "sms_router/admin/AdminAccess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using apps::HttpFields;
using apps::HttpRequest;
using apps::HttpResponse;
using router::AdminAccess;
using testing::HasSubstr;
using testing::Not;

HttpRequest request(const std::string& path, const HttpFields& headers = {},
                    const std::string& method = "GET", const std::string& host = "localhost:80") {
    HttpRequest made;
    made.method = method;
    made.path = path.substr(0, path.find('?'));
    if (path.find('?') != path.npos) made.query = path.substr(path.find('?') + 1);
    made.headers = headers;
    made.host = host;
    return made;
}

HttpRequest logIn(const std::string& form, const HttpFields& headers = {}) {
    HttpRequest made = request("/", headers, "POST");
    made.body = form;
    return made;
}

// 200: it is let through.
int statusOf(const AdminAccess& access, const HttpRequest& request) {
    const auto answer = access.check(request);
    return answer ? answer->status : 200;
}

std::string headerOf(const HttpResponse& response, const std::string& wanted) {
    for (const auto& [name, value] : response.headers) {
        if (name == wanted) return value;
    }
    return "";
}

TEST(LoopbackHost, IsCalledLikeTheLoopback) {
    for (const char* const host :
         {"localhost", "LocalHost:8080", "localhost.", "router.localhost:1", "127.0.0.1",
          "127.9.8.7:80", "[::1]", "[::1]:8080", "127.0.0.1:"}) {
        EXPECT_TRUE(router::isLoopbackHost(host)) << host;
    }
    for (const char* const host :
         {"", "evil.example", "localhost.evil.example", "notlocalhost", "127.0.0.1.evil.example",
          "127.1", "128.0.0.1", "10.0.0.1:80", "[::2]", "[::1", "::1", "[::1]x", "localhost:80:80",
          "localhost:x", "0.0.0.0", "[::ffff:10.0.0.1]", "127.0.0.1@evil.example"}) {
        EXPECT_FALSE(router::isLoopbackHost(host)) << host;
    }
}

TEST(AdminAccess, WithoutATokenIsForThisMachineOnly) {
    const AdminAccess access("");
    EXPECT_EQ(statusOf(access, request("/status.json")), 200);
    EXPECT_EQ(statusOf(access, request("/status.json", {}, "GET", "evil.example")), 403);
    EXPECT_EQ(statusOf(access, request("/reload", {}, "POST", "evil.example")), 403);
    EXPECT_EQ(statusOf(access, request("/", {}, "GET", "")), 403);
    EXPECT_EQ(statusOf(access, request("/?token=x")), 200);
    EXPECT_EQ(statusOf(access, request("/", {{"authorization", "Bearer "}})), 200);
}

TEST(AdminAccess, WithATokenAsksForIt) {
    const AdminAccess access("se cret");
    const auto with = [&](const std::string& authorization) {
        return statusOf(access, request("/metrics", {{"authorization", authorization}}));
    };
    EXPECT_EQ(statusOf(access, request("/metrics")), 401);
    EXPECT_EQ(with("Bearer se cret"), 200);
    EXPECT_EQ(with("bearer  se cret"), 200);
    for (const char* const wrong : {"", "Bearer", "Bearer ", "Bearer se cre", "Bearer se crets",
                                    "Basic se cret", "se cret", "Bearer Se cret"}) {
        EXPECT_EQ(with(wrong), 401) << wrong;
    }
    EXPECT_EQ(headerOf(*access.check(request("/metrics")), "WWW-Authenticate"),
              "Bearer realm=\"sms-router\"");
}

TEST(AdminAccess, WithATokenIsForOtherHostsToo) {
    const AdminAccess access("secret");
    EXPECT_EQ(statusOf(access,
                       request("/", {{"authorization", "Bearer secret"}}, "GET", "router.example")),
              200);
}

TEST(AdminAccess, ThePageGetsACookieForTheToken) {
    const AdminAccess access("secret");
    const auto answer = access.check(logIn("token=secret"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 303);
    EXPECT_EQ(headerOf(*answer, "Location"), "./");
    const std::string cookie = headerOf(*answer, "Set-Cookie");
    EXPECT_THAT(cookie, HasSubstr("; Path=/; HttpOnly; SameSite=Strict"));
    EXPECT_THAT(cookie, Not(HasSubstr("=secret")));

    const std::string pair = cookie.substr(0, cookie.find(';'));
    const HttpFields shown{{"cookie", "other=1; " + pair}};
    EXPECT_EQ(statusOf(access, request("/", shown)), 200);
    EXPECT_EQ(statusOf(access, request("/status.json", shown)), 200);
    EXPECT_EQ(statusOf(access, request("/", {{"cookie", pair + "0"}})), 401);
    EXPECT_EQ(statusOf(access, request("/", {{"cookie", pair.substr(0, pair.find('=') + 1)}})),
              401);
    EXPECT_EQ(statusOf(AdminAccess("another"), request("/", shown)), 401);
}

// Who guesses a token cannot try it as a cookie, which is neither counted nor delayed.
TEST(AdminAccess, TheTokenDoesNotGiveTheCookieAway) {
    const auto cookie = [] {
        return headerOf(*AdminAccess("secret").check(logIn("token=secret")), "Set-Cookie");
    };
    EXPECT_NE(cookie(), cookie());
}

TEST(AdminAccess, AWrongTokenGetsAPageThatSaysSo) {
    const AdminAccess access("secret");
    const auto first = access.check(request("/"));
    const auto wrong = access.check(logIn("token=guess"));
    EXPECT_EQ(first->status, 401);
    EXPECT_THAT(first->body, HasSubstr("<form"));
    EXPECT_THAT(first->body, Not(HasSubstr("This is not the token.")));
    EXPECT_EQ(wrong->status, 401);
    EXPECT_THAT(wrong->body, HasSubstr("This is not the token."));
    EXPECT_EQ(headerOf(*wrong, "Set-Cookie"), "");
}

TEST(AdminAccess, ATokenInAUrlOpensNothing) {
    const AdminAccess access("secret");
    const auto page = access.check(request("/?token=secret"));
    EXPECT_EQ(page->status, 401);
    EXPECT_THAT(page->body, Not(HasSubstr("secret")));
    EXPECT_EQ(headerOf(*page, "Set-Cookie"), "");
    EXPECT_EQ(statusOf(access, request("/metrics?token=secret")), 401);
    EXPECT_EQ(statusOf(access, request("/reload?token=secret", {}, "POST")), 401);
    EXPECT_EQ(statusOf(access, request("/?token=secret", {}, "POST")), 401);
}

TEST(AdminAccess, TheFormWorksAlsoForWhoIsLoggedIn) {
    const AdminAccess access("secret");
    const HttpFields bearer{{"authorization", "Bearer secret"}};
    EXPECT_EQ(statusOf(access, logIn("token=secret", bearer)), 303);
    EXPECT_EQ(statusOf(access, logIn("token=wrong", bearer)), 401);
    EXPECT_EQ(statusOf(access, logIn("", bearer)), 401);
}

TEST(AdminAccess, TheFormWorksWithoutAnOrigin) {
    const AdminAccess access("secret");
    EXPECT_EQ(statusOf(access, logIn("token=secret", {{"origin", "null"}})), 303);
}

TEST(AdminAccess, HealthIsForEverybody) {
    EXPECT_EQ(statusOf(AdminAccess("secret"), request("/healthz", {}, "GET", "x.example")), 200);
    EXPECT_EQ(statusOf(AdminAccess(""), request("/healthz", {}, "GET", "10.0.0.1")), 200);
}

TEST(AdminAccess, PagesOfOtherHostsMayChangeNothing) {
    for (const char* const token : {"", "secret"}) {
        const AdminAccess access(token);
        const auto post = [&](const HttpFields& origin) {
            HttpFields headers{{"authorization", "Bearer secret"}};
            headers.insert(headers.end(), origin.begin(), origin.end());
            return statusOf(access, request("/reload", headers, "POST", "LOCALHOST:80"));
        };
        EXPECT_EQ(post({}), 200);
        EXPECT_EQ(post({{"origin", "http://localhost:80"}}), 200);
        EXPECT_EQ(post({{"origin", "https://localhost:80"}}), 200);
        for (const char* const other :
             {"null", "", "http://localhost", "http://localhost:81", "http://evil.example",
              "localhost:80", "http://localhost:80.evil.example"}) {
            EXPECT_EQ(post({{"origin", other}}), 403) << other;
        }
    }
}

TEST(AdminAccess, PagesOfOtherHostsAreNotAskedWhenTheyOnlyRead) {
    EXPECT_EQ(statusOf(AdminAccess(""), request("/", {{"origin", "http://evil.example"}})), 200);
}

}  // namespace
