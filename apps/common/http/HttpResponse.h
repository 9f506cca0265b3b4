// One answer. Its length and what becomes of the connection are written by the server.
//
// Thread: any; a value.
#pragma once

#include <string>
#include <string_view>

#include "common/http/HttpRequest.h"

namespace apps {

struct HttpResponse {
    int status = 200;
    HttpFields headers{};  // names and values as they are sent: without line breaks
    // Of an error that has none, the routes write one: HttpRoutes::refuseWith().
    std::string body{};

    static HttpResponse text(int status, std::string body);
    static HttpResponse json(int status, std::string body);
    static HttpResponse html(int status, std::string body);

    HttpResponse&& with(std::string name, std::string value) &&;
};

// "Not Found", for 404.
std::string_view reasonOf(int status);

// How an answer looks on the wire.
struct HttpWireForm {
    bool keepAlive = true;
    bool bodiless = false;    // to a HEAD: the length, and no body
    std::string_view date{};  // of now
};

// `common` are headers of every answer; one that the response sets itself wins.
std::string toWire(const HttpResponse& response, const HttpFields& common,
                   const HttpWireForm& form);

}  // namespace apps
