#include "sms_router/config/TlsChecks.h"

#include "common/tls/TlsContext.h"

namespace router {

std::vector<ConfigMistake> checkTlsFiles(const RouterConfig& config) {
    std::vector<ConfigMistake> mistakes;
    const auto look = [&](const std::string& self, const auto& context) {
        if (!context) mistakes.push_back({0, self + ".tls: " + context.error().message()});
    };
    for (const ListenerConfig& listener : config.listeners) {
        if (!listener.tls) continue;
        const apps::TlsServerFiles files{listener.tls->certificate, listener.tls->key};
        look("listener." + listener.name, apps::TlsContext::server(files));
    }
    for (const ConnectorConfig& connector : config.connectors) {
        if (!connector.tls) continue;
        const apps::TlsTrust trust{connector.tls->authority, connector.tls->verify};
        look("connector." + connector.name, apps::TlsContext::client(trust));
    }
    return mistakes;
}

}  // namespace router
