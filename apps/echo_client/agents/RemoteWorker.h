// One dispatcher of an agent.
#pragma once

#include "echo_client/agents/AgentLink.h"
#include "echo_client/load/LoadWorker.h"

namespace load {

class RemoteWorker final : public LoadWorker {
  public:
    // `index` is its number at the agent.
    RemoteWorker(AgentLink& link, std::size_t index, std::string name, std::string selector)
        : link_(link), index_(index), name_(std::move(name)), selector_(std::move(selector)) {}

    void connect() override { link_.order(wire::Order::What::connect, index_); }
    void send(const LoadSchedule& schedule) override { link_.send(index_, schedule); }
    void report() override { link_.order(wire::Order::What::report, index_); }
    void stop() override { link_.order(wire::Order::What::stop, index_); }
    void giveUp() override { link_.order(wire::Order::What::giveUp, index_); }
    std::string name() const override { return name_; }
    std::string selector() const override { return selector_; }

  private:
    AgentLink& link_;
    const std::size_t index_;
    const std::string name_;
    const std::string selector_;
};

}  // namespace load
