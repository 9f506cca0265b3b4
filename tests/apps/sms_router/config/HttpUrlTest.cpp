#include "sms_router/config/HttpUrl.h"

#include <gtest/gtest.h>

namespace router {
namespace {

std::string whatIsWrongWith(const std::string& text) {
    const auto parsed = HttpUrl::parse(text);
    return parsed ? "" : parsed.error().context();
}

TEST(HttpUrl, HasAHostAPortAndATarget) {
    const auto parsed = [](const std::string& text) { return HttpUrl::parse(text).orThrow(); };
    EXPECT_EQ(parsed("http://hooks.example"), (HttpUrl{"hooks.example", 80, "/"}));
    EXPECT_EQ(parsed("http://127.0.0.1:9/a/b?c=d#e"), (HttpUrl{"127.0.0.1", 9, "/a/b?c=d"}));
    EXPECT_EQ(parsed("http://[::1]:65535?c"), (HttpUrl{"::1", 65535, "/?c"}));
    EXPECT_EQ(parsed("http://[::1]/"), (HttpUrl{"::1", 80, "/"}));
    EXPECT_EQ(parsed("http://[::1]/").hostAndPort(), "[::1]:80");
    EXPECT_EQ(parsed("http://a/secret").hostAndPort(), "a:80");
    EXPECT_EQ(parsed("http://[::1]?b#c").text(), "http://[::1]:80/?b");
    EXPECT_EQ(parsed("https://a/b").text(), "https://a:443/b");
    EXPECT_EQ(parsed("https://a/b"), (HttpUrl{"a", 443, "/b", true}));
    EXPECT_EQ(parsed("https://a:8443"), (HttpUrl{"a", 8443, "/", true}));
}

TEST(HttpUrl, SaysWhatIsWrong) {
    for (const char* text : {"", "a", "ftp://a", "HTTP//a"}) {
        EXPECT_EQ(whatIsWrongWith(text), "must begin with http:// or https://") << text;
    }
    for (const char* text : {"http://", "http:///a", "http://:80", "http://a%b", "http://[::1",
                             "http://[a]", "http://[1.2.3.4]", "http://[]", "https://"}) {
        EXPECT_EQ(whatIsWrongWith(text), "has no valid host") << text;
    }
    for (const char* text : {"http://a:", "http://a:0", "http://a:65536", "http://a:8x",
                             "http://a:-1", "http://[::1]80"}) {
        EXPECT_EQ(whatIsWrongWith(text), "has no valid port") << text;
    }
    EXPECT_EQ(whatIsWrongWith("http://a:b@c"), "must not have a user name");
    for (const char* text : {"http://a/ b", "http://a/\r\nX: y", "http://a/\xc3\xa4"}) {
        EXPECT_EQ(whatIsWrongWith(text), "must be printable ASCII without spaces") << text;
    }
}

}  // namespace
}  // namespace router
