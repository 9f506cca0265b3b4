// The router at one moment, as the admin interface shows it.
//
// Thread: any; values.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/memory/MemoryBudget.h>
#include <nio/observe/DispatcherMetrics.h>

#include <smpp/pdu/Status.h>

#include "sms_router/model/BindRefusal.h"
#include "sms_router/model/ByStatus.h"
#include "sms_router/model/RefusalCounts.h"

namespace router {

// Latencies in powers of two: bucket n counts what took less than 2^n microseconds (and was in none
// before); the last counts the rest.
struct LatencyBuckets {
    static constexpr std::size_t count = 26;

    std::array<std::uint64_t, count> counts{};
    std::uint64_t sumMicroseconds = 0;

    std::uint64_t total() const;
    // An upper bound of the percentile (0 to 1), in microseconds; 0 if nothing was counted, absent
    // if it is among the rest.
    std::optional<std::uint64_t> percentile(double fraction) const;
    LatencyBuckets& operator+=(const LatencyBuckets& other);
};

// How long the stages of a submit_sm took.
struct Stages {
    LatencyBuckets windowWait;  // in the connector's queue, for its window or its rate
    LatencyBuckets handOff;     // between dispatchers
    LatencyBuckets smsc;        // until the SMSC's answer
    LatencyBuckets commit;      // until the id map is on disk

    Stages& operator+=(const Stages& other);
};

using StatusStages = ByStatus<Stages, 8>;

struct BindRow {
    std::uint64_t number = 0;  // no other bind that is open has it: of this connector, of all ESMEs
    std::string kind;          // "transceiver", "transmitter", "receiver"
    std::string state;  // "BOUND_TRX"; of a connector also "connecting", "waiting 4 s", "stopped"
    std::string peer;
    std::string dispatcher;
    std::chrono::seconds age{0};
    std::size_t outstandingIn = 0;   // its requests that wait for us
    std::size_t outstandingOut = 0;  // ours that wait for it
    std::size_t window = 0;
    bool tls = false;
};

struct MessageCounters {
    // submit_sm, submit_multi, data_sm: those that an account sent, those that a connector got.
    std::uint64_t submitted = 0;
    std::uint64_t accepted = 0;   // answered ESME_ROK
    std::uint64_t refused = 0;    // answered with another status
    std::uint64_t throttled = 0;  // of those, ESME_RTHROTTLED or ESME_RMSGQFUL
    std::uint64_t delivered = 0;  // deliver_sm and data_sm towards ESMEs, acknowledged: MO
    std::uint64_t receipts = 0;   // and receipts
};

// By what was wrong with them.
using MalformedCounts = std::map<smpp::Status, std::uint64_t>;

struct WebhookRow {
    std::string host;            // and port
    std::uint64_t failures = 0;  // in a row
    std::size_t posts = 0;       // in flight
    std::string lastError{};     // of a post, also after it is well again
    std::chrono::seconds failsFor{0};
};

struct AccountRow {
    std::string systemId;
    std::vector<BindRow> binds;
    std::size_t maxBinds = 0;
    MessageCounters counters;
    RefusalCounts refusedBy{};  // those of messages are counters.refused
    std::size_t kept = 0;
    std::size_t keptBytes = 0;
    std::uint64_t keptDropped = 0;  // for the limit or their age
    std::size_t waiting = 0;        // receipts and messages that nothing has acknowledged
    // To HTTP requests whose credentials were right, by the first digit of their status.
    std::array<std::uint64_t, 6> httpAnswers{};
    std::optional<WebhookRow> webhook{};
    std::string lastError;
    MalformedCounts malformed{};
};

// Of one connector.
struct ReceiptFigures {
    std::uint64_t wanted = 0;     // accepted messages whose delivery was to be receipted
    std::uint64_t found = 0;      // that found their message, whatever became of them
    std::size_t ids = 0;          // in its id map
    std::size_t held = 0;         // that outran their answer
    std::uint64_t unmatched = 0;  // refused: their message is not known
};

struct ConnectorRow {
    std::string name;
    std::string address;
    bool stopped = false;  // by the administrator
    bool live = false;
    bool sends = true;  // it has binds that should
    std::vector<BindRow> binds;
    std::size_t queued = 0;
    std::uint64_t moved = 0;  // messages, from its queue to another connector
    std::size_t outstanding = 0;
    double allowedPerSecond = 0;  // now, after throttling; 0: no limit
    // Its rate is cut by throttling, and raised then; absent: it is not cut.
    std::optional<std::chrono::system_clock::time_point> throttledUntil{};
    MessageCounters counters;
    RefusalCounts refusedBy{};         // those of messages are counters.refused
    StatusCounts refusedDeliveries{};  // receipts and MO, by the answer that the SMSC got
    Stages stages{};                   // of what was answered ESME_ROK
    StatusStages refusedStages{};      // of the rest
    ReceiptFigures receipts{};
    std::string lastError;
    std::string bindError{};  // the last one of its binds
    MalformedCounts malformed{};
};

// What an administrator should look at now.
struct Alarm {
    enum class Kind : std::uint8_t {
        storeFails,
        storeSlow,
        recordsFail,
        connectorDown,
        bindsMissing,
        queue,
        throttled,
        noReceipts,
        certificate,
        clientCertificate,
        webhookFails
    };
    static constexpr std::size_t kinds = 11;

