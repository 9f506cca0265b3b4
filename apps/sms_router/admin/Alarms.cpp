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

std::string missingBinds(const ConnectorRow& connector, std::size_t bound) {
    const std::size_t wanted = connector.binds.size();
    const std::string what =
        bound == 0 ? " is down"
                   : " has " + std::to_string(bound) + " of " + std::to_string(wanted) + " binds";
    const std::string why = connector.lastError.empty() ? "." : ": " + connector.lastError;
    return "Connector " + connector.name + what + why;
}

}  // namespace

std::vector<Alarm> Alarms::judge(const Snapshot& snapshot, nio::TimePoint now) {
    std::vector<Alarm> alarms;
    if (snapshot.storeAlarm) {
        alarms.push_back({Kind::storeFails, "",
                          "The store cannot write: submits are refused until it recovers."});
    }
    if (isStoreSlow(snapshot)) {
        alarms.push_back({Kind::storeSlow, "",
                          "The store is slow: a commit takes more than " +
                              durationText(bounds_.storeSlow) +
                              ", and submits are answered after it."});
    }
    if (snapshot.recordsAlarm) {
        alarms.push_back(
            {Kind::recordsFail, "",
             "The message records cannot be written: records are lost until this recovers."});
    }
    judgeCertificates(snapshot, alarms);
    if (snapshot.silent.empty()) {
        ofConnectors_.clear();
        std::map<std::string, Past> pasts;
        for (const ConnectorRow& connector : snapshot.connectors) {
            Past& past = pasts[connector.name] = std::move(pasts_[connector.name]);
            judgeConnector(connector, past, now, ofConnectors_);
        }
        pasts_ = std::move(pasts);
    }
    alarms.insert(alarms.end(), ofConnectors_.begin(), ofConnectors_.end());
    return alarms;
}

// By the mean of what ended since the last look at which something had; a commit that takes longer
// than the bound counts before it ends.
bool Alarms::isStoreSlow(const Snapshot& snapshot) {
    const std::uint64_t ended = snapshot.commits + snapshot.failedCommits;
    const std::uint64_t commits = ended - std::exchange(commits_, ended);
    const auto time = snapshot.commitTime - std::exchange(commitTime_, snapshot.commitTime);
    const std::chrono::nanoseconds bound = bounds_.storeSlow;
    if (commits > 0) storeIsSlow_ = time / commits > bound;
    return bound.count() > 0 && (storeIsSlow_ || snapshot.commitOpen > bound);
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

void Alarms::judgeConnector(const ConnectorRow& connector, Past& past, nio::TimePoint now,
                            std::vector<Alarm>& alarms) const {
    const bool isThrottled = this->isThrottled(connector, past, now);
    const bool lacksReceipts = this->lacksReceipts(connector, past, now);
    if (connector.stopped) return;
    const auto add = [&](Kind kind, std::string text) {
        alarms.push_back({kind, connector.name, std::move(text)});
    };
    const std::string connectorText = "Connector " + connector.name;
    const std::size_t bound = boundCount(connector.binds);
    if (bound == 0 || bound < connector.binds.size()) {
        add(bound == 0 ? Kind::connectorDown : Kind::bindsMissing, missingBinds(connector, bound));
    }
    if (bounds_.queue > 0 && connector.queued > bounds_.queue) {
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
    const bool isCut = connector.throttledUntil.has_value() && !connector.stopped;
    if (!isCut) past.cutSince.reset();
    if (isCut && !past.cutSince) past.cutSince = now;
    const auto bound = bounds_.throttledFor;
    return bound.count() > 0 && past.cutSince && now - *past.cutSince >= bound;
}

bool Alarms::lacksReceipts(const ConnectorRow& connector, Past& past, nio::TimePoint now) const {
    const std::uint64_t receipts = connector.counters.receipts;
    if (std::exchange(past.receipts, receipts) != receipts || connector.stopped) {
        past.firstWanted.reset();
        past.wantReceipts = connector.wantReceipts;
    }
    if (std::exchange(past.wantReceipts, connector.wantReceipts) != connector.wantReceipts) {
        if (!past.firstWanted) past.firstWanted = now;
        past.lastWanted = now;
    }
    const auto bound = bounds_.noReceiptsFor;
    return bound.count() > 0 && past.firstWanted && past.lastWanted - *past.firstWanted >= bound;
}

bool isBound(const BindRow& bind) {
    return bind.state.starts_with("BOUND");
}

std::size_t boundCount(const std::vector<BindRow>& binds) {
    return static_cast<std::size_t>(std::count_if(binds.begin(), binds.end(), isBound));
}

}  // namespace router
