#include "sms_router/http/Problem.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace router {
namespace {

using smpp::Status;

// Of a header of the answer; "(absent)" without it.
std::string headerOf(const Problem& problem, const std::string& name) {
    for (const auto& [each, value] : responseOf(problem).headers) {
        if (each == name) return value;
    }
    return "(absent)";
}

TEST(HttpProblem, HasAStatusForEachRefusal) {
    const std::pair<Status, int> rows[]{
        {Status::throttled, 429},  {Status::msgQFul, 503},   {Status::sysErr, 503},
        {Status::submitFail, 503}, {Status::xTAppn, 503},    {Status::invMsgId, 404},
        {Status::invDstAdr, 422},  {Status::invSrcAdr, 422}, {Status::invMsgLen, 422},
        {Status::xPAppn, 422},     {Status::invSched, 422},  {Status::cancelFail, 422},
        {Status{0x412}, 422},
    };
    for (const auto& [refusal, status] : rows) {
        const Problem problem = problemOf(refusal);
        EXPECT_EQ(problem.status, status) << smpp::nameOf(refusal);
        EXPECT_EQ(problem.smpp, refusal);
        EXPECT_NE(problem.detail, "");
        EXPECT_EQ(jsonOf(problem)["smpp_status"], smpp::nameOf(refusal));
    }
}

TEST(HttpProblem, IsWhatRfc9457Says) {
    const apps::HttpResponse response = responseOf({422, "to: is missing"});
    EXPECT_EQ(response.status, 422);
    EXPECT_EQ(response.body, "{\"title\":\"" + std::string(apps::reasonOf(422)) +
                                 "\",\"status\":422,\"detail\":\"to: is missing\"}\n");
    EXPECT_EQ(headerOf({422, "x"}, "Content-Type"), "application/problem+json");
}

TEST(HttpProblem, HasATitleForEachStatus) {
    for (const int status : {400, 401, 403, 404, 413, 415, 422, 429, 503}) {
        EXPECT_NE(jsonOf(Problem{status, "x"})["title"], "") << status;
    }
}

TEST(HttpProblem, SaysWhenToTryAgain) {
    for (const int status : {429, 503}) EXPECT_EQ(headerOf({status, "x"}, "Retry-After"), "1");
    for (const int status : {400, 401, 403, 404, 413, 415, 422}) {
        EXPECT_EQ(headerOf({status, "x"}, "Retry-After"), "(absent)") << status;
    }
}

TEST(HttpProblem, SaysWhatHttpItselfRefuses) {
    std::set<std::string> details;
    for (const int status : {400, 404, 405, 408, 413, 414, 417, 429, 431, 500, 501, 505}) {
        const Problem problem = httpProblem(status);
        EXPECT_EQ(problem.status, status);
        EXPECT_TRUE(details.insert(problem.detail).second) << problem.detail;
        EXPECT_NE(apps::reasonOf(status), "Unknown");
    }
}

TEST(HttpProblem, ChallengesTheUnknown) {
    EXPECT_EQ(headerOf({401, "x"}, "WWW-Authenticate"),
              "Bearer realm=\"sms-router\", Basic realm=\"sms-router\"");
    EXPECT_EQ(headerOf({403, "x"}, "WWW-Authenticate"), "(absent)");
}

TEST(HttpProblem, IsUtf8WhateverItsDetailIs) {
    const auto body = responseOf({422, "a\xFF\"\n"}).body;
    EXPECT_EQ(nlohmann::json::parse(body)["detail"], "a\uFFFD\"\n");
}

}  // namespace
}  // namespace router
