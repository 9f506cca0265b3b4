// One run at an agent: a share of a load, and its workers.
//
// Thread: one at a time: a dispatcher without sockets, since preparing looks names up and ending
// waits for threads. What the workers say is posted to the dispatcher of the listener.
// Lifetime: ends its load when it goes. The listener's dispatcher lives longer; the listener need
// not.
#pragma once

#include <memory>
#include <string>

#include "echo_client/agents/AgentMessages.h"
#include "echo_client/agents/AgentOptions.h"
#include "echo_client/load/LocalCrew.h"

namespace load {

class AgentRun final : private LoadWorkerListener {
  public:
    AgentRun(nio::SelectorThread& thread, std::weak_ptr<LoadWorkerListener> listener);
    AgentRun(const AgentRun&) = delete;
    AgentRun& operator=(const AgentRun&) = delete;
    ~AgentRun() override;

    // Once, first. The workers have their threads then, and do nothing yet.
    // Errors: context() is a sentence.
    nio::Result<wire::Ready> prepare(const wire::Prepare& wish, const AgentOptions& agent);
    // "50 connections (share 1 of 2) to 127.0.0.1:7007". Once prepared.
    std::string toString() const;

    // To one of the workers that prepare() has named.
    void obey(const wire::Order& order);
    void send(const wire::Send& send) { (*crew_)[send.worker].send(send.schedule); }

  private:
    void begin(const wire::Prepare& wish, const LoadOptions& options);
    wire::Ready ready();

    // On the workers' threads.
    void workerConnected(std::size_t worker, std::size_t made) override;
    void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) override;
    void workerFinished(std::size_t worker) override;
    template <class F>
    void tell(F what);

    nio::SelectorThread& thread_;
    const std::weak_ptr<LoadWorkerListener> listener_;
    std::string share_;
    std::unique_ptr<LoadPlan> plan_;
    std::unique_ptr<LocalCrew> crew_;
};

}  // namespace load
