#include "echo_client/agents/RemoteCrew.h"

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include <nio/net/SignalHandler.h>

#include "echo_client/load/LocalCrew.h"
#include "echo_client/options/LoadOptionsParser.h"

namespace load {

using std::chrono::milliseconds;

namespace {

// For a dispatcher at the agent, and ours, to be late.
constexpr milliseconds leastNotice{100};
constexpr int tripsOfNotice = 4;

nio::SelectorThreadOptions threadOptions() {
    nio::SelectorThreadOptions options;
    options.name = "agents";
    return options;
}

AgentLink::Wish wishOf(const LoadOptions& options, std::size_t agent) {
    wire::Prepare prepare{loadArguments(options), agent, options.agents.size()};
    return {options.agents[agent], options.token, std::move(prepare)};
}

}  // namespace

std::optional<std::string> isTooLongForAgents(const LoadOptions& options) {
    if (options.agents.empty() || !options.dialogue) return std::nullopt;
    const wire::Prepare longest = wishOf(options, options.agents.size() - 1).prepare;
    if (wire::write(longest).size() <= wire::largestMessage) return std::nullopt;
    return "--send and --expect, as --agents are told them, have more than " +
           std::to_string(wire::largestMessage) + " bytes";
}

RemoteCrew::RemoteCrew(const LoadPlan& plan)
    : plan_(plan),
      thread_(threadOptions()),
      resolver_(std::make_shared<nio::Resolver>()),
      notice_(leastNotice) {}

RemoteCrew::~RemoteCrew() {
    end();
}

void RemoteCrew::begin(LoadWorkerListener& listener) {
    const std::vector<Opened> opened = openLinks();
    if (interrupted_) throw Interrupted();
    for (const Opened& each : opened) {
        if (!each) throw std::runtime_error(each.error().context());
    }
    for (std::size_t i = 0; i < opened.size(); ++i) takeIn(i, opened[i].value(), listener);
}

std::vector<RemoteCrew::Opened> RemoteCrew::openLinks() {
    const LoadOptions& options = plan_.options();
    std::vector<std::future<Opened>> opening;
    for (std::size_t i = 0; i < options.agents.size(); ++i) {
        links_.push_back(std::make_shared<AgentLink>(thread_, wishOf(options, i), resolver_));
        opening.push_back(links_.back()->open());
    }
    thread_.start();
    (void)thread_.invokeAndWait([this] {
        nio::onDispatcher.assertCurrent();
        heedSignals();
    });
    std::vector<Opened> opened;
    for (auto& each : opening) opened.push_back(each.get());
    (void)thread_.invokeAndWait([this] {
        nio::onDispatcher.assertCurrent();
        ignoreSignals();
    });
    return opened;
}

void RemoteCrew::takeIn(std::size_t agent, const AgentLink::Opened& opened,
                        LoadWorkerListener& listener) {
    AgentLink& link = *links_[agent];
    link.listen(listener, workers_.size());
    const std::string name = plan_.options().agents[agent].toString() + " ";
    for (std::size_t i = 0; i < opened.ready.workers.size(); ++i) {
        workers_.push_back(std::make_unique<RemoteWorker>(link, i, name + opened.ready.workers[i],
                                                          opened.ready.selector));
    }
    notice_ = std::max(notice_, leastNotice + tripsOfNotice * opened.roundTrip);
}

// Once the load has begun, LoadGenerator handles the signals.
void RemoteCrew::heedSignals() {
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [this](int) {
        interrupted_ = true;
        for (const auto& link : links_) link->giveUpOpening("interrupted");
    });
    const auto handle =
        thread_.registerChannelNow(std::move(signals).orThrow(), nio::Interest::read);
    if (handle) signals_ = handle.value();
}

void RemoteCrew::ignoreSignals() {
    if (auto* handler = thread_.findNow(signals_)) handler->channel().close();
}

void RemoteCrew::end() {
    if (std::exchange(over_, true)) return;
    std::vector<std::future<void>> closing;
    for (const auto& link : links_) closing.push_back(link->close());
    for (auto& each : closing) each.wait();
    thread_.requestClose(nio::DrainOptions::atOnce());
    thread_.join();
}

std::unique_ptr<LoadCrew> makeCrew(const LoadPlan& plan) {
    if (plan.options().agents.empty()) return std::make_unique<LocalCrew>(plan);
    return std::make_unique<RemoteCrew>(plan);
}

}  // namespace load
