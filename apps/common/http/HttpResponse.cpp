#include "common/http/HttpResponse.h"

#include <algorithm>

namespace apps {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t usualHeadBytes = 512;

HttpResponse typed(int status, const char* type, std::string body) {
    HttpResponse response;
    response.status = status;
    response.headers.emplace_back("Content-Type", type);
    response.body = std::move(body);
    return response;
}

void append(std::string& wire, std::string_view name, std::string_view value) {
    wire.append(name).append(": "sv).append(value).append("\r\n"sv);
}

bool has(const HttpFields& fields, std::string_view name) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const auto& field) { return field.first == name; });
}

}  // namespace

HttpResponse HttpResponse::text(int status, std::string body) {
    return typed(status, "text/plain; charset=utf-8", std::move(body));
}

HttpResponse HttpResponse::json(int status, std::string body) {
    return typed(status, "application/json", std::move(body));
}

HttpResponse HttpResponse::html(int status, std::string body) {
    return typed(status, "text/html; charset=utf-8", std::move(body));
}

HttpResponse&& HttpResponse::with(std::string name, std::string value) && {
    headers.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
}

std::string_view reasonOf(int status) {
    switch (status) {
        case 200: return "OK";
        case 202: return "Accepted";
        case 303: return "See Other";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 412: return "Precondition Failed";
        case 413: return "Payload Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Entity";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return "Unknown";
    }
}

std::string toWire(const HttpResponse& response, const HttpFields& common,
                   const HttpWireForm& form) {
    std::string wire;
    wire.reserve(usualHeadBytes + (form.bodiless ? 0 : response.body.size()));
    wire.append("HTTP/1.1 "sv).append(std::to_string(response.status)).append(" "sv);
    wire.append(reasonOf(response.status)).append("\r\n"sv);
    append(wire, "Date", form.date);
    for (const auto& [name, value] : response.headers) append(wire, name, value);
    for (const auto& [name, value] : common) {
        if (!has(response.headers, name)) append(wire, name, value);
    }
    append(wire, "Content-Length", std::to_string(response.body.size()));
    append(wire, "Connection", form.keepAlive ? "keep-alive" : "close");
    wire += "\r\n";
    if (!form.bodiless) wire += response.body;
    return wire;
}

}  // namespace apps
