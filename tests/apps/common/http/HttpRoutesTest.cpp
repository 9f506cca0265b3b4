#include "common/http/HttpRoutes.h"

#include <gtest/gtest.h>

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using apps::HttpRoutes;

class HttpRoutesTest : public testing::Test {
  protected:
    // What the routes do with it: what a handler noted, else nothing.
    std::string served(const std::string& method, const std::string& path) {
        noted.clear();
        HttpRequest request;
        request.method = method;
        request.path = path;
        routes.serve(std::move(request), HttpResponder(queue, {}, 1));
        return noted;
    }
    void add(const std::string& method, const std::string& path) {
        routes.add(method, path, [=, this](const HttpRequest& request, HttpResponder) {
            noted = method + " " + path + " " + request.pathParameter("name");
        });
    }

    // Stopped: answers go nowhere. What they are like is seen in HttpServerTest.
    std::shared_ptr<nio::TaskQueue> queue = [] {
        auto made = std::make_shared<nio::TaskQueue>(nullptr, 0);
        made->close();
        return made;
    }();
    HttpRoutes routes;
    std::string noted;
};

TEST_F(HttpRoutesTest, MethodAndPathChooseTheHandler) {
    add("GET", "/");
    add("GET", "/x");
    add("POST", "/x");
    EXPECT_EQ(served("GET", "/"), "GET / ");
    EXPECT_EQ(served("GET", "/x"), "GET /x ");
    EXPECT_EQ(served("HEAD", "/x"), "GET /x ");
    EXPECT_EQ(served("POST", "/x"), "POST /x ");
    EXPECT_EQ(served("GET", "/%78"), "GET /x ");
    for (const char* const path : {"/y", "/x/", "//x", "/X", "x", "", "/%7", "/%zz"}) {
        EXPECT_EQ(served("GET", path), "") << path;
    }
    EXPECT_EQ(served("DELETE", "/x"), "");
}

TEST_F(HttpRoutesTest, APartInBracesStandsForAnyPart) {
    add("POST", "/connectors/{name}/stop");
    EXPECT_EQ(served("POST", "/connectors/a/stop"), "POST /connectors/{name}/stop a");
    EXPECT_EQ(served("POST", "/connectors/a%2Fb%20c/stop"), "POST /connectors/{name}/stop a/b c");
    EXPECT_EQ(served("POST", "/connectors//stop"), "");
    EXPECT_EQ(served("POST", "/connectors/a/b/stop"), "");
    EXPECT_EQ(served("POST", "/connectors/a/start"), "");
}

TEST_F(HttpRoutesTest, TheGuardSeesARequestFirst) {
    add("GET", "/x");
    routes.guardWith([this](const HttpRequest& request) {
        noted = "guard " + request.path;
        return request.path == "/x" ? std::optional<HttpResponse>() : HttpResponse{403};
    });
    EXPECT_EQ(served("GET", "/x"), "GET /x ");
    EXPECT_EQ(served("GET", "/y"), "guard /y");
}

}  // namespace
