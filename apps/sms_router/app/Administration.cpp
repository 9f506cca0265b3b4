#include "sms_router/app/Administration.h"

#include <algorithm>

#include <nio/base/Log.h>

#include "common/ServerOptions.h"
#include "sms_router/app/AskDispatchers.h"
#include "sms_router/app/Inspection.h"
#include "sms_router/egress/SmscConnector.h"
#include "sms_router/routing/Explain.h"
#include "sms_router/store/Store.h"

namespace router {

Administration::Administration(const Surroundings& around, const RouterConfig& config,
                               std::shared_ptr<const nio::MemoryBudget> budget)
    : around_(around),
      budget_(std::move(budget)),
      tokens_(config.router.loginDelay),
      alarms_(around.control, std::make_shared<nio::Resolver>(), config,  // SMSCs wait for no hook
              [this] {
                  const auto noted = [this](const std::shared_ptr<Snapshot>& snapshot) {
                      nio::onDispatcher.assertCurrent();
                      alarms_.notedNow(*snapshot);
                  };
                  gatherSnapshot(false, noted);
              }) {}

void Administration::open(const AdminConfig& config, ListeningSockets& sockets) {
    if (!config.enabled) return;
    const nio::SocketAddress address =
        nio::SocketAddress::numeric(config.host, config.port).orThrow();
    AdminOptions options;
    options.token = config.token;
    // Like a listener's.
    const auto fail = [&](const nio::Error& why) {
        throw std::runtime_error("admin (" + address.toString() + "): " + why.message());
    };
    auto channel = sockets.listen(config.host, config.port, apps::usualKeepAlive);
    if (!channel) return fail(channel.error());
    auto opened = AdminServer::open(std::move(channel).value(), options, around_.control, calls());
    if (!opened) return fail(opened.error());
    server_ = std::move(opened).value();
}

std::optional<nio::SocketAddress> Administration::address() const {
    if (!server_) return std::nullopt;
    return server_->address();
}

bool Administration::start(nio::CallbackErrorHandler broken) {
    return !server_ || server_->start(std::move(broken));
}

AdminCalls Administration::calls() {
    using Its = Administration;
    return {
        .health = std::bind_front(&Its::health, this),
        .snapshot = [this](auto answer) { gatherSnapshot(true, std::move(answer)); },
        .reload =
            [this](auto answer) { around_.reloader.reload(around_.control, std::move(answer)); },
        .switchConnector = std::bind_front(&Its::switchConnector, this),
        .explain = std::bind_front(&Its::explain, this),
        .loginDelay =
            [this](const auto& peer) { return tokens_.takeTurn(peer, nio::Clock::now()); },
        .tokenRefused = std::bind_front(&Its::tokenRefused, this),
    };
}

std::vector<nio::DispatcherMetrics> Administration::dispatcherMetrics() const {
    std::vector<nio::DispatcherMetrics> metrics{around_.control.metrics(), around_.files.metrics()};
    for (std::size_t i = 0; i < around_.group.size(); ++i)
        metrics.push_back(around_.group[i].metrics());
    return metrics;
}

std::vector<nio::SelectorThread*> Administration::smppThreads() {
    std::vector<nio::SelectorThread*> threads;
    for (std::size_t i = 0; i < around_.group.size(); ++i) threads.push_back(&around_.group[i]);
    return threads;
}

void Administration::health(Answer<Health> answer) {
    enum class Is { silent, there };
    auto done = [this, answer = std::move(answer)](const std::vector<Is>& each,
                                                   const Silent&) mutable {
        Health health;
        const auto silent = std::find(each.begin(), each.end(), Is::silent);
        const auto index = static_cast<std::size_t>(silent - each.begin());
        if (silent != each.end()) health.silent = around_.group[index].name();
        health.draining = around_.draining;
        health.storeAlarm = around_.store.figures().lastFailed.load();
        answer(std::move(health));
    };
    askDispatchers<Is>(
        smppThreads(), around_.control, answersWithin, [](std::size_t) { return Is::there; },
        std::move(done));
}

void Administration::gatherSnapshot(bool all, Answer<std::shared_ptr<Snapshot>> take) {
    const auto question = [this, all](std::size_t index) {
        nio::onDispatcher.assertCurrent();
        ShardReport report = reportOf(around_.shards[index], all);
        report.webhooks = around_.http.webhooksNow(index);
        return report;
    };
    auto done = [this, take = std::move(take)](std::vector<ShardReport> reports,
                                               const Silent&) mutable {
        nio::onDispatcher.assertCurrent();
        std::vector<std::string> silent;
        for (std::size_t i = 0; i < reports.size(); ++i) {
            if (reports[i].topology == nullptr) silent.push_back(around_.group[i].name());
        }
        auto made = snapshotOf(std::move(reports));
        made->silent = std::move(silent);
        made->alarms = alarms_.judgeNow(*made);
        take(std::move(made));
    };
    askDispatchers<ShardReport>(smppThreads(), around_.control, answersWithin, question,
                                std::move(done));
}

std::shared_ptr<Snapshot> Administration::snapshotOf(std::vector<ShardReport> reports) const {
    const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - started_);
    auto made = makeSnapshot(std::move(reports), around_.store, around_.draining, uptime);
    made->logins.passwordsHashed = around_.passwords.hashed();
    made->logins.passwordsRefused = around_.passwords.refused();
    made->logins.refusedTokens = refusedTokens_.load(std::memory_order_relaxed);
    made->httpConnections = around_.http.connections();
    made->certificates = certificates_;
    made->noticesLost = alarms_.lost();
    made->records.alarm = around_.records.isFailing();
    made->records.dropped = around_.records.dropped();
    made->records.failed = around_.records.failed();
    made->dispatchers = dispatcherMetrics();
    made->budget = budget_;
    return made;
}

