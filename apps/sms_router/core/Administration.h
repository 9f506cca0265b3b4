// What the administrator asks of the router: health, snapshots, reloads, the switches of
// connectors, explanations of routes. And what it tells by itself: alarms, from snapshots.
//
// Thread: that of AdminBackend's functions, any; what is said of the others.
// Lifetime: the router's. It outlives the dispatchers that it asks.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/group/SelectorThreadGroup.h>

#include "sms_router/admin/AdminServer.h"
#include "sms_router/admin/AlarmWatch.h"
#include "sms_router/core/Inspection.h"
#include "sms_router/core/Reloader.h"

namespace router {

class SmscConnector;

class Administration final : public AdminBackend {
  public:
    struct Surroundings {
        nio::SelectorThread& control;  // has the admin interface and the alarms
        nio::SelectorThread& files;
        nio::SelectorThreadGroup& group;  // of the shards
        const ShardSet& shards;
        Store& store;
        RecordLog& records;
        PasswordDesk& passwords;
        Reloader& reloader;
        const std::atomic<bool>& draining;
    };

    // `budget`: null: none.
    Administration(const Surroundings& around, const RouterConfig& config,
                   std::shared_ptr<const nio::MemoryBudget> budget);

    // The admin interface, if there is one. Throws std::exception. Before the dispatchers start.
    void open(const AdminConfig& config);
    // Absent: there is none.
    std::optional<nio::SocketAddress> address() const;
    // False: its listener could not be registered; what is wrong later is for `broken`.
    bool start(nio::CallbackErrorHandler broken);

    // Another configuration. Thread: any.
    void useDelay(std::chrono::milliseconds loginDelay) { tokens_.setDelay(loginDelay); }
    // On "control", but for the start.
    void useCertificates(std::vector<CertificateRow> certificates) {
        certificates_ = std::move(certificates);
    }
    void useAlarmsNow(const AlarmConfig& config, const std::string& systemId)
        NIO_REQUIRES(nio::onDispatcher) {
        alarms_.useNow(config, systemId);
    }
    void startAlarmsNow() NIO_REQUIRES(nio::onDispatcher) { alarms_.startNow(); }
    void endAlarmsNow() NIO_REQUIRES(nio::onDispatcher) { alarms_.endNow(); }

    // --- AdminBackend
    void health(nio::SelectorThread& asker,
                nio::UniqueFunction<void(Health health)> answer) override;
    void snapshot(nio::SelectorThread& asker,
                  nio::UniqueFunction<void(std::shared_ptr<const Snapshot>)> answer) override;
    void reload(nio::SelectorThread& asker,
                nio::UniqueFunction<void(Reloaded reloaded)> answer) override;
    void switchConnector(const std::string& name, bool on, nio::SelectorThread& asker,
                         nio::UniqueFunction<void(nio::Result<bool> known)> answer) override;
    void explain(const ExplainRequest& request, nio::SelectorThread& asker,
                 nio::UniqueFunction<void(nio::Result<Lines> lines)> answer) override;
    std::optional<std::chrono::milliseconds> loginDelay(const nio::SocketAddress& peer) override;
    void tokenRefused(const nio::SocketAddress& peer) override;

  private:
    // What one dispatcher says: T() when it has stopped, timed_out while it hangs.
    template <class T>
    void ask(nio::SelectorThread& one, nio::SelectorThread& asker, std::function<T()> question,
             nio::UniqueFunction<void(nio::Result<T>)> answer) const;
    // On the first shard's dispatcher. Null if the name is unknown.
    SmscConnector* connectorNow(const std::string& name) const NIO_REQUIRES(nio::onDispatcher);
    std::vector<nio::SelectorThread*> smppThreads();
    std::vector<nio::DispatcherMetrics> dispatcherMetrics() const;
    using TakesSnapshot = nio::UniqueFunction<void(std::shared_ptr<Snapshot>)>;
    void gatherSnapshot(bool all, nio::SelectorThread& asker, TakesSnapshot take);
    std::shared_ptr<Snapshot> snapshotOf(std::vector<ShardReport> reports) const;

    const Surroundings around_;
    const std::shared_ptr<const nio::MemoryBudget> budget_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    LoginThrottle tokens_;
    std::atomic<std::uint64_t> refusedTokens_{0};
    std::optional<AdminServer> server_;
    std::vector<CertificateRow> certificates_;  // of control
    AlarmWatch alarms_;
};

}  // namespace router
