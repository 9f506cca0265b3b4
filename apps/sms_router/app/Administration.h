// What the administrator asks of the router: health, snapshots, reloads, the switches of
// connectors, explanations of routes. And what it tells by itself: alarms, from snapshots.
//
// Thread: see each function.
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
#include "sms_router/app/Inspection.h"
#include "sms_router/app/ListeningSockets.h"
#include "sms_router/app/Reloader.h"
#include "sms_router/http/HttpDoor.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"

namespace router {

class SmscConnector;

class Administration final {
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
        const HttpDoor& http;
    };

    // `budget`: null: none.
    Administration(const Surroundings& around, const RouterConfig& config,
                   std::shared_ptr<const nio::MemoryBudget> budget);

    // The admin interface, if there is one. Throws std::exception. Before the dispatchers start.
    void open(const AdminConfig& config, ListeningSockets& sockets);
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

    // What the admin interface asks. On "control", where the answers run, too.
    AdminCalls calls();

  private:
    template <class T>
    using Answer = AdminCalls::Answer<T>;
    using Lines = AdminCalls::Lines;
    void health(Answer<Health> answer);
    void switchConnector(const std::string& name, bool on, Answer<nio::Result<bool>> answer);
    void explain(const ExplainRequest& request, Answer<nio::Result<Lines>> answer);
    void tokenRefused(const nio::SocketAddress& peer);
    // What one dispatcher says: T() when it has stopped, timed_out while it hangs.
    template <class T>
    void ask(nio::SelectorThread& one, std::function<T()> question,
             Answer<nio::Result<T>> answer) const;
    // On the first shard's dispatcher. Null if the name is unknown.
    SmscConnector* connectorNow(const std::string& name) const NIO_REQUIRES(nio::onDispatcher);
    std::vector<nio::SelectorThread*> smppThreads();
    std::vector<nio::DispatcherMetrics> dispatcherMetrics() const;
    void gatherSnapshot(bool all, Answer<std::shared_ptr<Snapshot>> take);
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
