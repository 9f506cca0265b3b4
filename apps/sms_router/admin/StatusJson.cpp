#include "sms_router/admin/SnapshotText.h"

#include <nlohmann/json.hpp>

#include "sms_router/admin/Alarms.h"

namespace router {

namespace {

using Json = nlohmann::ordered_json;

void add(MessageCounters& sum, const MessageCounters& more) {
    sum.submitted += more.submitted;
    sum.accepted += more.accepted;
    sum.refused += more.refused;
    sum.throttled += more.throttled;
    sum.delivered += more.delivered;
    sum.receipts += more.receipts;
}

Json toJson(const MessageCounters& counters) {
    return {{"submitted", counters.submitted}, {"accepted", counters.accepted},
            {"refused", counters.refused},     {"throttled", counters.throttled},
            {"delivered", counters.delivered}, {"receipts", counters.receipts}};
}

std::uint64_t sumOf(const MalformedCounts& counts) {
    std::uint64_t sum = 0;
    for (const auto& [problem, count] : counts) sum += count;
    return sum;
}

Json toJson(const StatusCounts& refused) {
    Json counts = Json::object();
    for (const auto& [status, count] : refused.counts()) counts[smpp::nameOf(status)] = count;
    if (refused.others() > 0) counts["other"] = refused.others();
    return counts;
}

// null: absent.
Json millisecondsOf(const std::optional<std::chrono::system_clock::time_point>& time) {
    using std::chrono::milliseconds;
    if (!time) return Json();
    return std::chrono::duration_cast<milliseconds>(time->time_since_epoch()).count();
}

Json toJson(const BindRow& bind) {
    return {{"number", bind.number},
            {"kind", bind.kind},
            {"state", bind.state},
            {"bound", isBound(bind)},
            {"peer", bind.peer},
            {"dispatcher", bind.dispatcher},
            {"ageSeconds", bind.age.count()},
            {"outstandingIn", bind.outstandingIn},
            {"outstandingOut", bind.outstandingOut},
            {"window", bind.window},
            {"tls", bind.tls}};
}

Json textsOf(const std::vector<Alarm>& alarms) {
    Json texts = Json::array();
    for (const Alarm& alarm : alarms) texts.push_back(alarm.text);
    return texts;
}

std::vector<Alarm> alarmsOf(const ConnectorRow& connector, const std::vector<Alarm>& alarms) {
    std::vector<Alarm> its;
    for (const Alarm& alarm : alarms) {
        const bool isAnothers =
            alarm.kind == Alarm::Kind::certificate || alarm.kind == Alarm::Kind::webhookFails;
        if (alarm.name == connector.name && !isAnothers) its.push_back(alarm);
    }
    return its;
}

void addBinds(Json& row, const std::vector<BindRow>& binds, bool listed) {
    row["bound"] = boundCount(binds);
    row["bindCount"] = binds.size();
    if (!listed) return;
    row["binds"] = Json::array();
    for (const BindRow& bind : binds) row["binds"].push_back(toJson(bind));
}

Json httpAnswersOf(const AccountRow& account) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < account.httpAnswers.size(); ++i) {
        if (account.httpAnswers[i] > 0) counts[httpClass(i)] = account.httpAnswers[i];
    }
    return counts;
}

Json toJson(const std::optional<WebhookRow>& webhook) {
    if (!webhook) return nullptr;
    return {{"host", webhook->host},
            {"failures", webhook->failures},
            {"failsForSeconds", webhook->failsFor.count()},
            {"lastError", webhook->lastError},
            {"posts", webhook->posts}};
}

Json toJson(const AccountRow& account, const StatusDetail& detail) {
    Json row{{"systemId", account.systemId},
             {"maxBinds", account.maxBinds},
             {"kept", account.kept},
             {"keptBytes", account.keptBytes},
             {"keptDropped", account.keptDropped},
             {"waiting", account.waiting},
             {"httpAnswers", httpAnswersOf(account)},
             {"webhook", toJson(account.webhook)},
             {"malformed", sumOf(account.malformed)},
             {"lastError", account.lastError},
             {"counters", toJson(account.counters)},
             {"refusedByStatus", toJson(account.refusedBy.of(smpp::Command::submitSm))}};
    addBinds(row, account.binds, detail.allBinds || detail.accounts.contains(account.systemId));
    return row;
}

std::size_t windowOf(const ConnectorRow& connector) {
    std::size_t window = 0;
    for (const BindRow& bind : connector.binds) window += isBound(bind) ? bind.window : 0;
    return window;
}

bool receives(const ConnectorRow& connector) {
    return !connector.sends && boundCount(connector.binds) > 0;
}

const char* stateOf(const ConnectorRow& connector) {
    if (connector.stopped) return "stopped";
    if (connector.live) return "live";
    return receives(connector) ? "receives" : "down";
}

