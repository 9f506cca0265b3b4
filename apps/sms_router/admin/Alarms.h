// Judges what an administrator should look at now. It remembers what it has seen, because some
// alarms are about a stretch of time: show it a snapshot every few seconds.
//
// So that it does not begin and end at each look, a connector that is down, or has too few binds,
// is an alarm when it was so for `lasts`; and a queue from when it is longer than its bound until
// it is shorter than half of that.
//
// While a dispatcher hangs, the alarms of connectors and accounts stay as they were.
//
// Thread: one at a time. Time goes in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/Snapshot.h"

namespace router {

class Alarms {
  public:
    // Of a connector without its binds: less than the time between two looks of AlarmWatch.
    static constexpr std::chrono::seconds lasts{4};
    // The alarm of a slow store ends when the store has committed nothing for this long.
    static constexpr std::chrono::seconds forgetsAfter{9};

    // A webhook of an account that takes nothing.
    static constexpr std::chrono::minutes webhookFailsFor{5};

    explicit Alarms(const AlarmConfig& bounds = {}) : bounds_(bounds) {}

    void use(const AlarmConfig& bounds) { bounds_ = bounds; }
    std::vector<Alarm> judge(const Snapshot& snapshot, nio::TimePoint now);

  private:
    // What is remembered of a connector.
    struct Past {
        std::optional<nio::TimePoint> downSince{};     // no bind is bound
        std::optional<nio::TimePoint> missingSince{};  // one is not, at least
        std::optional<nio::TimePoint> cutSince{};
        bool isQueueLong = false;
        std::uint64_t receipts = 0;
        std::uint64_t wantReceipts = 0;
        // The first and the last time that messages which want a receipt were seen to be accepted,
        // after the last receipt; forgotten when there are no more of them.
        std::optional<nio::TimePoint> firstWanted{};
        nio::TimePoint lastWanted{};
    };

    bool isStoreSlow(const StoreState& store, nio::TimePoint now);
    void judgeCertificates(const Snapshot& snapshot, std::vector<Alarm>& alarms) const;
    static void judgeWebhooks(const Snapshot& snapshot, std::vector<Alarm>& alarms);
    void judgeConnector(const ConnectorRow& connector, Past& past, nio::TimePoint now,
                        std::vector<Alarm>& alarms) const;
    bool isThrottled(const ConnectorRow& connector, Past& past, nio::TimePoint now) const;
    bool lacksReceipts(const ConnectorRow& connector, Past& past, nio::TimePoint now) const;

    AlarmConfig bounds_;
    std::map<std::string, Past> pasts_;  // by connector
    std::vector<Alarm> ofShards_;        // of connectors and accounts, as they were judged last
    std::uint64_t commits_ = 0;
    std::chrono::nanoseconds commitTime_{0};
    nio::TimePoint lastCommit_{};
    bool storeIsSlow_ = false;
};

// The state is one of those in which requests may be sent.
bool isBound(const BindRow& bind);
std::size_t boundCount(const std::vector<BindRow>& binds);

}  // namespace router
