#include "sms_router/http/Problem.h"

#include <nlohmann/json.hpp>

namespace router {

namespace {

using smpp::Status;

Problem withStatus(int status, std::string detail, Status refusal) {
    return {status, std::move(detail), refusal};
}

}  // namespace

Problem problemOf(Status refusal) {
    switch (refusal) {
        case Status::throttled:
            return withStatus(429, "too many messages at once, for the account or for the SMSC",
                              refusal);
        case Status::msgQFul:
            return withStatus(503, "too many messages of the account wait", refusal);
        case Status::sysErr:
        case Status::submitFail:
        case Status::xTAppn: return withStatus(503, "the message cannot be accepted now", refusal);
        case Status::invMsgId: return withStatus(404, "no such message", refusal);
        case Status::invDstAdr:
            return withStatus(422, "the message may not be sent to this number", refusal);
        case Status::invSrcAdr:
            return withStatus(422, "the message may not be sent from this address", refusal);
        default: return withStatus(422, "the message was refused", refusal);
    }
}

Problem httpProblem(int status) {
    switch (status) {
        case 400: return {status, "the request is malformed"};
        case 404: return {status, "no such path"};
        case 405: return {status, "the path does not have this method"};
        case 408: return {status, "the request took too long to arrive"};
        case 413: return {status, "the body is too long"};
        case 414: return {status, "the URL is too long"};
        case 417: return {status, "the only expectation may be 100-continue"};
        case 429: return {status, "too many requests with passwords wait"};
        case 431: return {status, "the headers are too long"};
        case 501: return {status, "no such method or transfer coding"};
        case 505: return {status, "the version must be HTTP/1.0 or HTTP/1.1"};
        default: return {status, "the request was not answered"};
    }
}

nlohmann::ordered_json jsonOf(const Problem& problem) {
    nlohmann::ordered_json json{{"title", apps::reasonOf(problem.status)},
                                {"status", problem.status},
                                {"detail", problem.detail}};
    if (problem.smpp) json["smpp_status"] = smpp::nameOf(*problem.smpp);
    return json;
}

apps::HttpResponse jsonResponse(int status, const nlohmann::ordered_json& value) {
    constexpr auto replaced = nlohmann::ordered_json::error_handler_t::replace;
    return apps::HttpResponse::json(status, value.dump(-1, ' ', false, replaced) + "\n");
}

apps::HttpResponse responseOf(const Problem& problem) {
    apps::HttpResponse response = jsonResponse(problem.status, jsonOf(problem));
    response.headers = {{"Content-Type", "application/problem+json"}};
    if (problem.status == 401) {
        response.headers.emplace_back("WWW-Authenticate",
                                      "Bearer realm=\"sms-router\", Basic realm=\"sms-router\"");
    }
    if (problem.status == 429 || problem.status == 503) {
        response.headers.emplace_back("Retry-After", "1");
    }
    return response;
}

}  // namespace router
