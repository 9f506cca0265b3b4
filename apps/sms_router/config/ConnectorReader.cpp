#include "sms_router/config/NamedSections.h"

#include <nio/sys/SocketAddress.h>

#include "common/Endpoint.h"
#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/ConfigValues.h"

namespace router {

namespace {

void readTls(TomlTable& table, std::optional<TlsClientConfig>& target) {
    if (!table.hasTable("tls")) {
        bool on = false;
        table.flag("tls", on);
        if (on) target.emplace();
        return;
    }
    table.table("tls", [&](TomlTable& inner) {
        TlsClientConfig& tls = target.emplace();
        readFileName(inner, "authority", tls.authority);
        inner.text("server_name", tls.serverName);
        inner.flag("verify", tls.verify);
        readFileName(inner, "certificate", tls.certificate);
        readFileName(inner, "key", tls.key);
        if (tls.key.empty() && !tls.certificate.empty()) {
            inner.mistake("certificate", "needs key, its private key");
        } else if (tls.certificate.empty() && !tls.key.empty()) {
            inner.mistake("key", "needs certificate, the one it belongs to");
        }
        if (!tls.verify) {
            inner.warning("verify",
                          "is off: a server that impersonates the SMSC gets the password");
        }
    });
}

// host:port, or nothing.
void readOutbind(TomlTable& table, ConnectorConfig& connector) {
    constexpr std::string_view key = "outbind_listen";
    if (!table.text(key, connector.outbindListen)) return;
    const auto address = nio::SocketAddress::parse(connector.outbindListen);
    if (!address || address.value().isUnix()) {
        table.mistake(key,
                      "'" + connector.outbindListen + "' is not an address, such as 0.0.0.0:2780");
    }
    connector.host = "127.0.0.0/8";
    if (!table.text("host", connector.host) || AddressRange::parse(connector.host)) return;
    table.mistake("host", "'" + connector.host + "' is not an address or CIDR block");
}

// What is of who connects is of no use to who is called.
void checkCalled(TomlTable& table, const ConnectorConfig& connector) {
    for (const char* key : {"port", "reconnect_max"}) {
        if (table.has(key)) table.warning(key, "is not used with outbind_listen");
    }
    const bool range = connector.host.find('/') != std::string::npos;
    if (range && connector.tls && connector.tls->verify && connector.tls->serverName.empty()) {
        table.mistake("tls", "needs server_name, the name in the certificate of the calling SMSC");
    }
}

void readPeer(TomlTable& table, ConnectorConfig& connector) {
    readOutbind(table, connector);
    if (!table.has("outbind_listen")) readRequired(table, "host", connector.host);
    connector.host = apps::withoutBrackets(connector.host);
    table.count("port", connector.port, 1, limits::port);
    readTls(table, connector.tls);
    if (!connector.outbindListen.empty()) checkCalled(table, connector);
}

void readBind(TomlTable& table, BindConfig& bind) {
    readRequired(table, "system_id", bind.systemId);
    readPduText(table, "system_id", bind.systemId, limits::systemId);
    readPduText(table, "password", bind.password, limits::password);
    warnIfLong(table, "system_id", bind.systemId, limits::usualSystemId);
    warnIfLong(table, "password", bind.password, limits::usualPassword);
    readPduText(table, "system_type", bind.systemType, limits::systemType);
    readPduText(table, "address_range", bind.addressRange, limits::addressRange);
    table.count("address_ton", bind.addressTon, 0, 255);
    table.count("address_npi", bind.addressNpi, 0, 255);
    table.choice<std::uint8_t>("interface_version", bind.interfaceVersion,
                               {{"3.3", std::uint8_t{0x33}}, {"3.4", std::uint8_t{0x34}}});
}

void readBindCounts(TomlTable& table, ConnectorConfig& connector) {
    BindConfig& bind = connector.bind;
    constexpr std::uint64_t most = 1'000;
    table.count("transmitters", bind.transmitters, 0, most);
    table.count("receivers", bind.receivers, 0, most);
    if (bind.transmitters + bind.receivers > 0) bind.transceivers = 0;
    table.count("transceivers", bind.transceivers, 0, most);
    if (bind.transmitters > 0 && !connector.outbindListen.empty()) {
        table.mistake("transmitters",
                      "after an outbind the router binds as receiver or transceiver only");
    }
    if (bind.interfaceVersion == 0x33 && bind.transceivers > 0) {
        table.warning("transceivers",
                      "SMPP 3.3 has no transceivers; use transmitters and receivers");
    }
    if (bind.transceivers + bind.transmitters + bind.receivers == 0) {
        table.mistake("has no bind: transceivers, transmitters and receivers are 0");
    }
}

void readFlow(TomlTable& table, ConnectorConfig& connector) {
    table.count("window", connector.window, 1, limits::window);
    table.count("queue", connector.queue, 0, limits::queue);
    table.duration("queue_time", connector.queueTime, limits::off, limits::timer);
    table.number("messages_per_second", connector.messagesPerSecond, 0, limits::messagesPerSecond);
    bool adapts = false;
    table.flag("adaptive", adapts);
    if (table.has("adaptive")) connector.adaptive = adapts;
    table.number("cost", connector.cost, 0, limits::cost);
    table.count("weight", connector.weight, 1, 1'000);
}

void readTimes(TomlTable& table, ConnectorTimers& timers) {
    table.duration("enquire_link", timers.enquireLink, limits::off, limits::timer);
    table.duration("response", timers.response, limits::shortest, limits::timer);
    table.duration("connect_timeout", timers.connectTimeout, limits::shortest, limits::timer);
    table.duration("keepalive", timers.keepAlive, apps::leastKeepAlive, apps::mostKeepAlive);
    table.duration("reconnect_first", timers.reconnectFirst, limits::shortest, limits::timer);
    table.duration("reconnect_max", timers.reconnectMax, limits::shortest, limits::timer);
    if (timers.reconnectMax >= timers.reconnectFirst) return;
    table.mistake(table.has("reconnect_max") ? "reconnect_max" : "reconnect_first",
                  "reconnect_max is less than reconnect_first");
}

}  // namespace

ConnectorConfig readConnector(const std::string& name, TomlTable& table) {
    ConnectorConfig connector;
    connector.name = name;
    table.text("smsc", connector.smsc);
    readPeer(table, connector);
    readBind(table, connector.bind);
    table.flag("strict", connector.strict);
    table.choice<smpp::Marking>("concatenation", connector.concatenation,
                                {{"udh8", smpp::Marking::header8},
                                 {"udh16", smpp::Marking::header16},
                                 {"sar", smpp::Marking::sar}});
    readBindCounts(table, connector);
    readFlow(table, connector);
    readTimes(table, connector.timers);
    return connector;
}

}  // namespace router
