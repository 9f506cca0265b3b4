#include "sms_router/core/RouterCore.h"

#include <algorithm>
#include <csignal>

#include <nio/base/Log.h>
#include <nio/net/SignalHandler.h>

#include "common/HeapTrimmer.h"
#include "common/ServerOptions.h"
#include "sms_router/core/AskDispatchers.h"
#include "sms_router/core/SnapshotMaker.h"
#include "sms_router/routing/Explain.h"
#include "sms_router/store/Store.h"

namespace router {

namespace {

constexpr std::chrono::seconds settleWithin{2};
constexpr std::chrono::milliseconds settleEvery{5};
constexpr std::uint64_t deliveriesAtOnce = 1ull << 36;
// Connector numbers of this size are those of shards, whose ids belong to no connector.
constexpr std::uint32_t lastNumber = 4095;

nio::SelectorThreadGroupOptions groupOptions(const RouterConfig& config,
                                             nio::SelectorThreadOptions thread,
                                             std::shared_ptr<nio::MemoryBudget> budget) {
    nio::SelectorThreadGroupOptions options;
    options.threads = config.threads;
    options.thread = std::move(thread);
    options.thread.memoryBudget = std::move(budget);
    options.thread.selector.kind = config.selector;
    options.thread.moderation = config.moderation;
    return options;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
    return all;
}

}  // namespace

RouterCore::RouterCore(ConfigSource source, const SharedConfig& config)
    : initial_(config),
      control_(named("control")),
      store_(config->store, watcher()),
      records_(config->records, watcher()),
      budget_(apps::makeMemoryBudget(config->memoryBudget)),
      group_(groupOptions(*config, named("smpp"), budget_)),
      directory_(shards_, store_, board_),
      passwords_(PasswordDesk::Limits(), watcher()),
      deployment_((makeShards(config), directory_), group_, shards_),
      drainer_(control_, shards_),
      reloader_(std::move(source), config, {deployment_, group_, files_, draining_},
                [this](const RouterConfig& next) { takesEffect(next); }),
      alarms_(control_, std::make_shared<nio::Resolver>(), *config,  // SMSCs wait for no webhook
              [this] {
                  const auto noted = [this](const std::shared_ptr<Snapshot>& snapshot) {
                      nio::onDispatcher.assertCurrent();
                      alarms_.notedNow(*snapshot);
                  };
                  gatherSnapshot(false, control_, noted);
              }),
      files_(named("files")) {
    deliveries_ = store_.reserveNumbers("delivery", deliveriesAtOnce);
    const auto refused = [startupError = startupError_](std::string name, const nio::Error& why) {
        startupError->put(std::move(name), why.code());
    };
    const std::vector<std::string> mistakes = deployment_.apply(config, refused);
    if (!mistakes.empty()) throw std::runtime_error(joined(mistakes));
    for (const auto& listener : deployment_.listeners()) addresses_.push_back(listener->address());
    certificates_ = deployment_.certificates();
    openAdmin(config->admin);
    openSignals();
}

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
                                 static_cast<std::uint64_t>(wallSeconds()));
        shards_.add(std::make_unique<Shard>(group_[i], services, empty, ids));
    }
}

void RouterCore::openAdmin(const AdminConfig& config) {
    if (!config.enabled) return;
    const nio::SocketAddress address =
        nio::SocketAddress::numeric(config.host, config.port).orThrow();
    AdminOptions options;
    options.token = config.token;
    AdminBackend& backend = *this;
    auto opened = AdminServer::open(address, options, control_, backend);
    // As a listener's.
    if (!opened) {
        throw std::runtime_error("admin (" + address.toString() + "): " + opened.error().message());
    }
    admin_ = std::move(opened).value();
}

void RouterCore::openSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM, SIGHUP, SIGUSR1}, [this](int number) {
                       nio::onDispatcher.assertCurrent();
                       signalled(number);
                   }).orThrow();
    if (!control_.registerChannelLater(std::move(signals), nio::Interest::read,
                                       breaksBy("signals"))) {
        nio::Error(std::errc::not_enough_memory, "signals").raise();
    }
}

std::optional<nio::SocketAddress> RouterCore::adminAddress() const {
    if (!admin_) return std::nullopt;
    return admin_->address();
}

// --- its life -------------------------------------------------------------------------------

DrainSummary RouterCore::run(std::function<void()> ready, const Drained& drained) {
    files_.start();
    group_.start();
    if (admin_ && !admin_->start(breaksBy("admin"))) giveUp("admin");
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
    if (drained) drained(summary_);
    files_.requestClose();
    files_.join();
    // The others are not to wait for one that hangs.
    const bool oneHangs = summary_.oneHangs;
    group_.requestClose(oneHangs ? nio::DrainOptions::atOnce()
                                 : nio::DrainOptions{std::chrono::milliseconds(200)});
    group_.join();
    store_.close();
    if (startupError_->isThere())
        nio::log(nio::LogLevel::warning, "stopped: " + summary_.toString());
    startupError_->raise();
    return summary_;
}

