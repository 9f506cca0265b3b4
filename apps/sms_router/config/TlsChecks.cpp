#include "sms_router/config/TlsChecks.h"

namespace router {

TlsMade serverContext(const TlsServerConfig& config) {
    return nio::TlsContext::server({config.certificate, config.key, config.clientAuthority});
}

TlsMade clientContext(const TlsClientConfig& config) {
    return nio::TlsContext::client(
        {config.authority, config.verify, config.certificate, config.key});
}

std::vector<ConfigMistake> checkTlsFiles(const RouterConfig& config) {
    std::vector<ConfigMistake> mistakes;
    const auto look = [&](const std::string& self, const auto& context) {
        if (!context) mistakes.push_back({0, self + ".tls: " + context.error().message()});
    };
    for (const ListenerConfig& listener : config.listeners) {
        if (!listener.tls) continue;
        look("listener." + listener.name, serverContext(*listener.tls));
    }
    for (const ConnectorConfig& connector : config.connectors) {
        if (!connector.tls) continue;
        look("connector." + connector.name, clientContext(*connector.tls));
    }
    if (config.http && config.http->tls) look("http", serverContext(*config.http->tls));
    if (!config.alarms.url.isTls) return mistakes;
    const auto context = nio::TlsContext::client({.authority = config.alarms.urlAuthority});
    if (!context) mistakes.push_back({0, "alarms.url: " + context.error().message()});
    return mistakes;
}

}  // namespace router
