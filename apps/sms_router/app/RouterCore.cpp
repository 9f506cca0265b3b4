#include "sms_router/app/RouterCore.h"

#include <csignal>

#include <nio/base/Log.h>
#include <nio/net/SignalHandler.h>

#include "common/HeapTrimmer.h"
#include "common/ServerOptions.h"
#include "sms_router/store/Store.h"

namespace router {

namespace {

constexpr std::uint64_t deliveriesAtOnce = 1ull << 36;
// Connector numbers of this size are those of shards, whose ids belong to no connector.
constexpr std::uint32_t lastNumber = 4095;

nio::SelectorThreadGroupOptions groupOptions(const RouterConfig& config,
                                             nio::SelectorThreadOptions thread,
                                             std::shared_ptr<nio::MemoryBudget> budget) {
    nio::SelectorThreadGroupOptions options;
    options.threads = config.router.threads;
    options.thread = std::move(thread);
    options.thread.memoryBudget = std::move(budget);
    options.thread.selector.kind = config.router.selector;
    options.thread.moderation = config.router.moderation;
    return options;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
    return all;
}

// Clients would wait in the backlog of such a socket forever.
void refuseUnused(const ListeningSockets& sockets) {
    const std::vector<std::string> unused = sockets.unused();
    if (unused.empty()) return;
    throw std::runtime_error(
        "sockets were passed (LISTEN_FDS) for which the configuration has no listener: " +
        joined(unused));
}

}  // namespace

// Where this throws, the destructor ends the dispatchers that may refer to any of us.
RouterCore::RouterCore(ConfigSource source, const SharedConfig& config, ListeningSockets sockets)
    : RouterCore(std::move(source), config, std::move(sockets),
                 apps::makeMemoryBudget(config->router.memoryBudget)) {
    deliveries_ = store_.reserveNumbers("delivery", deliveriesAtOnce);
    const auto refused = [startupError = startupError_](std::string name, const nio::Error& why) {
        startupError->put(std::move(name), why.code());
    };
    const std::vector<std::string> mistakes = deployment_.apply(config, refused);
    if (!mistakes.empty()) throw std::runtime_error(joined(mistakes));
    for (const auto& listener : deployment_.listeners()) addresses_.push_back(listener->address());
    administration_.useCertificates(deployment_.certificates());
    administration_.open(config->admin, deployment_.sockets());
    refuseUnused(deployment_.sockets());
    openSignals();
}

RouterCore::RouterCore(ConfigSource source, const SharedConfig& config, ListeningSockets sockets,
                       const std::shared_ptr<nio::MemoryBudget>& budget)
    : initial_(config),
      deliveries_(0),
      control_(named("control", config->router.stallLimit)),
      store_(config->store, watcher()),
      records_(config->records, watcher()),
      group_(groupOptions(*config, named("smpp", config->router.stallLimit), budget)),
      directory_(shards_, store_, board_),
      passwords_(PasswordDesk::Limits(), watcher()),
      deployment_((makeShards(config), directory_), group_, shards_, std::move(sockets)),
      drainer_(control_, shards_, config->router.drainTimeout),
      reloader_(std::move(source), config, {deployment_, group_, files_, drainer_.begun()},
                [this](const RouterConfig& next) { takesEffect(next); }),
      administration_({control_, files_, group_, shards_, store_, records_, passwords_, reloader_,
                       drainer_.begun(), deployment_.http()},
                      *config, budget),
      settling_(control_, [this] { return directory_.isSettled(initial_->connectors.size()); }),
      files_(named("files", std::chrono::milliseconds::zero())) {}

// What shards still have may refer to any of us.
RouterCore::~RouterCore() {
    group_.end();
}

std::size_t RouterCore::bufferedBytes() const {
    return apps::bufferedBytesOf(group_);
}

void RouterCore::makeShards(const SharedConfig& config) {
    auto empty = std::make_shared<Topology>();
    empty->config = config;
    empty->esmeSession = std::make_shared<smpp::SessionOptions>();
    const Services services{store_, records_, passwords_, logins_, board_, deliveries_};
    for (std::size_t i = 0; i < group_.size(); ++i) {
        const MessageIdMaker ids(lastNumber - static_cast<std::uint32_t>(i),
                                 std::chrono::system_clock::now());
        shards_.add(std::make_unique<Shard>(group_[i], services, empty, ids));
    }
}

void RouterCore::openSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM, SIGHUP, SIGUSR1}, [this](int number) {
                       nio::onDispatcher.assertCurrent();
                       signalled(number);
                   }).orThrow();
    const auto posted =
        control_.registerChannelLater(std::move(signals), nio::Interest::read, breaksBy("signals"));
    if (!posted) nio::Error(posted.error().code(), "signals").raise();
}