    Kind kind{};
    std::string name{};  // of the connector, listener or account; empty: there is only one
    std::string text{};  // a sentence
};
// "connector_down"
std::string_view nameOf(Alarm::Kind kind);

struct CertificateRow {
    std::string name;                                 // of the listener or connector that shows it
    std::chrono::system_clock::time_point expires{};  // it, or one of those behind it
    bool isOfConnector = false;
};

// Of binds, and of requests to the admin interface.
struct LoginFigures {
    BindRefusalCounts refusedBinds;
    std::uint64_t refusedTokens = 0;
    std::uint64_t passwordsHashed = 0;
    std::uint64_t passwordsRefused = 0;  // unchecked: too many waited
};

struct StoreState {
    bool durable = false;
    bool alarm = false;  // the last commit failed
    std::uint64_t commits = 0;
    std::uint64_t failedCommits = 0;
    std::uint64_t queued = 0;
    std::chrono::nanoseconds commitTime{0};  // of all commits
    std::chrono::nanoseconds commitOpen{0};  // of the one that has not ended, so far
};

// Of the access log.
struct RecordsState {
    bool alarm = false;         // the last write failed
    std::uint64_t dropped = 0;  // there was no room for them
    std::uint64_t failed = 0;   // their write failed
};

struct Snapshot {
    // Dispatchers that hang in a callback or have stopped: of what is behind this only `draining`,
    // the figures of the store and the access log and those of the dispatchers and the budget are
    // true then.
    std::vector<std::string> silent;
    std::string version;
    std::chrono::system_clock::time_point taken{};
    std::chrono::seconds uptime{0};
    std::size_t connections = 0;      // of ESMEs
    std::size_t httpConnections = 0;  // of accounts
    bool draining = false;
    std::vector<Alarm> alarms;
    std::vector<CertificateRow> certificates;
    std::vector<AccountRow> accounts;
    std::vector<ConnectorRow> connectors;
    std::uint64_t noticesLost = 0;  // of alarms, that the webhook did not take
    LoginFigures logins;
    std::uint64_t malformed = 0;
    std::uint64_t duplicateReceipts = 0;  // suppressed
    std::uint64_t unmatchedReceipts = 0;  // nobody knows their id
    StoreState store;
    RecordsState records;
    std::vector<nio::DispatcherMetrics> dispatchers{};
    // Read when it is shown; null: there is none.
    std::shared_ptr<const nio::MemoryBudget> budget;

    // Of all connectors and statuses.
    Stages stages() const;
};

}  // namespace router
