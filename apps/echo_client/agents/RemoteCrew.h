// The workers of all agents that a plan names: each agent has an equal share of the connections.
//
// begin() blocks until every agent is prepared; SIGINT and SIGTERM (blocked by the caller) end that
// early, with an exception. end() blocks until the agents are free for another run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "echo_client/agents/RemoteWorker.h"
#include "echo_client/load/LoadCrew.h"
#include "echo_client/load/LoadPlan.h"

namespace load {

class RemoteCrew final : public LoadCrew {
  public:
    explicit RemoteCrew(const LoadPlan& plan);
    ~RemoteCrew() override;

    void begin(LoadWorkerListener& listener) override;
    void end() override;
    std::size_t size() const override { return workers_.size(); }
    LoadWorker& operator[](std::size_t index) override { return *workers_[index]; }
    nio::Clock::duration notice() const override { return notice_; }

  private:
    using Opened = nio::Result<AgentLink::Opened>;

    std::vector<Opened> openLinks();
    void heedSignals() NIO_REQUIRES(nio::onDispatcher);
    void ignoreSignals() NIO_REQUIRES(nio::onDispatcher);
    void takeIn(std::size_t agent, const AgentLink::Opened& opened, LoadWorkerListener& listener);

    const LoadPlan& plan_;
    nio::SelectorThread thread_;  // of all links
    std::shared_ptr<nio::Resolver> resolver_;
    std::vector<std::shared_ptr<AgentLink>> links_;
    std::vector<std::unique_ptr<RemoteWorker>> workers_;
    nio::Clock::duration notice_;
    nio::ChannelHandle signals_;
    bool interrupted_ = false;
    bool over_ = false;
};

// Absent if agents can be told `options`; else a sentence.
std::optional<std::string> isTooLongForAgents(const LoadOptions& options);

// The crew of one run: a RemoteCrew if the plan names agents, else a LocalCrew. Lifetime: the plan
// lives longer.
std::unique_ptr<LoadCrew> makeCrew(const LoadPlan& plan);

}  // namespace load
