// An HTTP/1.1 client on one dispatcher, for calls of webhooks and the like: libcurl's multi
// interface, whose sockets and timer the dispatcher watches. It starts no thread.
//
//     apps::HttpClient client(dispatcher, resolver);
//     client.callNow({.url = "https://hooks.example/a"}, [](nio::Result<apps::HttpAnswer> answer) {
//         ...
//     });
//
// URLs are http:// and https://. TLS is 1.2 at least, and the server's certificate must have the
// host's name and an issuer that is trusted: there is no way to turn that off. A redirect is an
// answer like others, and is not followed. Proxies that the environment names are not used. The
// Resolver looks names up, so that the dispatcher never waits for a name server. It does wait for
// the disk while libcurl reads the authority's file: for a connection, once a day (libcurl before
// 7.87: for each).
//
// Connections are kept and used again. A call on one that the server has closed meanwhile is
// repeated on a new connection if no octet of an answer has come: the server may get it twice.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: destroy it on the dispatcher (`done` may do so) or after that has stopped, and before
// the dispatcher is destroyed. Keep a reference to the Resolver: see ConnectorOptions.
// Errors: context() says in one sentence what has failed. The codes are invalid_argument (the URL),
// timedOut, nameNotFound and others of the Resolver, permission_denied (a private address),
// encodingFailed (TLS), the kernel's where there is no connection, not_enough_memory, and io_error
// for the rest.
// Source: RFC 9110, RFC 9112; libcurl-multi(3).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nio/net/Resolver.h>
#include <nio/net/Watch.h>
#include <nio/timers/Deadline.h>

#include "common/http/HttpRequest.h"

namespace apps {

struct HttpCall {
    std::string method = "GET";
    std::string url{};
    HttpFields headers{};  // without line breaks
    std::string body{};
    // From callNow() to the whole answer, with the lookup and the wait for a connection; at most an
    // hour.
    std::chrono::milliseconds timeLimit{10'000};
};

struct HttpAnswer {
    int status = 0;
    std::string body{};
    bool isCut =
        false;  // the body is longer than HttpClientOptions::maxBodyBytes; this is its begin
};

struct HttpClientOptions {
    std::string authority{};          // PEM file of those trusted for https; empty: the system's
    std::size_t maxConnections = 64;  // a further call waits
    std::size_t maxConnectionsPerHost = 8;
    std::size_t maxIdle = 64;                // connections that are kept for a further call
    std::size_t maxBodyBytes = 1024 * 1024;  // of an answer
    // Whether an address for which isPrivateAddress() holds is connected to. What counts is the
    // address itself, not the name that leads to it.
    bool allowPrivate = false;
};

class HttpClient {
  public:
    using CallId = std::uint64_t;
    using Done = nio::UniqueFunction<void(nio::Result<HttpAnswer>)>;

    HttpClient(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
               HttpClientOptions options = {});
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    ~HttpClient();

    // `done` is called once in a later turn; never after cancelNow() or the client's destruction,
    // or when the dispatcher stops before. Throws std::bad_alloc, and then never calls it.
    CallId callNow(HttpCall call, Done done) NIO_REQUIRES(nio::onDispatcher);
    // Closes its connection. Without effect on a call that has ended.
    void cancelNow(CallId id) NIO_REQUIRES(nio::onDispatcher);

  private:
    struct Call;
    struct Curl;  // the functions that libcurl calls

    void begin(Call& call, const std::vector<nio::SocketAddress>& addresses)
        NIO_REQUIRES(nio::onDispatcher);
    void watchSocket(Call& call, int fd, nio::Interest interest) NIO_REQUIRES(nio::onDispatcher);
    // Lets libcurl work: for a socket, or for its timer.
    void act(int fd, int ready) NIO_REQUIRES(nio::onDispatcher);
    void finished(Call& call, int code) NIO_REQUIRES(nio::onDispatcher);
    void end(Call& call, nio::Result<HttpAnswer> result) NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const std::shared_ptr<nio::Resolver> resolver_;
    const HttpClientOptions options_;
    void* const multi_;
    nio::Deadline timer_;
    std::map<int, nio::Watch> watches_;  // by socket
    std::map<CallId, std::shared_ptr<Call>> calls_;
    CallId lastId_ = 0;
};

}  // namespace apps
