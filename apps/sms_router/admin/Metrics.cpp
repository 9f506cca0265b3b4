#include "sms_router/admin/SnapshotText.h"

#include <algorithm>
#include <limits>

#include "common/metrics/MetricsFamilies.h"
#include "common/metrics/MetricsText.h"
#include "sms_router/admin/Alarms.h"

namespace router {

namespace {

using apps::MetricsText;
using std::uint64_t;

struct CounterKind {
    const char* name;
    uint64_t MessageCounters::*value;
    const char* help;
};

constexpr CounterKind counterKinds[] = {
    {"submitted", &MessageCounters::submitted,
     "Messages sent by the account, or received from the connector."},
    {"accepted", &MessageCounters::accepted, "Submitted messages answered with ESME_ROK."},
    {"refused", &MessageCounters::refused, "Submitted messages answered with another status."},
    {"throttled", &MessageCounters::throttled,
     "Refused messages answered with ESME_RTHROTTLED or ESME_RMSGQFUL."},
    {"delivered", &MessageCounters::delivered, "MO messages acknowledged."},
    {"receipts", &MessageCounters::receipts, "Receipts acknowledged."},
};

// All rows of one kind, family by family.
template <class Row>
class Family {
  public:
    Family(MetricsText& text, std::string prefix, const char* label, const std::vector<Row>& rows,
           std::string Row::*name)
        : text_(text), prefix_(std::move(prefix)), label_(label), rows_(rows), name_(name) {}

    void counters() {
        for (const CounterKind& kind : counterKinds) {
            text_.counter(prefix_ + kind.name, kind.help);
            each([&](const Row& row) { return row.counters.*kind.value; });
        }
    }
    void byStatus(const char* name, const char* help, StatusCounts Row::*counts) {
        text_.counter(prefix_ + name, help);
        for (const Row& row : rows_) samples({{label_, row.*name_}}, row.*counts);
    }
    void refusedBy() {
        text_.counter(prefix_ + "refused_by_status",
                      "Refused requests, by what was asked for and by status of the answer.");
        for (const Row& row : rows_) {
            for (std::size_t kind = 0; kind < RefusalCounts::kinds.size(); ++kind) {
                samples({{label_, row.*name_}, {"request", RefusalCounts::kinds[kind]}},
                        row.refusedBy.ofKind(kind));
            }
        }
    }
    void malformed() {
        text_.counter(prefix_ + "malformed_pdus", "Malformed PDUs, by problem.");
        for (const Row& row : rows_) {
            for (const auto& [problem, count] : row.malformed) {
                text_.sample({{label_, row.*name_}, {"reason", smpp::nameOf(problem)}}, count);
            }
        }
    }
    template <class Value>
    void counter(const char* name, const char* help, Value value) {
        text_.counter(prefix_ + name, help);
        each(value);
    }
    template <class Value>
    void gauge(const char* name, const char* help, Value value) {
        text_.gauge(prefix_ + name, help);
        each(value);
    }

  private:
    void samples(MetricsText::Labels labels, const StatusCounts& counts) {
        labels.emplace_back("status", "");
        const auto sample = [&](std::string_view status, uint64_t count) {
            labels.back().second = status;
            text_.sample(labels, count);
        };
        for (const auto& [status, count] : counts.counts()) sample(smpp::nameOf(status), count);
        if (counts.others() > 0) sample("other", counts.others());
    }
    template <class Value>
    void each(Value value) {
        for (const Row& row : rows_) text_.sample({{label_, row.*name_}}, value(row));
    }

