#include "sms_router/admin/Alarms.h"

#include <algorithm>
#include <utility>

#include "sms_router/records/RecordLine.h"

namespace router {

namespace {

using Kind = Alarm::Kind;
using std::chrono::milliseconds;

// "500 ms", "15 min": whole numbers of the largest unit that has one.
std::string durationText(milliseconds time) {
    constexpr std::pair<std::int64_t, const char*> units[] = {
        {86'400'000, " d"}, {3'600'000, " h"}, {60'000, " min"}, {1000, " s"}};
    for (const auto& [size, unit] : units) {
        if (time.count() % size == 0) return std::to_string(time.count() / size) + unit;
    }
    return std::to_string(time.count()) + " ms";
}

std::string dateText(std::chrono::system_clock::time_point time) {
    std::string text;
    appendTime(text, time);
    return text.substr(0, text.find('T'));
}

std::string bindsText(const ConnectorRow& connector, const std::string& what) {
    const std::string why = connector.bindError.empty() ? "." : ": " + connector.bindError;
    return "Connector " + connector.name + what + why;
}

// Since when it is so; absent: it is not.
void noteSince(std::optional<nio::TimePoint>& since, bool isSo, nio::TimePoint now) {
    if (!isSo) since.reset();
    if (isSo && !since) since = now;
}

}  // namespace

std::vector<Alarm> Alarms::judge(const Snapshot& snapshot, nio::TimePoint now) {
    std::vector<Alarm> alarms;
    if (snapshot.store.alarm) {
        alarms.push_back({Kind::storeFails, "",
                          "The store cannot write: submits are refused until it recovers."});
    }
    if (isStoreSlow(snapshot.store, now)) {
        alarms.push_back({Kind::storeSlow, "",
                          "The store is slow: a commit takes more than " +
                              durationText(bounds_.storeSlow) +
                              ", and submits are answered after it."});
    }
    if (snapshot.records.alarm) {
        alarms.push_back(
            {Kind::recordsFail, "",
             "The message records cannot be written: records are lost until this recovers."});
    }
    judgeCertificates(snapshot, alarms);
    if (snapshot.silent.empty()) {
        ofShards_.clear();
        std::map<std::string, Past> pasts;
        for (const ConnectorRow& connector : snapshot.connectors) {
            Past& past = pasts[connector.name] = std::move(pasts_[connector.name]);
            judgeConnector(connector, past, now, ofShards_);
        }
        pasts_ = std::move(pasts);
        judgeWebhooks(snapshot, ofShards_);
    }
    alarms.insert(alarms.end(), ofShards_.begin(), ofShards_.end());
    return alarms;
}

// By the mean of what ended since the last look; a commit that takes longer than the bound counts
// before it ends. While nothing is committed, nothing is slow.
bool Alarms::isStoreSlow(const StoreState& store, nio::TimePoint now) {
    const std::uint64_t ended = store.commits + store.failedCommits;
    const std::uint64_t commits = ended - std::exchange(commits_, ended);
    const auto time = store.commitTime - std::exchange(commitTime_, store.commitTime);
    const std::chrono::nanoseconds bound = bounds_.storeSlow;
    if (commits > 0) {
        storeIsSlow_ = time / commits > bound;
        lastCommit_ = now;
    } else if (store.commitOpen.count() == 0 && now - lastCommit_ >= forgetsAfter) {
        storeIsSlow_ = false;
    }
    return bound.count() > 0 && (storeIsSlow_ || store.commitOpen > bound);
}

void Alarms::judgeCertificates(const Snapshot& snapshot, std::vector<Alarm>& alarms) const {
    if (bounds_.certificate.count() == 0) return;
    for (const CertificateRow& row : snapshot.certificates) {
        if (row.expires - snapshot.taken > bounds_.certificate) continue;
        const char* const does = row.expires <= snapshot.taken ? " expired on " : " expires on ";
        alarms.push_back({row.isOfConnector ? Kind::clientCertificate : Kind::certificate, row.name,
                          std::string("The certificate of ") +
                              (row.isOfConnector ? "connector " : "listener ") + row.name + does +
                              dateText(row.expires) + "."});
    }
}

void Alarms::judgeWebhooks(const Snapshot& snapshot, std::vector<Alarm>& alarms) {
    for (const AccountRow& account : snapshot.accounts) {
        if (!account.webhook || account.webhook->failsFor < webhookFailsFor) continue;
        alarms.push_back({Kind::webhookFails, account.systemId,
                          "The webhook of account " + account.systemId +
                              " has failed for more than " + durationText(webhookFailsFor) + ": " +
                              account.webhook->lastError});
    }
}

void Alarms::judgeConnector(const ConnectorRow& connector, Past& past, nio::TimePoint now,
                            std::vector<Alarm>& alarms) const {
    const bool isThrottled = this->isThrottled(connector, past, now);
    const bool lacksReceipts = this->lacksReceipts(connector, past, now);
    const std::size_t bound = boundCount(connector.binds);
    const std::size_t wanted = connector.binds.size();
    noteSince(past.downSince, bound == 0 && !connector.stopped, now);
    noteSince(past.missingSince, (bound == 0 || bound < wanted) && !connector.stopped, now);
    if (connector.queued > bounds_.queue) past.isQueueLong = true;
    if (connector.queued < (bounds_.queue + 1) / 2) past.isQueueLong = false;
    if (connector.stopped) return;
    const auto add = [&](Kind kind, std::string text) {
        alarms.push_back({kind, connector.name, std::move(text)});
    };
    const std::string connectorText = "Connector " + connector.name;
    const auto hasLasted = [now](const auto& since) { return since && now - *since >= lasts; };
    if (hasLasted(past.downSince)) {
        add(Kind::connectorDown, bindsText(connector, " is down"));
    } else if (hasLasted(past.missingSince)) {
        add(Kind::bindsMissing, bindsText(connector, " has " + std::to_string(bound) + " of " +
                                                         std::to_string(wanted) + " binds"));
    }
    if (bounds_.queue > 0 && past.isQueueLong) {
        add(Kind::queue, connectorText + " has more than " + std::to_string(bounds_.queue) +
                             " requests in its queue.");
    }
    if (isThrottled) {
        add(Kind::throttled, connectorText + " sends less than it should: the SMSC has throttled " +
                                 "it for more than " + durationText(bounds_.throttledFor) + ".");
    }
    if (lacksReceipts) {
        add(Kind::noReceipts, connectorText + " has delivered no receipt for more than " +
                                  durationText(bounds_.noReceiptsFor) +
                                  ", although accepted messages ask for them.");
    }
}

bool Alarms::isThrottled(const ConnectorRow& connector, Past& past, nio::TimePoint now) const {
    noteSince(past.cutSince, connector.throttledUntil && !connector.stopped, now);
    const auto bound = bounds_.throttledFor;
    return bound.count() > 0 && past.cutSince && now - *past.cutSince >= bound;
}

bool Alarms::lacksReceipts(const ConnectorRow& connector, Past& past, nio::TimePoint now) const {
    const std::uint64_t receipts = connector.receipts.found;
    if (std::exchange(past.receipts, receipts) != receipts || connector.stopped) {
        past.firstWanted.reset();
        past.wantReceipts = connector.receipts.wanted;
    }
    const auto bound = bounds_.noReceiptsFor;
    if (std::exchange(past.wantReceipts, connector.receipts.wanted) != connector.receipts.wanted) {
        if (!past.firstWanted) past.firstWanted = now;
        past.lastWanted = now;
    } else if (now - past.lastWanted >= bound) {
        past.firstWanted.reset();
    }
    return bound.count() > 0 && past.firstWanted && past.lastWanted - *past.firstWanted >= bound;
}

bool isBound(const BindRow& bind) {
    return bind.state.starts_with("BOUND");
}

std::size_t boundCount(const std::vector<BindRow>& binds) {
    return static_cast<std::size_t>(std::count_if(binds.begin(), binds.end(), isBound));
}

}  // namespace router
