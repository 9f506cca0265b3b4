// All that router.toml says, checked: what is here is consistent (every name that is referred to
// exists, every limit is in its range). Made by ConfigReader; never changed once in use, and shared
// by all dispatchers.
//
// Thread: any; values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/selector/Selector.h>

#include <smpp/pdu/Status.h>
#include <smpp/text/Segments.h>

#include "common/ServerOptions.h"
#include "sms_router/config/AddressPattern.h"
#include "sms_router/config/AddressRange.h"
#include "sms_router/config/HttpUrl.h"
#include "sms_router/config/PasswordHash.h"
#include "sms_router/config/PriceList.h"

namespace router {

struct TlsServerConfig {
    std::string certificate;  // PEM files
    std::string key;
    std::string clientAuthority{};  // empty: ESMEs need no certificate
    bool operator==(const TlsServerConfig&) const = default;
};

struct TlsClientConfig {
    std::string authority;   // PEM file; empty: the system's
    std::string serverName;  // empty: the host
    bool verify = true;
    std::string certificate{};  // our own, PEM files; empty: none
    std::string key{};
    bool operator==(const TlsClientConfig&) const = default;
};

// [listener.NAME]
struct ListenerConfig {
    std::string name;
    std::string host = "127.0.0.1";
    std::uint16_t port = 2775;
    std::optional<TlsServerConfig> tls;
    std::chrono::seconds keepAlive = apps::usualKeepAlive;
    std::size_t maxConnections = 0;           // 0: what descriptors allow
    std::size_t maxConnectionsPerSource = 0;  // an IPv4 address, a /64 of IPv6; 0: no limit
    bool strict = false;                      // what its ESMEs send is judged by the book
};

// [numbers]: how numbers may be spelled. What is sent stays as it came.
struct NumberingPlan {
    std::string internationalPrefix = "00";
    std::string nationalPrefix = "0";
    std::string countryCode;  // "41"; empty: not known
};

// [timers]: of the side that faces ESMEs; connectors have their own.
struct TimerConfig {
    std::chrono::milliseconds sessionInit{10'000};
    std::chrono::milliseconds enquireLink{60'000};
    std::chrono::milliseconds inactivity{0};
    std::chrono::milliseconds response{10'000};
    std::chrono::milliseconds pduRead{10'000};
    bool operator==(const TimerConfig&) const = default;
};

// How much is kept for an account that does not take it: receipts and MO.
struct KeptLimits {
    std::size_t messages = 10'000;
    std::size_t bytes = 8 * 1024 * 1024;
    std::chrono::seconds time{7 * 24 * 3600};
};

// How a webhook is called: with JSON, or as that gateway does.
enum class WebhookFormat { json, kannel, jasmin };

// [account.NAME.webhook]: where its receipts and incoming messages are posted.
struct WebhookConfig {
    HttpUrl url{};  // without a host: nowhere
    std::string secret{};
    std::chrono::milliseconds timeout{10'000};  // of one attempt
    WebhookFormat format = WebhookFormat::json;
    bool perMessage = false;        // a message may name another URL for its receipt
    bool privateAddresses = false;  // also one within the own networks

    bool isOn() const { return !url.host.empty(); }
    bool operator==(const WebhookConfig&) const = default;
};

// How an account is used over HTTP.
struct HttpUse {
    std::vector<std::string> keys;  // digests of its API keys, see ApiKey.h
    WebhookConfig webhook;
};

// [account.NAME]; the name is the system_id.
struct AccountConfig {
    std::string systemId;
    PasswordHash password;
    std::vector<AddressRange> allowedFrom;  // empty: anywhere
    bool mayTransmit = true;                // bind_transmitter
    bool mayReceive = true;
    bool mayTransceive = true;
    std::size_t maxBinds = 10;
    std::size_t window = 100;                  // its unanswered requests, per bind; more are held
    std::size_t readAhead = 256 * 1024;        // octets of those, per bind; then we stop reading
    std::size_t deliverWindow = 10;            // ours to it, per bind
    double messagesPerSecond = 0;              // 0: no limit; over it ESME_RTHROTTLED
    std::vector<AddressPattern> sources;       // permitted; empty: all
    std::vector<AddressPattern> destinations;  // permitted; empty: all
    bool digitsOnly = false;                   // a destination that is no number is refused
    // dl_name in submit_multi; absent: unless destinations are restricted.
    std::optional<bool> distributionLists;
    bool ownAddressesInReceipts = true;   // where a route has rewritten them
    bool clearsReceiptMark = false;       // of esm_class in its messages; else they are refused
    std::vector<AddressPattern> numbers;  // MO to these is this account's
    KeptLimits keep;
    HttpUse http;
};

// What the bind requests of a connector say, and how many binds it has.
struct BindConfig {
    std::string systemId;
    std::string password;
    std::string systemType;
    std::string addressRange;
    std::uint8_t addressTon = 0;
    std::uint8_t addressNpi = 0;
    std::uint8_t interfaceVersion = 0x34;
    std::size_t transceivers = 1;  // or some of the next two
    std::size_t transmitters = 0;
    std::size_t receivers = 0;
    bool operator==(const BindConfig&) const = default;
};

struct ConnectorTimers {
    std::chrono::milliseconds enquireLink{30'000};
    std::chrono::milliseconds response{10'000};
    std::chrono::milliseconds connectTimeout{10'000};
    std::chrono::seconds keepAlive = apps::usualKeepAlive;
    std::chrono::milliseconds reconnectFirst{500};
    std::chrono::milliseconds reconnectMax{60'000};
};

// [connector.NAME]: one SMSC.
struct ConnectorConfig {
    std::string name;
    std::string smsc;  // receipts come by any connector of the same; empty: it has no other
    std::string host;
    std::uint16_t port = 2775;
    std::optional<TlsClientConfig> tls;
    BindConfig bind;
    ConnectorTimers timers;
    bool strict = false;  // what the SMSC sends is judged by the book
    // host:port on which its outbind is awaited instead of connecting; empty: we connect. Then host
    // is who may call: an address or a CIDR block.
    std::string outbindListen;
    std::size_t window = 100;    // per bind
    std::size_t queue = 10'000;  // requests that wait for the window; then ESME_RMSGQFUL
    std::chrono::milliseconds queueTime{30'000};  // how long each waits; 0: without end
    double messagesPerSecond = 0;
    // Less is sent while the SMSC throttles; absent: unless messagesPerSecond is given.
    std::optional<bool> adaptive;
    double cost = 1;                          // where `prices` has none
    std::shared_ptr<const PriceList> prices;  // null: none
    std::size_t weight = 1;
    // Of the parts of long messages by HTTP that do not say it.
    smpp::Marking concatenation = smpp::Marking::header8;

    // Not only receivers.
    bool sends() const { return bind.transceivers + bind.transmitters > 0; }
    // Of a message to this number.
    PrefixPrice priceOf(std::string_view number) const {
        const auto price = prices == nullptr ? std::nullopt : prices->find(number);
        return price.value_or(PrefixPrice{{}, cost});
    }
    bool adapts() const { return adaptive.value_or(messagesPerSecond <= 0); }
};

enum class Balance { roundRobin, weighted, cheapest, fewestOutstanding };

// [group.NAME]: tiers are failover, the connectors within one are balanced. A later tier is used
// when no connector of the earlier ones is live, or each has too much waiting.
struct GroupConfig {
    std::string name;
    std::vector<std::vector<std::size_t>> tiers;  // indices into RouterConfig::connectors
    Balance balance = Balance::roundRobin;
    // Too much: a message has waited longer than this, or so many wait; 0: never.
    std::chrono::milliseconds overflowAfter{0};
    std::size_t overflowQueue = 0;

    bool overflows() const { return overflowAfter.count() > 0 || overflowQueue > 0; }
};

struct TimeOfDay {
    std::chrono::minutes from{0};
    std::chrono::minutes to{24 * 60};  // before `from`: over midnight
    std::uint8_t days = 0x7F;          // bit 0: Monday
};

struct AddressRewrite {
    std::string stripPrefix;
    std::string addPrefix;
    std::optional<std::uint8_t> ton;
    std::optional<std::uint8_t> npi;
    std::string replaceBy;  // the whole address; empty: as above
};

// [[route]], in order: the first that matches decides. Several values of one condition are "or",
// conditions are "and".
struct RouteConfig {
    std::string name;
    int line = 0;
    std::vector<AddressPattern> destinations;
    std::vector<AddressPattern> sources;
    std::vector<std::string> accounts;
    std::vector<std::string> serviceTypes;
    std::vector<std::uint8_t> dataCodings;
    std::optional<TimeOfDay> time;
    // One of the three.
    std::optional<std::size_t> connector;
    std::optional<std::size_t> group;
    std::optional<smpp::Status> reject;
    AddressRewrite rewriteSource;
    AddressRewrite rewriteDestination;
};

// [[mo]], in order, after the accounts' own numbers.
struct MoRouteConfig {
    std::string name;
    int line = 0;
    std::vector<AddressPattern> destinations;
    std::vector<AddressPattern> sources;
    std::vector<std::size_t> connectors;
    std::size_t account = 0;
};

enum class Durability { memory, commit };

struct StoreConfig {
    Durability durability = Durability::commit;
    std::string path = "sms-router.db";
    std::size_t maxIds = 2'000'000;
    std::chrono::seconds idsFor{3 * 24 * 3600};
};

struct AdminConfig {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0 with enabled: a free one
    bool enabled = false;
    std::string token;      // empty: none is asked for (loopback only)
    std::string tokenFile;  // where it was read from; empty: the configuration
};

// [http]: where accounts send by HTTP.
struct HttpConfig {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8776;
    std::optional<TlsServerConfig> tls;
    std::size_t maxConnections = 1000;
    std::size_t maxBody = 1024 * 1024;  // octets of one request
    bool kannel = false;                // whether requests as to Kannel are answered
    bool jasmin = false;                // likewise
    bool operator==(const HttpConfig&) const = default;
};

// [records]: one JSON line per message outcome.
struct RecordsConfig {
    std::string path;  // empty: none
    bool maskAddresses = false;
};

// [alarms]: the bounds above which alarms begin (0: never), and the URL that is told of them.
struct AlarmConfig {
    std::size_t queue = 1000;                        // requests waiting at one connector: more
    std::chrono::milliseconds throttledFor{60'000};  // a connector's rate has been cut
    std::chrono::milliseconds noReceiptsFor{15 * 60'000};  // while messages ask for them
    std::chrono::milliseconds storeSlow{1000};             // a commit takes longer
    std::chrono::seconds certificate{14 * 24 * 3600};      // before it expires
    HttpUrl url{};               // each beginning and end is posted there; without a host: nowhere
    std::string urlAuthority{};  // of https, PEM file; empty: the system's
    std::chrono::milliseconds urlTimeout{10'000};  // of one attempt
    std::size_t urlAttempts = 4;                   // of one notice; then it is lost
    std::size_t urlQueue = 100;                    // notices that wait; more: the oldest is lost
};

// [router]
struct RouterSection {
    std::string systemId = "nio";  // in our bind answers
    std::size_t threads = 0;       // 0: one per CPU
    nio::SelectorKind selector = nio::SelectorKind::automatic;
    std::chrono::milliseconds drainTimeout{10'000};
    std::chrono::milliseconds exitTimeout{10'000};  // then the process ends by force; 0: never
    std::chrono::milliseconds loginDelay{1'000};    // of a source that guesses; 0: none
    std::size_t maxPduBytes = 72 * 1024;
    std::size_t maxUnboundPduBytes = 1024;      // before the bind
    std::optional<std::size_t> memoryBudget;    // absent: half of the memory; 0: none
    std::chrono::microseconds moderation{350};  // of SMPP dispatchers' wake-ups; 0: none
    std::chrono::milliseconds stallLimit{100};  // of one callback, until it is named; 0: never
    std::size_t flightRecords = 1024;           // of each dispatcher
    smpp::Status noRoute = smpp::Status::invDstAdr;
    smpp::Status noConnector = smpp::Status::sysErr;
    smpp::Status linkLost = smpp::Status::submitFail;  // sent, and not answered by the SMSC
    std::chrono::milliseconds holdReceipts{10'000};    // one that outruns its submit_sm_resp
    std::string priceList;                             // a file of prices; empty: none
};

struct RouterConfig {
    RouterSection router;
    NumberingPlan numbers;
    TimerConfig timers;
    std::vector<ListenerConfig> listeners;
    std::vector<AccountConfig> accounts;
    std::vector<ConnectorConfig> connectors;
    std::vector<GroupConfig> groups;
    std::vector<RouteConfig> routes;
    std::vector<MoRouteConfig> moRoutes;
    StoreConfig store;
    AdminConfig admin;
    RecordsConfig records;
    AlarmConfig alarms;
    std::optional<HttpConfig> http;

    // Indices by name.
    std::map<std::string, std::size_t, std::less<>> accountByName;
    std::map<std::string, std::size_t, std::less<>> connectorByName;
    std::map<std::string, std::size_t, std::less<>> accountByKey;  // by HttpUse::keys
};

using SharedConfig = std::shared_ptr<const RouterConfig>;

}  // namespace router
