#include "common/http/HttpResponse.h"

#include <http_parser.h>

#include <algorithm>

namespace apps {

namespace {

HttpResponse typed(int status, const char* type, std::string body) {
    HttpResponse response;
    response.status = status;
    response.headers.emplace_back("Content-Type", type);
    response.body = std::move(body);
    return response;
}

void append(std::string& wire, std::string_view name, std::string_view value) {
    wire.append(name).append(": ").append(value).append("\r\n");
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

HttpResponse HttpResponse::plain(int status) {
    return text(status, std::string(reasonOf(status)) + "\n");
}

HttpResponse&& HttpResponse::with(std::string name, std::string value) && {
    headers.emplace_back(std::move(name), std::move(value));
    return std::move(*this);
}

std::string_view reasonOf(int status) {
    return http_status_str(static_cast<http_status>(status));
}

std::string toWire(const HttpResponse& response, const HttpFields& common,
                   const HttpWireForm& form) {
    std::string wire = "HTTP/1.1 " + std::to_string(response.status) + " ";
    wire.append(reasonOf(response.status)).append("\r\n");
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
