// What the door answers to requests that reach no handler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/http/DoorScene.h"
#include "common/http/HttpResponse.h"

namespace router::scenarios {

namespace {

using testing::HasSubstr;

void expectProblem(const HttpAnswer& answer, int status) {
    EXPECT_EQ(answer.status, status);
    EXPECT_THAT(answer.head, HasSubstr("\r\nContent-Type: application/problem+json"));
    EXPECT_EQ(answer.json()["status"], status);
    EXPECT_EQ(answer.json()["title"], apps::reasonOf(status));
    EXPECT_NE(answer.json()["detail"], "");
}

}  // namespace

TEST(DoorRefusals, AreProblems) {
    DoorScene scene({.http = "max_body = 1024"});
    DoorClient client = scene.client();
    expectProblem(client.get("/"), 404);
    expectProblem(client.get("/v1/messages/1/2"), 404);
    client.send("PUT", "/v1/messages");
    const HttpAnswer notAllowed = client.next();
    expectProblem(notAllowed, 405);
    EXPECT_THAT(notAllowed.head, HasSubstr("\r\nAllow: POST, GET, HEAD\r\n"));
    client.send("BREW", "/v1/messages");
    expectProblem(client.next(), 501);
    const std::string many(100'000, 'a');
    expectProblem(scene.client().get("v1"), 400);
    expectProblem(scene.client().posted(many), 413);
    expectProblem(scene.client().get("/" + many), 414);
    expectProblem(scene.client("Bearer " + many).get("/v1/account"), 431);
}

}  // namespace router::scenarios