void RouterCore::begin(std::function<void()> ready) {
    if (startupError_->isThere()) return control_.requestClose(nio::DrainOptions::atOnce());
    alarms_.startNow();
    settledBy_ = nio::Clock::after(settleWithin);
    awaitSettled(std::move(ready));
}

// Needs no memory. Thread: any.
void RouterCore::giveUp(const char* what) {
    startupError_->put(what, nio::make_error_code(nio::Errc::stopped));
    control_.requestClose(nio::DrainOptions::atOnce());
}

void RouterCore::awaitSettled(std::function<void()> ready) {
    if (directory_.isSettled(initial_->connectors.size()) || nio::Clock::now() >= settledBy_)
        return ready();
    settling_.emplace(control_.deadlines(), [this, ready] {
        nio::onDispatcher.assertCurrent();
        awaitSettled(ready);
    });
    settling_->wakeAfter(settleEvery);
}

void RouterCore::signalled(int number) {
    if (number == SIGUSR1) return records_.reopen();
    if (number != SIGHUP) return stopNow();
    reload(control_, [](const Reloaded&) {});
}

void RouterCore::requestStop() {
    (void)control_.invokeLater([this] {
        nio::onDispatcher.assertCurrent();
        stopNow();
    });
}

void RouterCore::stopNow() {
    if (drainer_.hasBegun()) return drainer_.endNow();
    draining_ = true;
    alarms_.endNow();
    (void)files_.invokeLater([this] { deployment_.closeListeners(); });
    drainer_.beginNow(drainTimeout_, [this](const DrainSummary& summary) {
        summary_ = summary;
        control_.requestClose({std::chrono::milliseconds(200)});
    });
}

// Without one of its dispatchers it is no router any more.
nio::SelectorThreadOptions RouterCore::named(const char* name) {
    nio::SelectorThreadOptions options;
    options.name = name;
    options.stallLimit = initial_->stallLimit;
    options.flightRecords = initial_->flightRecords;
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

// --- what the administrator asks ------------------------------------------------------------

std::vector<nio::DispatcherMetrics> RouterCore::dispatcherMetrics() const {
    std::vector<nio::DispatcherMetrics> metrics{control_.metrics(), files_.metrics()};
    for (std::size_t i = 0; i < group_.size(); ++i) metrics.push_back(group_[i].metrics());
    return metrics;
}

std::vector<nio::SelectorThread*> RouterCore::smppThreads() {
    std::vector<nio::SelectorThread*> threads;
    for (std::size_t i = 0; i < group_.size(); ++i) threads.push_back(&group_[i]);
    return threads;
}

void RouterCore::health(nio::SelectorThread& asker,
                        nio::UniqueFunction<void(Health health)> answer) {
    enum class Is { silent, there };
    auto done = [this, answer = std::move(answer)](const std::vector<Is>& each,
                                                   const Silent&) mutable {
        Health health;
        const auto silent = std::find(each.begin(), each.end(), Is::silent);
        const auto index = static_cast<std::size_t>(silent - each.begin());
        if (silent != each.end()) health.silent = group_[index].name();
        health.draining = draining_;
        health.storeAlarm = store_.figures().lastFailed.load();
        answer(std::move(health));
    };
    askDispatchers<Is>(
        smppThreads(), asker, answersWithin, [](std::size_t) { return Is::there; },
        std::move(done));
}

void RouterCore::snapshot(nio::SelectorThread& asker,
                          nio::UniqueFunction<void(std::shared_ptr<const Snapshot>)> answer) {
    gatherSnapshot(true, asker, std::move(answer));
}

// The asker is "control": alarms are its.
void RouterCore::gatherSnapshot(bool all, nio::SelectorThread& asker, TakesSnapshot take) {
    const auto question = [this, all](std::size_t index) {
        nio::onDispatcher.assertCurrent();
        return reportOf(shards_[index], all);
    };
    auto done = [this, take = std::move(take)](std::vector<ShardReport> reports,
                                               const Silent&) mutable {
        nio::onDispatcher.assertCurrent();
        std::vector<std::string> silent;
        for (std::size_t i = 0; i < reports.size(); ++i) {
            if (reports[i].topology == nullptr) silent.push_back(group_[i].name());
        }
        auto made = snapshotOf(std::move(reports));
        made->silent = std::move(silent);
        made->alarms = alarms_.judgeNow(*made);
        take(std::move(made));
    };
    askDispatchers<ShardReport>(smppThreads(), asker, answersWithin, question, std::move(done));
}

std::shared_ptr<Snapshot> RouterCore::snapshotOf(std::vector<ShardReport> reports) const {
    const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - started_);
    auto made = makeSnapshot(std::move(reports), store_, draining_, uptime);
    made->passwordsHashed = passwords_.hashed();
    made->passwordsRefused = passwords_.refused();
    made->refusedTokens = refusedTokens_.load(std::memory_order_relaxed);
    made->certificates = certificates_;
    made->noticesLost = alarms_.lost();
    made->recordsAlarm = records_.isFailing();
    made->recordsDropped = records_.dropped();
    made->recordsFailed = records_.failed();
    made->dispatchers = dispatcherMetrics();
    made->budget = budget_;
    return made;
}

