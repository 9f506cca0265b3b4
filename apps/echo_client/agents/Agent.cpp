#include "echo_client/agents/Agent.h"

#include <csignal>

#include <nio/net/SignalHandler.h>

#include "common/CommandLine.h"
#include "common/SinkStream.h"

namespace load {

namespace {

nio::ServerOptions serverOptions(const nio::SocketAddress& address) {
    nio::ServerOptions server;
    server.address = address;
    server.group.threads = 1;
    server.group.thread.name = "agent";
    server.acceptor.maxConnections = AgentDesk::mostConnections;
    server.drain.deadline = std::chrono::milliseconds(500);
    server.drain.quietPeriod = std::chrono::milliseconds::zero();
    return server;
}

nio::SelectorThreadOptions runnerOptions() {
    nio::SelectorThreadOptions options;
    options.name = "runs";
    return options;
}

// Figures of many workers may wait at once; orders are read all the same.
std::shared_ptr<const nio::StreamOptions> streamOptions(const AgentOptions& options) {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->outputHighMark = stream->outputLimit = 8 * wire::largestMessage;
    stream->idleTimeout = options.silence;
    stream->lingerTimeout = std::chrono::milliseconds(1'000);
    return stream;
}

nio::HandlerFactory sessions(AgentDesk& desk, const AgentOptions& options) {
    return [&desk, stream = streamOptions(options)](nio::AcceptedConnection connection) {
        AgentFraming framing;
        auto channel = makeAgentConnection(std::move(connection.channel), framing,
                                           std::make_shared<AgentSession>(desk, framing), stream);
        channel->keep(std::move(connection.permit));
        return channel;
    };
}

}  // namespace

Agent::Agent(const AgentOptions& options, const nio::SocketAddress& address, std::ostream& log)
    : desk_{options, log, runner_},
      server_(serverOptions(address), sessions(desk_, options)),
      runner_(runnerOptions()) {}

// The sessions end first, each leaves its run to the runner; then that ends them.
Agent::~Agent() {
    server_.requestStop();
    server_.requestStop();
    (void)server_.wait();
}

void Agent::start() {
    runner_.start();
    server_.start();
}

void Agent::run() {
    runner_.start();
    (void)server_.run();
}

int runAgent(const AgentOptions& options) try {
    const auto address = apps::resolve(options.listen);
    if (!address) {
        return apps::fail(agentProgram,
                          options.listen.toString() + ": " + address.error().code().message(),
                          apps::exitUsage);
    }
    // Before the ready line: whoever reads it may send a signal at once.
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    apps::SinkStream log(nio::standardOutput());
    Agent agent(options, address.value(), log);
    log << "echo-client agent listening on " << agent.address().toString() << std::endl;
    agent.run();
    return apps::exitOk;
} catch (const std::exception& error) {
    return apps::fail(agentProgram, error.what(), apps::exitFailed);
}

}  // namespace load
