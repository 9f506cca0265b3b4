// The whole router: its dispatchers, who stands on them, and how it is started, reloaded and ended.
//
// Dispatchers: those of the shards carry all SMPP connections; "control" has signals, the admin
// interface and the drain, and makes its turns on the thread that calls run(); "files" reads
// configurations; the store, the access log and the password desk have theirs.
//
// Thread: any, one at a time, except requestStop() and what AdminBackend says: any.
// Errors: the constructor throws std::exception in one line: the store, the access log, a listener.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nio/group/SelectorThreadGroup.h>

#include "sms_router/admin/AdminServer.h"
#include "sms_router/admin/AlarmWatch.h"
#include "sms_router/config/ConfigReader.h"
#include "sms_router/core/Deployment.h"
#include "sms_router/core/Drainer.h"
#include "sms_router/core/Reloader.h"
#include "sms_router/core/StartupError.h"

namespace router {

class RouterCore final : private AdminBackend {
  public:
    RouterCore(ConfigSource source, const SharedConfig& config);
    ~RouterCore() override;

    // Where it listens from the start.
    const std::vector<nio::SocketAddress>& addresses() const { return addresses_; }
    std::optional<nio::SocketAddress> adminAddress() const;
    std::size_t threads() const { return group_.size(); }
    std::string_view selectorName() const { return group_.selectorName(); }
    // Of all SMPP connections, now. Thread: any.
    std::size_t bufferedBytes() const;

    // Until it was stopped by SIGTERM, SIGINT or requestStop(), or a dispatcher gave up. `ready`
    // runs once connectors are bound, or have failed to be for the first time; after two seconds in
    // any case. Throws where a listener of the start, the admin interface or the signals could not
    // be registered, or a dispatcher gave up; what is left then is in the log. `drained` runs
    // before the other dispatchers are waited for, and the store.
    using Drained = std::function<void(const DrainSummary& summary)>;
    DrainSummary run(std::function<void()> ready, const Drained& drained = {});
    // RouterConfig::exitTimeout, now.
    std::chrono::milliseconds exitTimeout() const { return exitTimeout_; }
    // The first call drains, a second one ends it. Thread: any.
    void requestStop();

  private:
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

    void makeShards(const SharedConfig& config);
    void openAdmin(const AdminConfig& config);
    void openSignals();
    void signalled(int number) NIO_REQUIRES(nio::onDispatcher);
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    void begin(std::function<void()> ready) NIO_REQUIRES(nio::onDispatcher);
    nio::SelectorThreadOptions named(const char* name);
    std::function<void(const nio::Error&)> watcher();
    nio::CallbackErrorHandler breaksBy(const char* what);
    void giveUp(const char* what);
    void awaitSettled(std::function<void()> ready) NIO_REQUIRES(nio::onDispatcher);
    void takesEffect(const RouterConfig& config);
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

    const SharedConfig initial_;
    std::atomic<std::uint64_t> deliveries_{0};
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    std::atomic<std::chrono::milliseconds> drainTimeout_{initial_->drainTimeout};
    std::atomic<std::chrono::milliseconds> exitTimeout_{initial_->exitTimeout};
    std::atomic<bool> draining_{false};
    // Its reporters may outlive this.
    const std::shared_ptr<StartupError> startupError_ = std::make_shared<StartupError>();
    ConnectorBoard board_{Directory::maxConnectors};
    nio::SelectorThread control_;
    Store store_;
    RecordLog records_;
    const std::shared_ptr<nio::MemoryBudget> budget_;  // null: none
    nio::SelectorThreadGroup group_;
    ShardSet shards_;
    Directory directory_;
    PasswordDesk passwords_;
    LoginThrottle logins_{initial_->loginDelay};
    LoginThrottle tokens_{initial_->loginDelay};  // of the admin interface
    std::atomic<std::uint64_t> refusedTokens_{0};
    // What dispatchers still have must go while those are there whom it refers to: also of one that
    // was not started, or had no thread.
    struct GroupEnd {
        nio::SelectorThreadGroup& group;
        ~GroupEnd() { group.end(); }
    } groupEnd_{group_};
    Deployment deployment_;
    Drainer drainer_;
    Reloader reloader_;
    std::vector<nio::SocketAddress> addresses_;
    std::optional<AdminServer> admin_;
    std::vector<CertificateRow> certificates_;  // of control
    AlarmWatch alarms_;
    std::optional<nio::Deadline> settling_;
    nio::TimePoint settledBy_{};
    DrainSummary summary_;
    nio::SelectorThread files_;
};

}  // namespace router