void RouterCore::reload(nio::SelectorThread& asker,
                        nio::UniqueFunction<void(Reloaded reloaded)> answer) {
    reloader_.reload(asker, std::move(answer));
}

void RouterCore::takesEffect(const RouterConfig& config) {
    drainTimeout_ = config.drainTimeout;
    exitTimeout_ = config.exitTimeout;
    logins_.setDelay(config.loginDelay);
    tokens_.setDelay(config.loginDelay);
    records_.maskAddresses(config.records.maskAddresses);
    (void)control_.invokeLater([this, alarms = config.alarms, systemId = config.systemId,
                                certificates = deployment_.certificates()] {
        nio::onDispatcher.assertCurrent();
        certificates_ = certificates;
        alarms_.useNow(alarms, systemId);
    });
}

template <class T>
void RouterCore::ask(nio::SelectorThread& one, nio::SelectorThread& asker,
                     std::function<T()> question,
                     nio::UniqueFunction<void(nio::Result<T>)> answer) const {
    auto done = [&one, answer = std::move(answer)](std::vector<T> said,
                                                   const Silent& silent) mutable {
        if (!silent.empty()) return answer(nio::Error(std::errc::timed_out, one.name()));
        answer(T(std::move(said.front())));
    };
    const auto put = [question = std::move(question)](std::size_t) { return question(); };
    askDispatchers<T>({&one}, asker, answersWithin, put, std::move(done));
}

SmscConnector* RouterCore::connectorNow(const std::string& name) const {
    const Topology& topology = shards_[0].topology();
    const auto found = topology.config->connectorByName.find(name);
    if (found == topology.config->connectorByName.end()) return nullptr;
    return static_cast<SmscConnector*>(topology.connectors[found->second]);
}

void RouterCore::switchConnector(const std::string& name, bool on, nio::SelectorThread& asker,
                                 nio::UniqueFunction<void(nio::Result<bool> known)> answer) {
    const auto find = [this, name] {
        nio::onDispatcher.assertCurrent();
        return connectorNow(name);
    };
    auto found = [this, name, on, &asker,
                  answer = std::move(answer)](nio::Result<SmscConnector*> connector) mutable {
        if (!connector) return answer(connector.error());
        if (connector.value() == nullptr) return answer(false);
        const auto turn = [on, name, &its = *connector.value()] {
            nio::onDispatcher.assertCurrent();
            its.switchNow(on);
            nio::log(nio::LogLevel::info, "connector '" + name + "' is " +
                                              (on ? "started" : "stopped") +
                                              " by the administrator");
            return true;
        };
        ask<bool>(connector.value()->dispatcher(), asker, turn, std::move(answer));
    };
    ask<SmscConnector*>(group_[0], asker, find, std::move(found));
}

std::optional<std::chrono::milliseconds> RouterCore::loginDelay(const nio::SocketAddress& peer) {
    return tokens_.takeTurn(peer, nio::Clock::now());
}

void RouterCore::tokenRefused(const nio::SocketAddress& peer) {
    refusedTokens_.fetch_add(1, std::memory_order_relaxed);
    const auto unsaid = tokens_.refused(peer, nio::Clock::now(), LoginThrottle::Why::guess);
    if (!unsaid) return;
    nio::log(nio::LogLevel::warning,
             "admin: wrong token from " + peer.toString() + " refused" + unsaidText(*unsaid));
}

void RouterCore::explain(const ExplainRequest& request, nio::SelectorThread& asker,
                         nio::UniqueFunction<void(nio::Result<Lines> lines)> answer) {
    const auto question = [this, request] {
        nio::onDispatcher.assertCurrent();
        return router::explain(shards_[0].routing(), request);
    };
    ask<Lines>(group_[0], asker, question, std::move(answer));
}

}  // namespace router
