#include "sms_router/config/SectionReaders.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <nio/loop/IdleWait.h>

#include "common/ServerOptions.h"
#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/ConfigValues.h"
#include "sms_router/config/NamedSections.h"

namespace router {

namespace {

constexpr std::uint16_t adminPort = 8775;

bool isLoopback(const std::string& host) {
    const auto address = nio::SocketAddress::numeric(host, 0);
    if (!address) return true;  // a mistake of its own
    return AddressRange::parse("127.0.0.0/8")->contains(address.value()) ||
           AddressRange::parse("::1")->contains(address.value());
}

// The first line of the file.
void readTokenFile(TomlTable& table, std::string& path, std::string& token) {
    if (!table.text("token_file", path)) return;
    errno = 0;
    std::ifstream file(path);
    if (!file) {
        return table.mistake("token_file", path + ": " + std::generic_category().message(errno));
    }
    std::getline(file, token);
    if (token.ends_with('\r')) token.pop_back();
    if (token.empty()) table.mistake("token_file", path + ": its first line is empty");
}

bool isPrintable(const std::string& token) {
    for (const char c : token) {
        if (c <= ' ' || c > '~') return false;
    }
    return true;
}

void readToken(TomlTable& table, AdminConfig& admin) {
    const bool both = table.has("token") && table.has("token_file");
    if (both) table.mistake("token_file", "cannot be combined with token");
    if (table.text("token", admin.token) && admin.token.empty()) {
        table.mistake("token", "is empty");
    }
    readTokenFile(table, admin.tokenFile, admin.token);
    if (!isPrintable(admin.token)) {
        table.mistake(table.has("token") ? "token" : "token_file",
                      "must be printable ASCII without spaces");
    }
}

// Where strangers can try tokens.
void checkTokenOffLoopback(TomlTable& table, const AdminConfig& admin) {
    const std::string reached = "'" + admin.host + "' is reachable from other machines: ";
    if (!table.has("token") && !table.has("token_file")) {
        table.mistake("host", reached + "a token is required");
    } else if (admin.token.size() < limits::tokenOffLoopback) {
        table.warning(table.has("token") ? "token" : "token_file",
                      reached + "a token of less than " + std::to_string(limits::tokenOffLoopback) +
                          " characters can be guessed");
    }
}

void readBudget(TomlTable& table, std::optional<std::size_t>& budget) {
    std::size_t bytes = 0;
    table.count("memory_budget", bytes, 0, limits::memory);
    if (!table.has("memory_budget")) return;
    budget = bytes;
    if (bytes > 0 && bytes < apps::leastBudget) {
        table.mistake("memory_budget", "the minimum is 1Mi");
    }
}

}  // namespace

void readRouter(TomlTable& table, RouterSection& router) {
    readPduText(table, "system_id", router.systemId, limits::usualSystemId);
    table.count("threads", router.threads, 0, 1024);
    TomlTable::Choices<nio::SelectorKind> selectors;
    for (const nio::SelectorKind kind : nio::selectorKinds) {
        selectors.emplace_back(nameOf(kind), kind);
    }
    table.choice("selector", router.selector, selectors);
    table.duration("drain_timeout", router.drainTimeout, limits::off, std::chrono::hours(1));
    table.duration("exit_timeout", router.exitTimeout, limits::off, std::chrono::hours(1));
    table.duration("login_delay", router.loginDelay, limits::off, std::chrono::minutes(1));
    table.count("max_pdu_bytes", router.maxPduBytes, 1024, limits::pdu);
    table.count("max_unbound_pdu_bytes", router.maxUnboundPduBytes, limits::leastUnboundPdu,
                limits::pdu);
    readBudget(table, router.memoryBudget);
    table.duration("moderation", router.moderation, limits::off,
                   nio::WaitPolicy::longestModeration);
    table.duration("stall_limit", router.stallLimit, limits::off, std::chrono::hours(1));
    table.count("flight_records", router.flightRecords, 0, 1 << 24);
    readStatus(table, "no_route", router.noRoute);
    readStatus(table, "no_connector", router.noConnector);
    readStatus(table, "link_lost", router.linkLost);
    table.duration("hold_receipts", router.holdReceipts, limits::off, std::chrono::hours(1));
    readFilled(table, "price_list", router.priceList);
}

void readNumbers(TomlTable& table, NumberingPlan& plan) {
    const auto read = [&](std::string_view key, std::string& digits) {
        readPduText(table, key, digits, limits::numberPrefix);
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        if (std::all_of(digits.begin(), digits.end(), isDigit)) return;
        table.mistake(key, "'" + digits + "' is not digits only");
    };
    read("international_prefix", plan.internationalPrefix);
    read("national_prefix", plan.nationalPrefix);
    read("country_code", plan.countryCode);
}

void readTimers(TomlTable& table, TimerConfig& timers) {
    table.duration("session_init", timers.sessionInit, limits::off, limits::timer);
    table.duration("enquire_link", timers.enquireLink, limits::off, limits::timer);
    table.duration("inactivity", timers.inactivity, limits::off, limits::timer);
    table.duration("response", timers.response, limits::off, limits::timer);
    table.duration("pdu_read", timers.pduRead, limits::off, limits::timer);
}

void readStore(TomlTable& table, StoreConfig& store) {
    table.choice<Durability>("durability", store.durability,
                             {{"commit", Durability::commit}, {"memory", Durability::memory}});
    readFilled(table, "path", store.path);
    table.count("max_ids", store.maxIds, 1, limits::many);
    table.duration("ids_for", store.idsFor, std::chrono::seconds(1), limits::kept);
}

void readAdmin(TomlTable& table, AdminConfig& admin) {
    admin.enabled = true;
    admin.port = adminPort;
    table.flag("enabled", admin.enabled);
    readAddress(table, "host", admin.host);
    table.count("port", admin.port, 0, limits::port);
    readToken(table, admin);
    if (admin.enabled && !isLoopback(admin.host)) checkTokenOffLoopback(table, admin);
}

void readHttp(TomlTable& table, HttpConfig& http) {
    readAddress(table, "host", http.host);
    table.count("port", http.port, 0, limits::port);
    table.count("max_connections", http.maxConnections, 1, limits::many);
    table.count("max_body", http.maxBody, 1024, limits::httpBody);
    table.flag("kannel", http.kannel);
    table.flag("jasmin", http.jasmin);
    table.table("tls", [&](TomlTable& tls) { readTlsServer(tls, http.tls.emplace()); });
    if (http.tls || isLoopback(http.host)) return;
    table.mistake("host",
                  "'" + http.host + "' is reachable from other machines: [http.tls] is required");
}

void readRecords(TomlTable& table, RecordsConfig& records) {
    readFilled(table, "path", records.path);
    table.flag("mask_addresses", records.maskAddresses);
}

void readAlarms(TomlTable& table, AlarmConfig& alarms) {
    table.count("queue", alarms.queue, 0, limits::queue);
    table.duration("throttled_for", alarms.throttledFor, limits::off, limits::alarm);
    table.duration("no_receipts_for", alarms.noReceiptsFor, limits::off, limits::alarm);
    table.duration("store_slow", alarms.storeSlow, limits::off, limits::alarm);
    table.duration("certificate", alarms.certificate, limits::off, limits::certificate);
    std::string url;
    readFilled(table, "url", url);
    if (!url.empty()) readUrl(table, "url", url, alarms.url);
    readFileName(table, "url_authority", alarms.urlAuthority);
    if (!alarms.urlAuthority.empty() && !alarms.url.isTls) {
        table.warning("url_authority", "is used with an https:// url only");
    }
    table.duration("url_timeout", alarms.urlTimeout, limits::shortest, std::chrono::minutes(5));
    table.count("url_attempts", alarms.urlAttempts, 1, limits::attempts);
    table.count("url_queue", alarms.urlQueue, 1, limits::notices);
}

}  // namespace router