// --- its life -------------------------------------------------------------------------------

DrainSummary RouterCore::run(std::function<void()> ready, const Drained& drained) {
    files_.start();
    group_.start();
    if (!administration_.start(breaksBy("admin"))) giveUp("admin");
    // By way of who takes the listeners: then it is known whether they were taken.
    const bool begins = group_[0].invokeLater([this, ready = std::move(ready)] {
        nio::onDispatcher.assertCurrent();
        const bool goesOn = control_.invokeLater([this, ready] {
            nio::onDispatcher.assertCurrent();
            begin(ready);
        });
        if (!goesOn) giveUp("start");
    });
    if (!begins) giveUp("start");
    control_.run();
    if (drained) drained(drainer_.summary());
    files_.requestClose();
    files_.join();
    // The others are not to wait for one that hangs.
    const bool oneHangs = drainer_.summary().oneHangs;
    group_.requestClose(oneHangs ? nio::DrainOptions::atOnce()
                                 : nio::DrainOptions{std::chrono::milliseconds(200)});
    group_.join();
    store_.close();
    drainer_.releaseSuccessor();
    if (startupError_->isThere())
        nio::log(nio::LogLevel::warning, "stopped: " + drainer_.summary().toString());
    startupError_->raise();
    return drainer_.summary();
}

void RouterCore::begin(std::function<void()> ready) {
    if (startupError_->isThere()) return control_.requestClose(nio::DrainOptions::atOnce());
    administration_.startAlarmsNow();
    settling_.awaitNow(std::move(ready));
}

// Needs no memory. Thread: any.
void RouterCore::giveUp(const char* what) {
    startupError_->put(what, nio::make_error_code(nio::Errc::stopped));
    control_.requestClose(nio::DrainOptions::atOnce());
}

void RouterCore::signalled(int number) {
    if (number == SIGUSR1) return records_.reopen();
    if (number != SIGHUP) return stopNow();
    reloader_.reload(control_, [](const Reloaded&) {});
}

void RouterCore::requestStop() {
    (void)control_.invokeLater([this] {
        nio::onDispatcher.assertCurrent();
        stopNow();
    });
}

void RouterCore::passOn(nio::Takeover& takeover) {
    takeover.serve(control_, [this](nio::SocketChannel successor) {
        nio::onDispatcher.assertCurrent();
        nio::log(nio::LogLevel::info, "another router takes over: drains");
        drainer_.setSuccessor(std::move(successor));
        if (!drainer_.hasBegun()) stopNow();
    });
}

void RouterCore::stopNow() {
    if (drainer_.hasBegun()) return drainer_.endNow();
    administration_.endAlarmsNow();
    drainer_.beginNow([this] {
        nio::DrainOptions options{std::chrono::milliseconds(200)};
        options.leavesListeners = drainer_.hasSuccessor();
        control_.requestClose(options);
    });
    (void)files_.invokeLater([this] { deployment_.closeListeners(); });
}

// Without one of its dispatchers it is no router any more.
nio::SelectorThreadOptions RouterCore::named(const char* name,
                                             std::chrono::milliseconds stallLimit) {
    nio::SelectorThreadOptions options;
    options.name = name;
    options.stallLimit = stallLimit;
    options.flightRecords = initial_->router.flightRecords;
    options.onGivingUp = watcher();
    return options;
}

// A drain that goes on is not cut short by this.
std::function<void(const nio::Error&)> RouterCore::watcher() {
    return [this](const nio::Error& why) {
        startupError_->put(why);
        const auto begin = [this] {
            nio::onDispatcher.assertCurrent();
            if (!drainer_.hasBegun()) stopNow();
        };
        if (!control_.queue()->pushOrRefuse(begin)) {
            control_.requestClose(nio::DrainOptions::atOnce());
        }
    };
}

// Deaf to SIGTERM, or without what its configuration says, it would be of no use.
nio::CallbackErrorHandler RouterCore::breaksBy(const char* what) {
    return [what, startupError = startupError_](const nio::Error& error) {
        startupError->put(what, error.code());
    };
}

void RouterCore::takesEffect(const RouterConfig& config) {
    drainer_.useTimeout(config.router.drainTimeout);
    exitTimeout_ = config.router.exitTimeout;
    logins_.setDelay(config.router.loginDelay);
    administration_.useDelay(config.router.loginDelay);
    records_.maskAddresses(config.records.maskAddresses);
    (void)control_.invokeLater([this, alarms = config.alarms, systemId = config.router.systemId,
                                certificates = deployment_.certificates()] {
        nio::onDispatcher.assertCurrent();
        administration_.useCertificates(certificates);
        administration_.useAlarmsNow(alarms, systemId);
    });
}

}  // namespace router
