#include <csignal>
#include <iostream>

#include <nio/dispatch/LeastBusy.h>
#include <nio/handlers/Server.h>
#include <nio/handlers/SignalHandler.h>

#include "common/CommandLine.h"
#include "echo_server/EchoHandlers.h"

namespace {

constexpr const char* program = "echo-server";

std::string readyLine(nio::Server& server) {
    const std::size_t threads = server.group().size();
    return "echo-server listening on " + server.address().toString() + " (" +
           std::to_string(threads) + (threads == 1 ? " selector thread, " : " selector threads, ") +
           std::string(server.group().selectorName()) + ")";
}

std::unique_ptr<nio::DealingRule> dealingRule(echo::Dealing dealing) {
    switch (dealing) {
        case echo::Dealing::fewest: return std::make_unique<nio::FewestConnections>();
        case echo::Dealing::leastBusy: return std::make_unique<nio::LeastBusy>();
        case echo::Dealing::roundRobin: break;
    }
    return std::make_unique<nio::RoundRobin>();
}

nio::ServerOptions serverOptions(const echo::EchoServerOptions& options,
                                 const nio::SocketAddress& address) {
    nio::ServerOptions server;
    server.address = address.toString();
    server.group.threads = options.threads;
    server.group.thread.name = "echo";
    server.group.thread.selector.kind = options.selector;
    server.group.thread.spin = options.spin;
    server.group.dealing = dealingRule(options.dealing);
    server.group.rebalance = options.rebalance;
    server.acceptor.maxConnections = options.maxConnections;
    server.acceptor.listen.fileMode = options.unixMode;
    server.drain.deadline = options.drainTimeout;
    return server;
}

int serve(const echo::EchoServerOptions& options) {
    const nio::Result<nio::SocketAddress> address = apps::resolve(options.endpoint);
    if (!address) {
        return apps::fail(program,
                          options.endpoint.toString() + ": " + address.error().code().message(),
                          apps::exitUsage);
    }
    // Before the ready line: whoever reads it may send a signal at once.
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    nio::Server server(serverOptions(options, address.value()), echo::echoHandlers(options));
    std::cout << readyLine(server) << std::endl;
    const nio::DrainReport report = server.run();
    std::cout << "echo-server stopped: " << report.toString() << std::endl;
    return apps::exitOk;
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    int exitCode = apps::exitOk;
    const auto options = echo::parseEchoServerOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return serve(*options);
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