Json toJson(const ConnectorRow& connector, const StatusDetail& detail) {
    Json row{{"name", connector.name},
             {"address", connector.address},
             {"state", stateOf(connector)},
             {"stopped", connector.stopped},
             {"live", connector.live},
             {"queued", connector.queued},
             {"moved", connector.moved},
             {"outstanding", connector.outstanding},
             {"window", windowOf(connector)},
             {"allowedPerSecond", connector.allowedPerSecond},
             {"throttledUntilMilliseconds", millisecondsOf(connector.throttledUntil)},
             {"ids", connector.receipts.ids},
             {"heldReceipts", connector.receipts.held},
             {"unmatchedReceipts", connector.receipts.unmatched},
             {"malformed", sumOf(connector.malformed)},
             {"lastError", connector.lastError},
             {"counters", toJson(connector.counters)},
             {"refusedByStatus", toJson(connector.refusedBy.of(smpp::Command::submitSm))}};
    addBinds(row, connector.binds, detail.allBinds || detail.connectors.contains(connector.name));
    return row;
}

// null: longer than what is told apart.
Json percentileOf(const LatencyBuckets& stage, double fraction) {
    const auto bound = stage.percentile(fraction);
    return bound ? Json(*bound) : Json();
}

Json toJson(const LatencyBuckets& stage) {
    return {{"count", stage.total()},
            {"sumMicroseconds", stage.sumMicroseconds},
            {"p50Microseconds", percentileOf(stage, 0.5)},
            {"p99Microseconds", percentileOf(stage, 0.99)},
            {"buckets", stage.counts}};
}

Json totalsOf(const Snapshot& snapshot) {
    MessageCounters sum;
    std::size_t bound = 0, kept = 0, keptBytes = 0, live = 0, stopped = 0;
    for (const AccountRow& account : snapshot.accounts) {
        add(sum, account.counters);
        bound += boundCount(account.binds);
        kept += account.kept;
        keptBytes += account.keptBytes;
    }
    for (const ConnectorRow& connector : snapshot.connectors) {
        live += !connector.stopped && (connector.live || receives(connector));
        stopped += connector.stopped;
    }
    Json totals = toJson(sum);
    totals.update({{"bound", bound},
                   {"kept", kept},
                   {"keptBytes", keptBytes},
                   {"connectorsLive", live},
                   {"connectorsStopped", stopped}});
    return totals;
}

Json storeOf(const Snapshot& snapshot) {
    return {{"durable", snapshot.store.durable},
            {"alarm", snapshot.store.alarm},
            {"commits", snapshot.store.commits},
            {"failedCommits", snapshot.store.failedCommits},
            {"queued", snapshot.store.queued}};
}

Json recordsOf(const Snapshot& snapshot) {
    return {{"alarm", snapshot.records.alarm},
            {"dropped", snapshot.records.dropped},
            {"failed", snapshot.records.failed}};
}

Json headOf(const Snapshot& snapshot) {
    return {{"version", snapshot.version},
            {"takenMilliseconds", millisecondsOf(snapshot.taken)},
            {"uptimeSeconds", snapshot.uptime.count()},
            {"connections", snapshot.connections},
            {"httpConnections", snapshot.httpConnections},
            {"draining", snapshot.draining},
            {"alarms", textsOf(snapshot.alarms)},
            {"refusedBinds", snapshot.logins.refusedBinds.total()},
            {"malformed", snapshot.malformed},
            {"duplicateReceipts", snapshot.duplicateReceipts},
            {"unmatchedReceipts", snapshot.unmatchedReceipts}};
}

template <class Rows>
Json listOf(const Rows& rows, const StatusDetail& detail) {
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(toJson(row, detail));
    return list;
}

}  // namespace

std::string statusJson(const Snapshot& snapshot, const StatusDetail& detail) {
    Json status = headOf(snapshot);
    status["totals"] = totalsOf(snapshot);
    status["store"] = storeOf(snapshot);
    status["records"] = recordsOf(snapshot);
    const Stages stages = snapshot.stages();
    status["stages"] = {{"windowWait", toJson(stages.windowWait)},
                        {"handOff", toJson(stages.handOff)},
                        {"smsc", toJson(stages.smsc)},
                        {"commit", toJson(stages.commit)}};
    status["connectors"] = listOf(snapshot.connectors, detail);
    for (std::size_t i = 0; i < snapshot.connectors.size(); ++i) {
        const auto its = alarmsOf(snapshot.connectors[i], snapshot.alarms);
        status["connectors"][i]["alarms"] = textsOf(its);
    }
    status["accounts"] = listOf(snapshot.accounts, detail);
    return status.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace router
