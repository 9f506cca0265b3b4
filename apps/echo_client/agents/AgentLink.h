// One agent as its coordinator sees it: the connection with it, its clock, and its workers.
//
// It goes through connecting, greeting (hello, and pings that tell how far the clocks are apart),
// preparing and ready. A coordinator that cannot get that far hears why from open(); afterwards an
// agent that is lost has finished, with one error that says so.
//
// Thread: any, all public calls: they are posted.
// Lifetime: longer than its dispatcher makes turns; close() first is the orderly way.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include <nio/net/Connector.h>

#include "common/Endpoint.h"
#include "echo_client/agents/AgentConnection.h"
#include "echo_client/agents/AgentMessages.h"
#include "echo_client/agents/ClockOffset.h"

namespace load {

class AgentLink final : private nio::ConnectorListener,
                        public std::enable_shared_from_this<AgentLink> {
  public:
    struct Wish {
        apps::Endpoint agent;
        std::string token;
        wire::Prepare prepare;
    };
    struct Opened {
        wire::Ready ready;
        nio::Clock::duration roundTrip;
    };

    AgentLink(nio::SelectorThread& thread, Wish wish, std::shared_ptr<nio::Resolver> resolver);
    AgentLink(const AgentLink&) = delete;
    AgentLink& operator=(const AgentLink&) = delete;
    ~AgentLink() override;

    // Once. Errors: context() is a sentence that names the agent.
    std::future<nio::Result<Opened>> open();
    // What open() promises comes to nothing, for this reason.
    void giveUpOpening(const std::string& reason);
    // Once, when open: its workers are first, first + 1, … to the listener, which is told on the
    // link's dispatcher.
    void listen(LoadWorkerListener& listener, std::size_t first);
    // To one of its own workers.
    void order(wire::Order::What what, std::size_t worker);
    // The schedule is in our time.
    void send(std::size_t worker, const LoadSchedule& schedule);
    // Ends the run at the agent; the agent is free for the next one when the promise is kept.
    // Nobody is told anything from now on.
    std::future<void> close();

  private:
    friend struct AgentApplication<AgentLink>;
    using Connection = AgentConnection<AgentLink>;

    enum class Phase { fresh, connecting, greeting, measuring, preparing, ready, over };
    struct Worker {
        bool asked = false;          // for a report
        std::size_t reportsDue = 2;  // unasked: when connected, and at the end
        bool connected = false;
        bool finished = false;
    };

    void post(void (AgentLink::*step)());
    void connectNow() NIO_REQUIRES(nio::onDispatcher);
    void closeNow() NIO_REQUIRES(nio::onDispatcher);

    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);
    void opened(Connection& connection) NIO_REQUIRES(nio::onDispatcher);
    void packetArrived(nio::ByteView packet) NIO_REQUIRES(nio::onDispatcher);
    void peerFinished(Connection& connection) NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::optional<nio::Error>& reason) NIO_REQUIRES(nio::onDispatcher);

    void hear(wire::Welcome& welcome) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Refused& refused) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Pong& pong) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Ready& ready) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Connected& connected) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Reported& reported) NIO_REQUIRES(nio::onDispatcher);
    void hear(wire::Finished& finished) NIO_REQUIRES(nio::onDispatcher);

    void enter(Phase phase) NIO_REQUIRES(nio::onDispatcher);
    void timeIsUp() NIO_REQUIRES(nio::onDispatcher);
    void ping() NIO_REQUIRES(nio::onDispatcher);
    void say(const std::string& message) NIO_REQUIRES(nio::onDispatcher);
    // The end, for a reason of its own or the agent's.
    void fail(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);
    void tellLost() NIO_REQUIRES(nio::onDispatcher);
    // Of a worker that still counts; otherwise the agent is wrong.
    Worker* heard(std::size_t worker) NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const Wish wish_;
    std::promise<nio::Result<Opened>> opened_;
    std::promise<void> closed_;

    Phase phase_ = Phase::fresh;
    bool closing_ = false;
    std::optional<nio::Connector> connector_;
    Connection* connection_ = nullptr;  // while it is open
    nio::Deadline patience_;            // of the phase; the next ping, once ready

    ClockOffset clock_;
    std::uint64_t pings_ = 0;
    std::optional<nio::TimePoint> pinged_;  // while the answer is awaited

    std::vector<Worker> workers_;
    LoadWorkerListener* listener_ = nullptr;
    std::size_t first_ = 0;
    std::string lost_;  // why, once it is
};

}  // namespace load
