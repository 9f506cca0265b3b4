// The admin interface over HTTP: the status page, and what it and other programs ask.
//
//   GET  /                          the status page
//   POST /                          the token as the form of the page sends it: a cookie for it
//   GET  /status.json               the same as JSON; ?binds=none leaves the single binds out, but
//                                   for those of each account=NAME and connector=NAME
//   GET  /metrics                   the same for Prometheus
//   GET  /healthz                   200, or 503 while it drains or the store cannot write
//   GET  /explain?account=&from=&to=&service_type=&data_coding=
//                                   {"lines": […]}: which route the message would take, and why
//   GET  /explain?connector=&from=&to=
//                                   the same for a message of an SMSC; 400: more than these
//   POST /reload                    {"mistakes": []}; 422 with some, and nothing has changed
//   POST /connectors/NAME/stop      {"connector": NAME, "stopped": true}; 404: no such connector
//   POST /connectors/NAME/start
//
// Where a dispatcher of the router does not answer within 2 s, all but the page, /metrics and
// POST /reload say 503 and its name; /metrics leaves out what it would have said.
//
// Who may: AdminAccess.h. Nothing of it may be cached, framed, or loaded by pages of other hosts.
//
// Thread: any, one at a time.
// Lifetime: the object may go once it is started; the thread, and what the calls use, must live
// until that dispatcher has stopped.
#pragma once

#include <string>

#include "common/http/HttpServer.h"
#include "sms_router/admin/AdminCalls.h"

namespace router {

struct AdminOptions {
    std::string token;  // empty: none is asked for
    apps::HttpServerOptions http{};
};

class AdminServer {
  public:
    // On a channel that listens, and on `thread` once started.
    static nio::Result<AdminServer> open(nio::ServerSocketChannel channel,
                                         const AdminOptions& options, nio::SelectorThread& thread,
                                         AdminCalls calls);

    // With the port that the system chose.
    const nio::SocketAddress& address() const { return http_.address(); }
    // Once. False: the dispatcher has stopped. Later errors go to onError.
    [[nodiscard]] bool start(nio::CallbackErrorHandler onError = {}) {
        return http_.start(*thread_, std::move(onError));
    }

  private:
    AdminServer(apps::HttpServer http, nio::SelectorThread& thread)
        : http_(std::move(http)), thread_(&thread) {}

    apps::HttpServer http_;
    nio::SelectorThread* thread_;
};

}  // namespace router
