#include "echo_server/MetricsServer.h"

#include "common/http/HttpServer.h"
#include "common/metrics/MetricsFamilies.h"

namespace echo {

namespace {

constexpr const char* path = "/metrics";

nio::SelectorThreadOptions named(nio::SelectorThreadOptions options) {
    options.name = "metrics";
    return options;
}

// Nobody is to be told of a place where nobody answers: when this returns, it is served.
nio::Result<void> serveFrom(nio::SelectorThread& thread, apps::HttpServer& server) {
    const auto refusal = std::make_shared<std::optional<nio::Error>>();
    const auto refused = [refusal](const nio::Error& error) { *refusal = error; };
    if (!server.start(thread, refused)) return nio::Errc::stopped;
    const nio::Result<void> ran = thread.invokeAndWait([] {});
    if (!ran) return ran;
    if (*refusal) return **refusal;
    return {};
}

apps::HttpResponse answer(const nio::SelectorThreadGroup& group, const nio::MemoryBudget* budget) {
    std::vector<nio::DispatcherMetrics> metrics;
    for (std::size_t i = 0; i < group.size(); ++i) metrics.push_back(group[i].metrics());
    apps::MetricsText text;
    apps::writeDispatchers(text, metrics);
    apps::writeBudget(text, budget);
    apps::writeProcess(text);
    apps::writeBuild(text);
    apps::HttpResponse response;
    response.headers.emplace_back("Content-Type", apps::metricsType);
    response.body = text.take();
    return response;
}

apps::HttpRoutes routesTo(const nio::SelectorThreadGroup& group,
                          std::shared_ptr<const nio::MemoryBudget> budget) {
    apps::HttpRoutes routes;
    routes.add("GET", "/healthz", [](const apps::HttpRequest&, apps::HttpResponder to) {
        apps::HttpResponse response;
        response.headers.emplace_back("Content-Type", "text/plain");
        response.body = "ok\n";
        to.answer(std::move(response));
    });
    routes.add(
        "GET", path,
        [&group, budget = std::move(budget)](const apps::HttpRequest&, apps::HttpResponder to) {
            to.answer(answer(group, budget.get()));
        });
    return routes;
}

apps::HttpServerOptions fewAndSmall() {
    apps::HttpServerOptions options;
    options.maxConnections = 16;
    options.limits.bodyBytes = 0;
    return options;
}

}  // namespace

MetricsServer::MetricsServer(nio::ServerSocketChannel listening,
                             const nio::SelectorThreadGroup& group,
                             std::shared_ptr<const nio::MemoryBudget> budget,
                             nio::SelectorThreadOptions options)
    : thread_(named(std::move(options))) {
    auto routes = routesTo(group, std::move(budget));
    auto server =
        apps::HttpServer::open(std::move(listening), std::move(routes), fewAndSmall()).orThrow();
    url_ = "http://" + server.address().toString() + path;
    thread_.start();
    const nio::Result<void> serves = serveFrom(thread_, server);
    if (!serves) nio::Error(serves.error().code(), url_).raise();
}

}  // namespace echo
