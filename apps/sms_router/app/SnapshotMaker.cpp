#include "sms_router/app/Inspection.h"

#include <algorithm>
#include <map>

#include <nio/version.h>

namespace router {

namespace {

AccountRow rowOf(const AccountConfig& config, Account& account) {
    AccountRow row;
    row.systemId = config.systemId;
    row.maxBinds = config.maxBinds;
    const auto read = [](const std::atomic<std::uint64_t>& counter) {
        return counter.load(std::memory_order_relaxed);
    };
    AccountFigures& figures = account.figures();
    row.counters.submitted = read(figures.submitted);
    row.counters.accepted = read(figures.accepted);
    row.counters.refused = read(figures.refused);
    row.counters.throttled = read(figures.throttled);
    std::transform(figures.httpAnswers.begin(), figures.httpAnswers.end(), row.httpAnswers.begin(),
                   read);
    return row;
}

void add(AccountRow& row, const AccountDesk::Figures& figures) {
    row.counters.delivered = figures.delivered;
    row.counters.receipts = figures.receipts;
    row.kept = figures.kept;
    row.keptBytes = figures.keptBytes;
    row.keptDropped = figures.dropped;
    row.waiting = figures.waiting;
}

void add(Snapshot& snapshot, const ShardFigures& figures) {
    snapshot.logins.refusedBinds += figures.refusedBinds;
    snapshot.malformed += figures.malformed;
    snapshot.duplicateReceipts += figures.duplicateReceipts;
    snapshot.unmatchedReceipts += figures.unmatchedReceipts;
}

StoreState stateOf(const Store& store) {
    const Store::Figures& figures = store.figures();
    StoreState state;
    state.durable = store.isDurable();
    state.alarm = figures.lastFailed.load();
    state.commits = figures.commits.load();
    state.failedCommits = figures.failedCommits.load();
    state.queued = figures.queued.load();
    state.commitTime = std::chrono::nanoseconds(figures.commitNanoseconds.load());
    const nio::TimePoint openSince = figures.openSince.load();
    if (openSince != nio::TimePoint::min()) state.commitOpen = nio::Clock::now() - openSince;
    return state;
}

}  // namespace

std::shared_ptr<Snapshot> makeSnapshot(std::vector<ShardReport> reports, const Store& store,
                                       bool draining, std::chrono::seconds uptime) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->version = nio::version;
    snapshot->taken = std::chrono::system_clock::now();
    snapshot->uptime = uptime;
    snapshot->draining = draining;
    snapshot->store = stateOf(store);
    const auto one = std::find_if(reports.begin(), reports.end(), [](const ShardReport& report) {
        return report.topology != nullptr;
    });
    if (one == reports.end()) return snapshot;
    const Topology& topology = *one->topology;
    for (std::size_t i = 0; i < topology.accounts.size(); ++i) {
        snapshot->accounts.push_back(rowOf(topology.config->accounts[i], *topology.accounts[i]));
    }
    std::map<const AccountRow*, LastError> lastErrors;
    const auto noteError = [&](AccountRow& row, const LastError& error) {
        LastError& last = lastErrors[&row];
        last = later(last, error);
        row.lastError = last.text;
    };
    const auto rowNamed = [&](const std::string& name) -> AccountRow* {
        const auto found = topology.config->accountByName.find(name);
        return found == topology.config->accountByName.end() ? nullptr
                                                             : &snapshot->accounts[found->second];
    };
    for (ShardReport& report : reports) {
        snapshot->connections += report.binds.size();
        for (auto& [account, bind] : report.binds) {
            if (AccountRow* row = rowNamed(account)) row->binds.push_back(std::move(bind));
        }
        for (const DeskReport& desk : report.desks) {
            AccountRow* row = rowNamed(desk.account);
            if (row == nullptr) continue;
            add(*row, desk.figures);
            noteError(*row, desk.figures.lastError);
        }
        for (auto& [account, webhook] : report.webhooks) {
            if (AccountRow* row = rowNamed(account)) row->webhook = std::move(webhook);
        }
        for (const auto& [account, statuses] : report.figures.refusedBy) {
            if (AccountRow* row = rowNamed(account->systemId())) row->refusedBy += statuses;
        }
        for (const auto& [account, pdus] : report.figures.malformedOf) {
            AccountRow* row = rowNamed(account);
            if (row == nullptr) continue;
            for (const auto& [problem, count] : pdus.counts()) row->malformed[problem] += count;
            noteError(*row, pdus.last());
        }
        for (ConnectorRow& row : report.connectors) snapshot->connectors.push_back(std::move(row));
        add(*snapshot, report.figures);
    }
    std::sort(snapshot->connectors.begin(), snapshot->connectors.end(),
              [](const ConnectorRow& a, const ConnectorRow& b) { return a.name < b.name; });
    return snapshot;
}

}  // namespace router
