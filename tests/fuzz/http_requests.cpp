// The requests of the router's status page. What must hold:
//  - where the stream is cut changes nothing: the same requests, and the same error;
//  - each request keeps to the limits, and has a host unless it is HTTP/1.0;
//  - its parameters, cookies and decoded parts are read without harm.
//
// Input: how many cuts, the sizes of the pieces, the stream.

#include <vector>

#include "common/http/HttpParser.h"

#include "fuzz/FuzzTarget.h"

namespace {

using apps::HttpRequest;
using fuzz::require;

constexpr apps::HttpLimits limits{64, 256, 128};

struct Seen {
    std::vector<HttpRequest> requests;
    int error = 0;
};

// As a connection does: what a complete request leaves over is shown again.
void feed(apps::HttpParser& parser, Seen& seen, std::string_view bytes) {
    const std::string exact(bytes);
    for (std::string_view rest = exact; !rest.empty() && seen.error == 0;) {
        const std::size_t done = parser.feed(rest);
        require(done <= rest.size(), "it takes no more than there is");
        rest.remove_prefix(done);
        auto request = parser.take();
        seen.error = parser.errorStatus();
        require(request || seen.error != 0 || rest.empty(), "it goes on");
        if (request) seen.requests.push_back(std::move(*request));
    }
}

Seen seenIn(std::string_view stream, std::string_view sizes) {
    apps::HttpParser parser(limits);
    Seen seen;
    for (std::size_t i = 0; !stream.empty(); ++i) {
        const std::size_t wanted =
            sizes.empty() ? stream.size() : 1 + static_cast<unsigned char>(sizes[i % sizes.size()]);
        feed(parser, seen, stream.substr(0, wanted));
        stream.remove_prefix(std::min(wanted, stream.size()));
    }
    return seen;
}

bool same(const HttpRequest& a, const HttpRequest& b) {
    return a.method == b.method && a.path == b.path && a.query == b.query && a.host == b.host &&
           a.headers == b.headers && a.body == b.body && a.keepAlive == b.keepAlive;
}

void check(const HttpRequest& request) {
    require(request.path.size() + request.query.size() <= limits.urlBytes, "the URL's limit");
    require(request.body.size() <= limits.bodyBytes, "the body's limit");
    std::size_t headers = 0;
    for (const auto& [name, value] : request.headers) headers += name.size() + value.size();
    require(headers <= limits.headerBytes, "the headers' limit");
    (void)apps::percentDecoded(request.path);
    (void)request.queryParameters("a");
    (void)request.cookie("a");
}

void run(fuzz::FuzzInput input) {
    const std::string_view sizes = input.take(input.upTo(7));
    const std::string_view stream = input.rest();
    const Seen whole = seenIn(stream, {});
    const Seen pieces = seenIn(stream, sizes);
    require(pieces.error == whole.error, "the same error");
    require(pieces.requests.size() == whole.requests.size(), "as many requests");
    for (std::size_t i = 0; i < whole.requests.size(); ++i) {
        require(same(pieces.requests[i], whole.requests[i]), "the same requests");
        check(whole.requests[i]);
    }
}

const fuzz::FuzzTarget target("http_requests", run);

}  // namespace
