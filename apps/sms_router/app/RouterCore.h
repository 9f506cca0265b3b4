// The whole router: its dispatchers, who stands on them, and how it is started, reloaded and ended.
//
// Dispatchers: those of the shards carry all SMPP and HTTP connections; "control" has signals, the
// admin interface and the drain, and makes its turns on the thread that calls run(); "files" reads
// configurations; the store, the access log and the password desk have theirs. What the
// administrator asks is answered by Administration.
//
// Thread: any, one at a time, except requestStop(): any.
// Errors: the constructor throws std::exception in one line: the store, the access log, a listener,
// a passed socket for which there is no listener.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Takeover.h>

#include "sms_router/app/Administration.h"
#include "sms_router/app/Deployment.h"
#include "sms_router/app/Drainer.h"
#include "sms_router/app/Reloader.h"
#include "sms_router/app/Settling.h"
#include "sms_router/app/StartupError.h"
#include "sms_router/config/ConfigReader.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/session/LoginThrottle.h"

namespace router {

class RouterCore final {
  public:
    RouterCore(ConfigSource source, const SharedConfig& config, ListeningSockets sockets = {});
    ~RouterCore();

    // Where it listens from the start.
    const std::vector<nio::SocketAddress>& addresses() const { return addresses_; }
    std::optional<nio::SocketAddress> adminAddress() const { return administration_.address(); }
    // Where it takes HTTP; empty: nowhere.
    std::string httpUrl() const { return deployment_.http().url(); }
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
    // RouterSection::exitTimeout, now.
    std::chrono::milliseconds exitTimeout() const { return exitTimeout_; }
    // The first call drains, a second one ends it. Thread: any.
    void requestStop();
    // Offers the sockets to the next router, from `ready` on: when that asks for it, this one
    // drains and closes the store before the next one opens it.
    void passOn(nio::Takeover& takeover);

  private:
    RouterCore(ConfigSource source, const SharedConfig& config, ListeningSockets sockets,
               const std::shared_ptr<nio::MemoryBudget>& budget);
    void makeShards(const SharedConfig& config);
    void openSignals();
    void signalled(int number) NIO_REQUIRES(nio::onDispatcher);
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    void begin(std::function<void()> ready) NIO_REQUIRES(nio::onDispatcher);
    // `stallLimit`: of one callback or task; 0: never.
    nio::SelectorThreadOptions named(const char* name, std::chrono::milliseconds stallLimit);
    std::function<void(const nio::Error&)> watcher();
    nio::CallbackErrorHandler breaksBy(const char* what);
    void giveUp(const char* what);
    void takesEffect(const RouterConfig& config);

    const SharedConfig initial_;
    std::atomic<std::uint64_t> deliveries_;
    std::atomic<std::chrono::milliseconds> exitTimeout_{initial_->router.exitTimeout};
    // Its reporters may outlive this.
    const std::shared_ptr<StartupError> startupError_ = std::make_shared<StartupError>();
    ConnectorBoard board_{Directory::maxConnectors};
    nio::SelectorThread control_;
    Store store_;
    RecordLog records_;
    nio::SelectorThreadGroup group_;
    ShardSet shards_;
    Directory directory_;
    PasswordDesk passwords_;
    LoginThrottle logins_{initial_->router.loginDelay};
    Deployment deployment_;
    Drainer drainer_;
    Reloader reloader_;
    std::vector<nio::SocketAddress> addresses_;
    Administration administration_;
    Settling settling_;
    nio::SelectorThread files_;
};

}  // namespace router
