// A connection at an agent: somebody who must first say a right hello, and is a coordinator then,
// the only one at a time. It may have one run, which ends with the connection.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of its channel, but for short moments of the same turn.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include <nio/loop/SelectorThread.h>
#include <nio/sys/LogLimiter.h>

#include "common/Places.h"
#include "echo_client/agents/AgentConnection.h"
#include "echo_client/agents/AgentRun.h"

namespace load {

class AgentSession;

// What the sessions of an agent share. Lives longer than they do.
struct AgentDesk {
    static constexpr std::size_t mostConnections = 64;

    const AgentOptions options;
    std::ostream& log;
    nio::SelectorThread& runner;  // of the runs
    // The one that has the agent.
    AgentSession* holder NIO_GUARDED_BY(nio::onDispatcher) = nullptr;
    const std::shared_ptr<nio::ConnectionGate> gate =
        std::make_shared<nio::ConnectionGate>(mostConnections);
    // Offered until the hello.
    const std::shared_ptr<apps::Places> places =
        std::make_shared<apps::Places>("echo-client agent", gate);
    nio::LogLimiter complaints NIO_GUARDED_BY(nio::onDispatcher){};
};

class AgentSession final : public LoadWorkerListener,
                           public std::enable_shared_from_this<AgentSession> {
  public:
    using Connection = AgentConnection<AgentSession>;

    // The framing is that of the connection.
    AgentSession(AgentDesk& desk, AgentFraming framing)
        : desk_(desk), framing_(std::move(framing)) {}
    ~AgentSession() override;

    // Of the connection.
    void opened(Connection& connection) NIO_REQUIRES(nio::onDispatcher);
    void packetArrived(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    void peerFinished(Connection& connection) NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::optional<nio::Error>& reason) NIO_REQUIRES(nio::onDispatcher);

    // Of the run, here.
    void workerConnected(std::size_t worker, std::size_t made) override
        NIO_REQUIRES(nio::onDispatcher);
    void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) override
        NIO_REQUIRES(nio::onDispatcher);
    void workerFinished(std::size_t worker) override NIO_REQUIRES(nio::onDispatcher);

  private:
    void greet(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    void serve(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    void obey(const wire::Hello& hello) NIO_REQUIRES(nio::onDispatcher);
    void obey(const wire::Ping& ping) NIO_REQUIRES(nio::onDispatcher);
    void obey(const wire::Prepare& wish) NIO_REQUIRES(nio::onDispatcher);
    void obey(const wire::Order& order) NIO_REQUIRES(nio::onDispatcher);
    void obey(const wire::Send& send) NIO_REQUIRES(nio::onDispatcher);
    void prepared(const nio::Result<wire::Ready>& ready, const std::string& what)
        NIO_REQUIRES(nio::onDispatcher);
    bool isWorker(std::size_t worker) const { return worker < asked_.size(); }

    void say(const std::string& message) NIO_REQUIRES(nio::onDispatcher);
    // Says why, and that is the end.
    void refuse(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    void refuseLater() NIO_REQUIRES(nio::onDispatcher);
    void end(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    void complain(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    // The agent is free for the next one.
    void leave() NIO_REQUIRES(nio::onDispatcher);

    AgentDesk& desk_;
    AgentFraming framing_;
    Connection* connection_ = nullptr;  // while it is open
    std::string peer_;
    nio::ConnectionPermit permit_;
    apps::Places::Place place_;
    std::optional<nio::Deadline> patience_;  // until hello, or until a wrong one is refused
    bool isWrong_ = false;
    bool welcome_ = false;
    std::shared_ptr<AgentRun> run_;
    std::vector<bool> asked_;  // for each worker, once prepared: to connect
};

}  // namespace load
