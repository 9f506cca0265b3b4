#include "sms_router/admin/Metrics.h"

#include <limits>

#include "common/metrics/BudgetFamilies.h"
#include "common/metrics/DispatcherFamilies.h"
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
     "Messages that an account sent, or a connector got."},
    {"accepted", &MessageCounters::accepted, "Submitted messages that were answered ESME_ROK."},
    {"refused", &MessageCounters::refused, "Submitted messages answered with another status."},
    {"throttled", &MessageCounters::throttled,
     "Of those refused: with ESME_RTHROTTLED or ESME_RMSGQFUL."},
    {"delivered", &MessageCounters::delivered, "MO messages that were acknowledged."},
    {"receipts", &MessageCounters::receipts, "Receipts that were acknowledged."},
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
    void malformed() {
        text_.counter(prefix_ + "malformed_pdus", "PDUs that were malformed, by what was wrong.");
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

void writeRouter(MetricsText& text, const Snapshot& s) {
    text.gauge("sms_router_build_info", "Always 1; the label has the version.");
    text.sample({{"version", s.version}}, uint64_t{1});
    gauge(text, "sms_router_uptime_seconds", "Since the router was started.",
          static_cast<uint64_t>(s.uptime.count()));
    gauge(text, "sms_router_connections", "Open connections of ESMEs.", s.connections);
    gauge(text, "sms_router_draining", "1: it is being stopped.", s.draining);
    gauge(text, "sms_router_alarms", "What an administrator should look at.", alarmsOf(s).size());
    text.counter("sms_router_refused_binds", "Binds that were refused.");
    for (std::size_t i = 0; i < bindRefusals; ++i) {
        const auto why = static_cast<BindRefusal>(i);
        text.sample({{"reason", std::string(labelOf(why))}}, s.refusedBinds[why]);
    }
    counter(text, "sms_router_refused_tokens", "Wrong tokens shown to the admin interface.",
            s.refusedTokens);
    counter(text, "sms_router_malformed_pdus", "PDUs that were malformed.", s.malformed);
    counter(text, "sms_router_duplicate_receipts", "Receipts that came twice; suppressed.",
            s.duplicateReceipts);
    counter(text, "sms_router_unmatched_receipts", "Receipts whose message nobody knows.",
            s.unmatchedReceipts);
}

void writeStore(MetricsText& text, const Snapshot& s) {
    gauge(text, "sms_router_store_durable", "1: on disk before a submit is answered.",
          s.storeDurable);
    gauge(text, "sms_router_store_alarm", "1: the last commit failed.", s.storeAlarm);
    gauge(text, "sms_router_store_queued", "Changes that wait for a commit.", s.storeQueued);
    counter(text, "sms_router_store_commits", "Commits.", s.commits);
    counter(text, "sms_router_store_failed_commits", "Commits that failed.", s.failedCommits);
}

void writePasswords(MetricsText& text, const Snapshot& s) {
    counter(text, "sms_router_passwords_hashed", "Passwords of binds that were checked by hashing.",
            s.passwordsHashed);
    counter(text, "sms_router_passwords_refused",
            "Binds that were refused since too many passwords waited.", s.passwordsRefused);
}

void writeRecords(MetricsText& text, const Snapshot& s) {
    gauge(text, "sms_router_records_alarm", "1: the last write to the access log failed.",
          s.recordsAlarm);
    counter(text, "sms_router_records_dropped", "Records that the disk was too slow for.",
            s.recordsDropped);
    counter(text, "sms_router_records_failed", "Records whose write failed.", s.recordsFailed);
}

void writeAccounts(MetricsText& text, const Snapshot& s) {
    Family<AccountRow> family(text, "sms_router_account_", "account", s.accounts,
                              &AccountRow::systemId);
    using Row = AccountRow;
    family.gauge("binds", "Binds now.", [](const Row& a) { return boundCount(a.binds); });
    family.gauge("binds_allowed", "Binds at most.", [](const Row& a) { return a.maxBinds; });
    family.counters();
    family.malformed();
    family.gauge("kept", "Receipts and MO kept until it binds.",
                 [](const Row& a) { return a.kept; });
    family.gauge("kept_bytes", "The same, in bytes.", [](const Row& a) { return a.keptBytes; });
    family.counter("kept_dropped", "Kept ones given up for the limit or their age.",
                   [](const Row& a) { return a.keptDropped; });
}

void writeConnectors(MetricsText& text, const Snapshot& s) {
    Family<ConnectorRow> family(text, "sms_router_connector_", "connector", s.connectors,
                                &ConnectorRow::name);
    using Row = ConnectorRow;
    family.gauge("live", "1: messages can be sent.", [](const Row& c) { return uint64_t{c.live}; });
    family.gauge("stopped", "1: by the administrator.",
                 [](const Row& c) { return uint64_t{c.stopped}; });
    family.gauge("binds", "Binds now.", [](const Row& c) { return boundCount(c.binds); });
    family.gauge("binds_wanted", "Binds that there should be.",
                 [](const Row& c) { return c.binds.size(); });
    family.gauge("queued", "Requests that wait for the window or the rate.",
                 [](const Row& c) { return c.queued; });
    family.gauge("outstanding", "Requests that wait for an answer.",
                 [](const Row& c) { return c.outstanding; });
    family.gauge("allowed_per_second", "Messages per second, now; 0: no limit.",
                 [](const Row& c) { return c.allowedPerSecond; });
    family.counters();
    family.malformed();
    family.gauge("ids", "Messages whose receipts may come.", [](const Row& c) { return c.ids; });
    family.gauge("held_receipts", "Receipts that outran their answer.",
                 [](const Row& c) { return c.heldReceipts; });
}

void writeStage(MetricsText& text, const char* stage, const LatencyBuckets& latencies) {
    constexpr double microsecond = 1e6;
    std::vector<MetricsText::Bucket> buckets;
    for (std::size_t i = 0; i < LatencyBuckets::count; ++i) {
        const double bound = static_cast<double>(uint64_t{1} << i) / microsecond;
        buckets.push_back({bound, latencies.counts[i]});
    }
    buckets.back().upperBound = std::numeric_limits<double>::infinity();
    text.sample({{"stage", stage}}, buckets,
                static_cast<double>(latencies.sumMicroseconds) / microsecond);
}

void writeStages(MetricsText& text, const Snapshot& s) {
    text.histogram("sms_router_stage_seconds", "How long the stages of a submit_sm take.");
    writeStage(text, "window_wait", s.windowWait);
    writeStage(text, "hand_off", s.handOff);
    writeStage(text, "smsc", s.smsc);
    writeStage(text, "commit", s.commit);
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