    MetricsText& text_;
    const std::string prefix_;
    const char* const label_;
    const std::vector<Row>& rows_;
    std::string Row::*const name_;
};

void gauge(MetricsText& text, const char* name, const char* help, uint64_t value) {
    text.gauge(name, help);
    text.sample({}, value);
}

void counter(MetricsText& text, const char* name, const char* help, uint64_t value) {
    text.counter(name, help);
    text.sample({}, value);
}

bool isOn(const Snapshot& s, Alarm::Kind kind, const std::string& name) {
    return std::any_of(s.alarms.begin(), s.alarms.end(), [&](const Alarm& alarm) {
        return alarm.kind == kind && alarm.name == name;
    });
}

// Each that there may be: one that is over is 0.
void writeAlarms(MetricsText& text, const Snapshot& s) {
    using enum Alarm::Kind;
    text.gauge("sms_router_alarm", "1: this alarm needs an administrator.");
    const auto sample = [&](Alarm::Kind kind, const std::string& name) {
        text.sample({{"alarm", nameOf(kind)}, {"name", name}}, uint64_t{isOn(s, kind, name)});
    };
    for (const Alarm::Kind kind : {storeFails, storeSlow, recordsFail}) sample(kind, "");
    for (const Alarm::Kind kind : {connectorDown, bindsMissing, queue, throttled, noReceipts}) {
        for (const ConnectorRow& connector : s.connectors) sample(kind, connector.name);
    }
    for (const AccountRow& account : s.accounts) {
        if (account.webhook) sample(webhookFails, account.systemId);
    }
    for (const CertificateRow& row : s.certificates) {
        sample(row.isOfConnector ? clientCertificate : certificate, row.name);
    }
    counter(text, "sms_router_alarm_notices_lost",
            "Beginnings and ends of alarms that alarms.url did not take.", s.noticesLost);
    text.gauge("sms_router_certificate_expires_timestamp_seconds",
               "When a certificate of a listener or connector expires.");
    for (const CertificateRow& row : s.certificates) {
        const auto since = row.expires.time_since_epoch();
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
        const char* const owner = row.isOfConnector ? "connector" : "listener";
        text.sample({{owner, row.name}}, static_cast<uint64_t>(seconds));
    }
}

void writeRouter(MetricsText& text, const Snapshot& s) {
    text.gauge("sms_router_build_info", "Always 1; the label has the version.");
    text.sample({{"version", s.version}}, uint64_t{1});
    gauge(text, "sms_router_uptime_seconds", "Time since the router started.",
          static_cast<uint64_t>(s.uptime.count()));
    gauge(text, "sms_router_connections", "Open ESME connections.", s.connections);
    gauge(text, "sms_router_http_connections", "Open HTTP connections of accounts.",
          s.httpConnections);
    gauge(text, "sms_router_draining", "1: the router is draining.", s.draining);
    gauge(text, "sms_router_alarms", "Alarms that need an administrator.", s.alarms.size());
    writeAlarms(text, s);
    text.counter("sms_router_refused_binds", "Binds refused.");
    for (std::size_t i = 0; i < bindRefusals; ++i) {
        const auto why = static_cast<BindRefusal>(i);
        text.sample({{"reason", std::string(labelOf(why))}}, s.logins.refusedBinds[why]);
    }
    counter(text, "sms_router_refused_tokens", "Admin requests with a wrong token.",
            s.logins.refusedTokens);
    counter(text, "sms_router_malformed_pdus", "Malformed PDUs.", s.malformed);
    counter(text, "sms_router_duplicate_receipts", "Duplicate receipts, suppressed.",
            s.duplicateReceipts);
    counter(text, "sms_router_unmatched_receipts", "Receipts of unknown messages.",
            s.unmatchedReceipts);
}

void writeStore(MetricsText& text, const Snapshot& s) {
    gauge(text, "sms_router_store_durable", "1: a submit is answered after its commit to disk.",
          s.store.durable);
    gauge(text, "sms_router_store_alarm", "1: the last commit failed.", s.store.alarm);
    gauge(text, "sms_router_store_queued", "Changes waiting for a commit.", s.store.queued);
    counter(text, "sms_router_store_commits", "Commits.", s.store.commits);
    counter(text, "sms_router_store_failed_commits", "Commits that failed.", s.store.failedCommits);
}

void writePasswords(MetricsText& text, const Snapshot& s) {
    counter(text, "sms_router_passwords_hashed", "Bind passwords checked by hashing.",
            s.logins.passwordsHashed);
    counter(text, "sms_router_passwords_refused",
            "Binds refused because the password check queue was full.", s.logins.passwordsRefused);
}

void writeRecords(MetricsText& text, const Snapshot& s) {
    gauge(text, "sms_router_records_alarm", "1: the last write of message records failed.",
          s.records.alarm);
    counter(text, "sms_router_records_dropped", "Records dropped because the disk was too slow.",
            s.records.dropped);
    counter(text, "sms_router_records_failed", "Records lost because a write failed.",
            s.records.failed);
}

void writeHttpAnswers(MetricsText& text, const Snapshot& s) {
    text.counter("sms_router_account_http_answers", "Answers to HTTP requests, by status.");
    for (const AccountRow& account : s.accounts) {
        for (std::size_t i = 0; i < account.httpAnswers.size(); ++i) {
            if (account.httpAnswers[i] == 0) continue;
            text.sample({{"account", account.systemId}, {"status", httpClass(i)}},
                        account.httpAnswers[i]);
        }
    }
}

void writeWebhooks(MetricsText& text, const Snapshot& s) {
    const auto each = [&](const char* name, const char* help, auto WebhookRow::*value) {
        text.gauge(name, help);
        for (const AccountRow& account : s.accounts) {
            if (!account.webhook) continue;
            text.sample({{"account", account.systemId}}, uint64_t{(*account.webhook).*value});
        }
    };
    each("sms_router_account_webhook_failures", "Failed posts in a row; 0: the webhook is well.",
         &WebhookRow::failures);
    each("sms_router_account_webhook_posts", "Posts to the webhook in flight.", &WebhookRow::posts);
}

void writeAccounts(MetricsText& text, const Snapshot& s) {
    Family<AccountRow> family(text, "sms_router_account_", "account", s.accounts,
                              &AccountRow::systemId);
    using Row = AccountRow;
    family.gauge("binds", "Current binds.", [](const Row& a) { return boundCount(a.binds); });
    family.gauge("binds_allowed", "Maximum binds.", [](const Row& a) { return a.maxBinds; });
    family.counters();
    family.refusedBy();
    family.malformed();
    family.gauge("kept", "Receipts and MO messages queued until the account binds.",
                 [](const Row& a) { return a.kept; });
    family.gauge("kept_bytes", "Bytes of queued receipts and MO messages.",
                 [](const Row& a) { return a.keptBytes; });
    family.counter("kept_dropped", "Queued messages dropped because of the limit or their age.",
                   [](const Row& a) { return a.keptDropped; });
    family.gauge("waiting", "Receipts and MO messages that nothing has acknowledged.",
                 [](const Row& a) { return a.waiting; });
    writeHttpAnswers(text, s);
    writeWebhooks(text, s);
}

void writeConnectors(MetricsText& text, const Snapshot& s) {
    Family<ConnectorRow> family(text, "sms_router_connector_", "connector", s.connectors,
                                &ConnectorRow::name);
    using Row = ConnectorRow;
    family.gauge("live", "1: the connector can send messages.",
                 [](const Row& c) { return uint64_t{c.live}; });
    family.gauge("stopped", "1: stopped by the administrator.",
                 [](const Row& c) { return uint64_t{c.stopped}; });
    family.gauge("binds", "Current binds.", [](const Row& c) { return boundCount(c.binds); });
    family.gauge("binds_wanted", "Configured binds.", [](const Row& c) { return c.binds.size(); });
    family.gauge("queued", "Requests waiting for the window or the rate limit.",
                 [](const Row& c) { return c.queued; });
    family.gauge("outstanding", "Requests in flight.", [](const Row& c) { return c.outstanding; });
    family.gauge("allowed_per_second", "Current limit of messages per second; 0: no limit.",
                 [](const Row& c) { return c.allowedPerSecond; });
    family.counters();
    family.refusedBy();
    family.byStatus("refused_deliveries_by_status",
                    "Receipts and MO messages refused, by status of the answer to the SMSC.",
                    &Row::refusedDeliveries);
    family.malformed();
    family.counter("moved", "Messages moved from the queue to another connector of the group.",
                   [](const Row& c) { return c.moved; });
    family.counter("unmatched_receipts", "Receipts of unknown messages, refused.",
                   [](const Row& c) { return c.receipts.unmatched; });
    family.gauge("ids", "Messages waiting for a receipt.",
                 [](const Row& c) { return c.receipts.ids; });
    family.gauge("held_receipts", "Receipts held until their submit is answered.",
                 [](const Row& c) { return c.receipts.held; });
}

void writeStage(MetricsText& text, const char* stage, const std::string& connector,
                const std::string& status, const LatencyBuckets& latencies) {
    constexpr double microsecond = 1e6;
    std::vector<MetricsText::Bucket> buckets;
    for (std::size_t i = 0; i < LatencyBuckets::count; ++i) {
        const double bound = static_cast<double>(uint64_t{1} << i) / microsecond;
        buckets.push_back({bound, latencies.counts[i]});
    }
    buckets.back().upperBound = std::numeric_limits<double>::infinity();
    text.sample({{"stage", stage}, {"connector", connector}, {"status", status}}, buckets,
                static_cast<double>(latencies.sumMicroseconds) / microsecond);
}

void writeStages(MetricsText& text, const Snapshot& s) {
    text.histogram("sms_router_stage_seconds",
                   "Duration of the stages of a submit_sm, by status of its answer: ESME_ROK, the "
                   "first 8 others of a connector, and other for the rest.");
    for (const ConnectorRow& connector : s.connectors) {
        const auto write = [&](const std::string& status, const Stages& stages) {
            writeStage(text, "window_wait", connector.name, status, stages.windowWait);
            writeStage(text, "hand_off", connector.name, status, stages.handOff);
            writeStage(text, "smsc", connector.name, status, stages.smsc);
            writeStage(text, "commit", connector.name, status, stages.commit);
        };
        write(smpp::nameOf(smpp::Status::ok), connector.stages);
        const auto& refused = connector.refusedStages.counts();
        for (const auto& [status, stages] : refused) write(smpp::nameOf(status), stages);
        if (refused.size() == StatusStages::most) write("other", connector.refusedStages.others());
    }
}

void writeTraffic(MetricsText& text, const Snapshot& s) {
    writeRouter(text, s);
    writeAccounts(text, s);
    writeConnectors(text, s);
    writeStages(text, s);
}

}  // namespace

std::string metrics(const Snapshot& snapshot) {
    MetricsText text;
    // A sum that leaves somebody out would be a counter that goes down.
    if (snapshot.silent.empty()) writeTraffic(text, snapshot);
    writeStore(text, snapshot);
    writePasswords(text, snapshot);
    writeRecords(text, snapshot);
    apps::writeDispatchers(text, snapshot.dispatchers);
    apps::writeBudget(text, snapshot.budget.get());
    return text.take();
}

}  // namespace router
