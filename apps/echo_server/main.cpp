#include <csignal>
#include <iostream>

#include <nio/handlers/SignalHandler.h>

#include "common/CommandLine.h"
#include "echo_server/EchoServer.h"

namespace {

constexpr const char* program = "echo-server";

std::string readyLine(const nio::SocketAddress& address, const echo::EchoServer& server) {
    const std::size_t threads = server.threads();
    return "echo-server listening on " + address.toString() + " (" + std::to_string(threads) +
           (threads == 1 ? " selector thread, " : " selector threads, ") +
           std::string(server.selectorName()) + ")";
}

int serve(const echo::EchoServerOptions& options) {
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    const nio::Result<nio::SocketAddress> address = apps::resolve(options.endpoint);
    if (!address) {
        return apps::fail(program,
                          options.endpoint.toString() + ": " + address.error().code().message(),
                          apps::exitUsage);
    }
    echo::EchoServer server(options);
    // Signals have a dispatcher of their own, so that a second one is heard while the first drains.
    nio::SelectorThreadOptions controlOptions;
    controlOptions.name = "control";
    nio::SelectorThread control(controlOptions);
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [&](int) { server.requestStop(); });
    (void)control.registerChannelLater(std::move(signals).orThrow(), nio::Interest::read);

    const nio::Result<nio::SocketAddress> listening = server.listen(address.value());
    if (!listening) return apps::fail(program, listening.error().message(), apps::exitFailed);
    std::cout << readyLine(listening.value(), server) << std::endl;
    control.start();
    const nio::DrainReport report = server.wait();
    std::cout << "echo-server stopped: " << report.toString() << std::endl;
    return apps::exitOk;
}

}  // namespace

int main(int argc, char** argv) {
    int exitCode = apps::exitOk;
    const auto options = echo::parseEchoServerOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return serve(*options);
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