template <class T>
void Administration::ask(nio::SelectorThread& one, std::function<T()> question,
                         Answer<nio::Result<T>> answer) const {
    auto done = [&one, answer = std::move(answer)](std::vector<T> said,
                                                   const Silent& silent) mutable {
        if (!silent.empty()) return answer(nio::Error(std::errc::timed_out, one.name()));
        answer(T(std::move(said.front())));
    };
    const auto put = [question = std::move(question)](std::size_t) { return question(); };
    askDispatchers<T>({&one}, around_.control, answersWithin, put, std::move(done));
}

SmscConnector* Administration::connectorNow(const std::string& name) const {
    const Topology& topology = around_.shards[0].topology();
    const auto found = topology.config->connectorByName.find(name);
    if (found == topology.config->connectorByName.end()) return nullptr;
    return static_cast<SmscConnector*>(topology.connectors[found->second]);
}

void Administration::switchConnector(const std::string& name, bool on,
                                     Answer<nio::Result<bool>> answer) {
    const auto find = [this, name] {
        nio::onDispatcher.assertCurrent();
        return connectorNow(name);
    };
    auto found = [this, name, on,
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
        ask<bool>(connector.value()->dispatcher(), turn, std::move(answer));
    };
    ask<SmscConnector*>(around_.group[0], find, std::move(found));
}

void Administration::tokenRefused(const nio::SocketAddress& peer) {
    refusedTokens_.fetch_add(1, std::memory_order_relaxed);
    const auto unsaid = tokens_.refused(peer, nio::Clock::now(), LoginThrottle::Why::guess);
    if (!unsaid) return;
    nio::log(nio::LogLevel::warning,
             "admin: wrong token from " + peer.toString() + " refused" + unsaidText(*unsaid));
}

void Administration::explain(const ExplainRequest& request, Answer<nio::Result<Lines>> answer) {
    const auto question = [this, request] {
        nio::onDispatcher.assertCurrent();
        return router::explain(around_.shards[0].routing(), request);
    };
    ask<Lines>(around_.group[0], question, std::move(answer));
}

}  // namespace router
