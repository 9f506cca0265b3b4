#include "sms_router/config/NamedSections.h"

#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/ConfigValues.h"

namespace router {

void readTlsServer(TomlTable& table, TlsServerConfig& tls) {
    const auto readPart = [&](std::string_view key, std::string& target) {
        table.has(key) ? readFileName(table, key, target) : readRequired(table, key, target);
    };
    readPart("certificate", tls.certificate);
    readPart("key", tls.key);
    readFileName(table, "client_ca", tls.clientAuthority);
}

ListenerConfig readListener(const std::string& name, TomlTable& table) {
    ListenerConfig listener;
    listener.name = name;
    readAddress(table, "host", listener.host);
    table.count("port", listener.port, 0, limits::port);
    table.count("max_connections", listener.maxConnections, 0, limits::many);
    table.duration("keepalive", listener.keepAlive, apps::leastKeepAlive, apps::mostKeepAlive);
    table.count("max_connections_per_source", listener.maxConnectionsPerSource, 0, limits::many);
    table.flag("strict", listener.strict);
    table.table("tls", [&](TomlTable& tls) { readTlsServer(tls, listener.tls.emplace()); });
    return listener;
}

}  // namespace router
