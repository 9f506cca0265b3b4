#include "sms_router/admin/AdminServer.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "common/Digest.h"
#include "common/metrics/MetricsText.h"
#include "sms_router/admin/AdminAccess.h"
#include "sms_router/admin/Page.h"
#include "sms_router/admin/SnapshotText.h"

namespace router {

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using apps::HttpRoutes;
using Json = nlohmann::ordered_json;

HttpResponse json(int status, const Json& value) {
    return HttpResponse::json(status,
                              value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::set<std::string, std::less<>> setOf(std::vector<std::string> names) {
    return {std::make_move_iterator(names.begin()), std::make_move_iterator(names.end())};
}

StatusDetail detailOf(const HttpRequest& request) {
    return {request.queryParameter("binds") != "none", setOf(request.queryParameters("account")),
            setOf(request.queryParameters("connector"))};
}

std::string hangs(const std::string& dispatcher) {
    return "dispatcher " + dispatcher + " does not answer";
}

HttpResponse unanswered(const nio::Error& why) {
    return json(503, {{"error", hangs(why.context())}});
}

HttpResponse status(const HttpRequest& request, const Snapshot& snapshot) {
    if (!snapshot.silent.empty()) return json(503, {{"error", hangs(snapshot.silent.front())}});
    return HttpResponse::json(200, statusJson(snapshot, detailOf(request)) + "\n");
}

HttpResponse answerOf(const Health& health) {
    if (!health.silent.empty()) return HttpResponse::text(503, hangs(health.silent) + "\n");
    if (health.draining) return HttpResponse::text(503, "draining\n");
    if (health.storeAlarm) return HttpResponse::text(503, "the store cannot write\n");
    return HttpResponse::text(200, "ok\n");
}

// Errors: invalid_argument; the context is a sentence.
nio::Result<ExplainRequest> explainRequestOf(const HttpRequest& request) {
    const auto given = [&](const char* name) { return request.queryParameter(name).value_or(""); };
    const auto wrong = [](const char* why) { return nio::Error(std::errc::invalid_argument, why); };
    const std::string coding = given("data_coding");
    const auto parsed = coding.empty() ? nio::Result<std::uint8_t>(0) : parseDataCoding(coding);
    if (!parsed) return wrong("data_coding is a number from 0 to 255");
    const std::string account = given("account");
    const std::string connector = given("connector");
    const std::string serviceType = given("service_type");
    if (!connector.empty() && !account.empty()) {
        return wrong("give either an account or a connector");
    }
    if (!connector.empty() && !(serviceType + coding).empty()) {
        return wrong("service_type and data_coding apply only to a message of an account");
    }
    return ExplainRequest{account,     connector,   given("from"),
                          given("to"), serviceType, parsed.value()};
}

using SharedCalls = std::shared_ptr<const AdminCalls>;

// The routes of one admin interface.
class Desk {
  public:
    explicit Desk(SharedCalls calls) : calls_(std::move(calls)) {}

    // What `render` makes of the router as it is now.
    HttpRoutes::Handler shows(HttpResponse (*render)(const HttpRequest&, const Snapshot&)) const {
        return [desk = *this, render](const HttpRequest& request, HttpResponder to) {
            desk.calls_->snapshot([render, request, to = std::move(to)](
                                      std::shared_ptr<const Snapshot> snapshot) mutable {
                to.answer(render(request, *snapshot));
            });
        };
    }

    void health(HttpResponder to) const {
        calls_->health(
            [to = std::move(to)](const Health& health) mutable { to.answer(answerOf(health)); });
    }

    void explain(const HttpRequest& request, HttpResponder to) const {
        const auto asked = explainRequestOf(request);
        if (!asked) return to.answer(json(400, {{"error", asked.error().context()}}));
        calls_->explain(asked.value(), [to = std::move(to)](
                                           nio::Result<AdminCalls::Lines> lines) mutable {
            to.answer(lines ? json(200, {{"lines", lines.value()}}) : unanswered(lines.error()));
        });
    }

    void reload(HttpResponder to) const {
        calls_->reload([to = std::move(to)](const Reloaded& reloaded) mutable {
            if (!reloaded.refusal.empty()) {
                return to.answer(json(503, {{"error", reloaded.refusal}}));
            }
            const int status = reloaded.mistakes.empty() ? 200 : 422;
            to.answer(
                json(status, {{"mistakes", reloaded.mistakes}, {"warnings", reloaded.warnings}}));
        });
    }

    void switchConnector(const std::string& name, bool on, HttpResponder to) const {
        calls_->switchConnector(
            name, on, [name, on, to = std::move(to)](nio::Result<bool> known) mutable {
                if (!known) return to.answer(unanswered(known.error()));
                to.answer(known.value() ? json(200, {{"connector", name}, {"stopped", !on}})
                                        : noConnector(name));
            });
    }

  private:
    static HttpResponse noConnector(const std::string& name) {
        return json(404, {{"error", "unknown connector " + name}});
    }

    SharedCalls calls_;
};

void addReading(HttpRoutes& routes, const Desk& desk) {
    routes.add("GET", "/", [](const HttpRequest&, HttpResponder to) {
        to.answer(HttpResponse::html(200, page::statusPage()));
    });
    routes.add("GET", "/status.json", desk.shows(&status));
    routes.add("GET", "/metrics", desk.shows([](const HttpRequest&, const Snapshot& snapshot) {
        HttpResponse response;
        response.headers.emplace_back("Content-Type", apps::metricsType);
        response.body = metrics(snapshot);
        return response;
    }));
    routes.add("GET", "/healthz",
               [desk](const HttpRequest&, HttpResponder to) { desk.health(std::move(to)); });
    routes.add("GET", "/explain", [desk](const HttpRequest& request, HttpResponder to) {
        desk.explain(request, std::move(to));
    });
}

void addSteering(HttpRoutes& routes, const Desk& desk) {
    routes.add("POST", "/reload",
               [desk](const HttpRequest&, HttpResponder to) { desk.reload(std::move(to)); });
    for (const bool on : {false, true}) {
        routes.add("POST", on ? "/connectors/{name}/start" : "/connectors/{name}/stop",
                   [desk, on](const HttpRequest& request, HttpResponder to) {
                       desk.switchConnector(request.pathParameter("name"), on, std::move(to));
                   });
    }
}

// Who tries one token after the other is slowed down, and told of.
void addAccess(HttpRoutes& routes, std::string token, const SharedCalls& calls) {
    const auto access = std::make_shared<AdminAccess>(std::move(token));
    routes.delayBy([access, calls](const HttpRequest& request) {
        return access->isAttempt(request) ? calls->loginDelay(request.peer)
                                          : std::chrono::milliseconds(0);
    });
    routes.guardWith([access, calls](const HttpRequest& request) {
        auto refused = access->check(request);
        const bool isWrong = refused && refused->status == 401 && access->isAttempt(request);
        if (isWrong) calls->tokenRefused(request.peer);
        return refused;
    });
}

void addSecurity(HttpRoutes& routes) {
    routes.addHeader("Content-Security-Policy", page::contentPolicy());
    routes.addHeader("X-Content-Type-Options", "nosniff");
    routes.addHeader("X-Frame-Options", "DENY");
    routes.addHeader("Referrer-Policy", "no-referrer");
    routes.addHeader("Cross-Origin-Resource-Policy", "same-origin");
    routes.addHeader("Cache-Control", "no-store");
}

}  // namespace

nio::Result<AdminServer> AdminServer::open(nio::ServerSocketChannel channel,
                                           const AdminOptions& options, nio::SelectorThread& thread,
                                           AdminCalls calls) {
    HttpRoutes routes;
    const auto shared = std::make_shared<const AdminCalls>(std::move(calls));
    const Desk desk(shared);
    addReading(routes, desk);
    addSteering(routes, desk);
    addSecurity(routes);
    addAccess(routes, options.token, shared);
    auto http = apps::HttpServer::open(std::move(channel), std::move(routes), options.http);
    if (!http) return http.error();
    return AdminServer(std::move(http).value(), thread);
}

}  // namespace router
