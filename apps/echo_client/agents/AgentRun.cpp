#include "echo_client/agents/AgentRun.h"

#include <algorithm>

#include "echo_client/load/ServerAddress.h"
#include "echo_client/options/LoadOptionsParser.h"
#include "echo_client/plan/Share.h"

namespace load {

namespace {

nio::Error refuse(const std::string& why) {
    return {std::errc::invalid_argument, why};
}

std::size_t threadsOf(const LoadOptions& options, const AgentOptions& agent) {
    if (agent.threads == 0 || options.threads == 0) return agent.threads + options.threads;
    return std::min(agent.threads, options.threads);
}

nio::Result<LoadOptions> optionsOf(const wire::Prepare& wish, const AgentOptions& agent) {
    auto options = readLoadOptions(wish.arguments);
    if (!options) return options;
    if (const auto option = notForAgents(options.value())) {
        return refuse(*option + " is not supported with agents");
    }
    options.value().threads = threadsOf(options.value(), agent);
    LoadOptions share = options.value();
    share.connections = Share{0, wish.crews}.of(share.connections);  // the largest
    if (const auto lack = lacksDescriptors(share)) return refuse(*lack);
    return options;
}

}  // namespace

AgentRun::AgentRun(nio::SelectorThread& thread, std::weak_ptr<LoadWorkerListener> listener)
    : thread_(thread), listener_(std::move(listener)) {}

AgentRun::~AgentRun() = default;

nio::Result<wire::Ready> AgentRun::prepare(const wire::Prepare& wish,
                                           const AgentOptions& agent) try {
    const auto options = optionsOf(wish, agent);
    if (!options) return options.error();
    const auto server = findServer(options.value().endpoint);
    if (!server) return refuse(server.error().message());
    plan_ = std::make_unique<LoadPlan>(options.value(), server.value());
    begin(wish, options.value());
    return ready();
} catch (const std::exception& error) {
    return refuse(error.what());
}

void AgentRun::begin(const wire::Prepare& wish, const LoadOptions& options) {
    share_ = std::to_string(options.connections) + " connections (share " +
             std::to_string(wish.crew + 1) + " of " + std::to_string(wish.crews) + ")";
    crew_ = std::make_unique<LocalCrew>(*plan_, wish.crew, wish.crews);
    LoadWorkerListener& listener = *this;
    crew_->begin(listener);
}

wire::Ready AgentRun::ready() {
    wire::Ready ready;
    for (std::size_t i = 0; i < crew_->size(); ++i) ready.workers.push_back((*crew_)[i].name());
    ready.selector = (*crew_)[0].selector();
    return ready;
}

std::string AgentRun::toString() const {
    return share_ + " to " + plan_->server().toString();
}

void AgentRun::obey(const wire::Order& order) {
    LoadWorker& worker = (*crew_)[order.worker];
    switch (order.what) {
        case wire::Order::What::connect: return worker.connect();
        case wire::Order::What::report: return worker.report();
        case wire::Order::What::stop: return worker.stop();
        case wire::Order::What::giveUp: return worker.giveUp();
    }
}

// --- from the workers -----------------------------------------------------------------------

// Refused only by a dispatcher that has stopped, when nobody cares any more.
template <class F>
void AgentRun::tell(F what) {
    (void)thread_.invokeLater([listener = listener_, what = std::move(what)]() mutable {
        nio::onDispatcher.assertCurrent();
        if (const auto still = listener.lock()) what(*still);
    });
}

void AgentRun::workerConnected(std::size_t worker, std::size_t made) {
    tell([worker, made](LoadWorkerListener& to) { to.workerConnected(worker, made); });
}

void AgentRun::workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) {
    tell([worker, figures = std::move(figures)](LoadWorkerListener& to) mutable {
        to.workerReported(worker, std::move(figures));
    });
}

void AgentRun::workerFinished(std::size_t worker) {
    tell([worker](LoadWorkerListener& to) { to.workerFinished(worker); });
}

}  // namespace load
