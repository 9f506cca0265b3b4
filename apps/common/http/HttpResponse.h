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
    HttpFields headers;  // names and values as they are sent: without line breaks
    std::string body;

    static HttpResponse text(int status, std::string body);
    static HttpResponse json(int status, std::string body);
    static HttpResponse html(int status, std::string body);
    // With the name of the status for a body.
    static HttpResponse plain(int status);

    HttpResponse&& with(std::string name, std::string value) &&;
};

// "Not Found", for 404.
std::string_view reasonOf(int status);

// How an answer looks on the wire.
struct HttpWireForm {
    bool keepAlive = true;
    bool bodiless = false;  // to a HEAD: the length, and no body
};

// `common` are headers of every answer; one that the response sets itself wins.
std::string toWire(const HttpResponse& response, const HttpFields& common,
                   const HttpWireForm& form);

}  // namespace apps
