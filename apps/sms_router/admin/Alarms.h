// Judges what an administrator should look at now. It remembers what it has seen, because some
// alarms are about a stretch of time: show it a snapshot every few seconds.
//
// While a dispatcher hangs, the alarms of connectors stay as they were.
//
// Thread: one at a time. Time goes in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>

#include "sms_router/admin/Snapshot.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

class Alarms {
  public:
    explicit Alarms(const AlarmConfig& bounds = {}) : bounds_(bounds) {}

    void use(const AlarmConfig& bounds) { bounds_ = bounds; }
    std::vector<Alarm> judge(const Snapshot& snapshot, nio::TimePoint now);

  private:
    // What is remembered of a connector.
    struct Past {
        std::optional<nio::TimePoint> cutSince{};
        std::uint64_t receipts = 0;
        std::uint64_t wantReceipts = 0;
        // The first and the last time that messages which want a receipt were seen to be accepted,
        // after the last receipt.
        std::optional<nio::TimePoint> firstWanted{};
        nio::TimePoint lastWanted{};
    };

    bool isStoreSlow(const Snapshot& snapshot);
    void judgeCertificates(const Snapshot& snapshot, std::vector<Alarm>& alarms) const;
    void judgeConnector(const ConnectorRow& connector, Past& past, nio::TimePoint now,
                        std::vector<Alarm>& alarms) const;
    bool isThrottled(const ConnectorRow& connector, Past& past, nio::TimePoint now) const;
    bool lacksReceipts(const ConnectorRow& connector, Past& past, nio::TimePoint now) const;

    AlarmConfig bounds_;
    std::map<std::string, Past> pasts_;  // by connector
    std::vector<Alarm> ofConnectors_;    // as they were judged last
    std::uint64_t commits_ = 0;
    std::chrono::nanoseconds commitTime_{0};
    bool storeIsSlow_ = false;
};

// The state is one of those in which requests may be sent.
bool isBound(const BindRow& bind);
std::size_t boundCount(const std::vector<BindRow>& binds);

}  // namespace router
