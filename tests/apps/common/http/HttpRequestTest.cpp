#include "common/http/HttpRequest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using apps::HttpRequest;
using apps::percentDecoded;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

TEST(PercentDecoded, GivesBackWhatWasEncoded) {
    EXPECT_THAT(percentDecoded("a%20b%2Fc%c3%A9"), Optional(std::string("a b/c\xc3\xa9")));
    EXPECT_THAT(percentDecoded("1+1"), Optional(std::string("1+1")));
    EXPECT_THAT(percentDecoded("1+1", true), Optional(std::string("1 1")));
}

TEST(PercentDecoded, RefusesHalfASequence) {
    for (const char* const text : {"%", "%4", "ab%", "%4g", "%g4", "%%41"}) {
        EXPECT_EQ(percentDecoded(text), std::nullopt) << text;
    }
}

TEST(HttpRequest, FindsTheParametersOfItsQuery) {
    HttpRequest request;
    request.query = "from=%2B49&to=a+b&empty=&flag&to=second&b%61d=x&broken=%zz";
    EXPECT_THAT(request.queryParameter("from"), Optional(std::string("+49")));
    EXPECT_THAT(request.queryParameters("to"), ElementsAre("a b", "second"));
    EXPECT_THAT(request.queryParameter("empty"), Optional(std::string()));
    EXPECT_THAT(request.queryParameter("flag"), Optional(std::string()));
    EXPECT_THAT(request.queryParameter("bad"), Optional(std::string("x")));
    EXPECT_EQ(request.queryParameter("broken"), std::nullopt);
    EXPECT_THAT(request.queryParameters("none"), IsEmpty());
}

TEST(HttpRequest, FindsTheParametersOfAForm) {
    HttpRequest request;
    request.query = "token=q";
    request.body = "user=&token=a+b%3D%26c&token=second";
    EXPECT_THAT(request.formParameter("token"), Optional(std::string("a b=&c")));
    EXPECT_THAT(request.formParameter("user"), Optional(std::string()));
    EXPECT_EQ(request.formParameter("none"), std::nullopt);
}

TEST(HttpRequest, FindsItsCookies) {
    HttpRequest request;
    EXPECT_EQ(request.cookie("a"), std::nullopt);
    request.headers = {{"cookie", "a=1; bb=x=y;c=3"}};
    EXPECT_THAT(request.cookie("a"), Optional(std::string("1")));
    EXPECT_THAT(request.cookie("bb"), Optional(std::string("x=y")));
    EXPECT_THAT(request.cookie("c"), Optional(std::string("3")));
    EXPECT_EQ(request.cookie("b"), std::nullopt);
}

}  // namespace
