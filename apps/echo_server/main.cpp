#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <variant>
#include <vector>

#include <nio/group/LeastBusy.h>
#include <nio/net/Server.h>
#include <nio/net/SignalHandler.h>
#include <nio/net/Takeover.h>
#include <nio/observe/FlightDump.h>
#include <nio/sys/LineSink.h>
#include <nio/sys/Signals.h>
#include <nio/sys/handover/Handover.h>

#include <nio-tls/Tls.h>

#include "common/CommandLine.h"
#include "common/HeapTrimmer.h"
#include "common/Printable.h"
#include "common/ServerOptions.h"
#include "echo_server/EchoHandlers.h"
#include "echo_server/EchoServerOptions.h"
#include "echo_server/MetricsServer.h"

namespace {

constexpr const char* program = "echo-server";

struct Listener {
    nio::ListenAddress address;
    bool tls = false;
};

bool someUseTls(const std::vector<Listener>& listeners) {
    return std::any_of(listeners.begin(), listeners.end(), std::mem_fn(&Listener::tls));
}

bool allUseTls(const std::vector<Listener>& listeners) {
    return std::all_of(listeners.begin(), listeners.end(), std::mem_fn(&Listener::tls));
}

std::string readyLine(nio::Server& server, const std::vector<Listener>& listeners) {
    const std::size_t threads = server.group().size();
    const bool saysWhich = someUseTls(listeners) && !allUseTls(listeners);
    std::string addresses;
    for (std::size_t i = 0; i < listeners.size(); ++i) {
        if (i != 0) addresses += " and ";
        if (saysWhich && listeners[i].tls) addresses += "tls:";
        addresses += server.addresses()[i].toString();
    }
    return "echo-server listening on " + addresses + " (" + std::to_string(threads) +
           (threads == 1 ? " dispatcher, " : " dispatchers, ") +
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

// Common to the dispatchers of echo connections and that of --metrics.
nio::SelectorThreadOptions threadOptions(const echo::EchoServerOptions& options) {
    nio::SelectorThreadOptions thread;
    thread.selector.kind = options.selector;
    thread.stallLimit = options.stallLimit;
    thread.flightRecords = options.flightRecords;
    return thread;
}

// Beside 0.0.0.0 the IPv6 listener of the same port must leave IPv4 alone.
bool hasTwoForAnyAddress(const std::vector<echo::Listen>& listens) {
    const auto isBeside = [&](const echo::Listen& v4) {
        return v4.endpoint.host == "0.0.0.0" && v4.endpoint.port != 0 &&
               std::any_of(listens.begin(), listens.end(), [&](const echo::Listen& v6) {
                   return v6.endpoint.host == "::" && v6.endpoint.port == v4.endpoint.port;
               });
    };
    return std::any_of(listens.begin(), listens.end(), isBeside);
}

nio::ServerOptions serverOptions(const echo::EchoServerOptions& options,
                                 std::shared_ptr<nio::MemoryBudget> budget) {
    nio::ServerOptions server;
    server.acceptor.listen.dualStack = !hasTwoForAnyAddress(options.listens);
    server.group.threads = options.threads;
    server.group.thread = threadOptions(options);
    server.group.thread.name = "echo";
    server.group.thread.spin = options.spin;
    server.group.thread.moderation = options.moderation;
    server.group.thread.selector.receiveBufferBytes = options.readLimit;
    server.group.thread.memoryBudget = std::move(budget);
    server.group.dealing = dealingRule(options.dealing);
    server.group.rebalance = options.rebalance;
    server.acceptor.maxConnections = options.maxConnections;
    server.acceptor.listen.fileMode = options.unixMode;
    server.acceptor.listen.keepAlive = options.keepAlive;
    server.drain.deadline = options.drainTimeout;
    return server;
}

nio::Result<std::shared_ptr<nio::TlsSlot>> tlsSlot(const echo::EchoServerOptions& options) {
    if (options.tlsCertificate.empty()) return std::shared_ptr<nio::TlsSlot>();
    // A pipe or a device may block, and reload() runs on a dispatcher.
    for (const std::string& file : {options.tlsCertificate, options.tlsKey}) {
        std::error_code ignored;
        const std::filesystem::file_status status = std::filesystem::status(file, ignored);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
            return nio::Error(std::errc::invalid_argument, file + ": not a regular file");
        }
    }
    auto context = nio::TlsContext::server({options.tlsCertificate, options.tlsKey});
    if (!context) return context.error();
    return std::make_shared<nio::TlsSlot>(std::move(context).value());
}

// SIGHUP: connections that open from now on have the certificate that the file has now.
void reload(const echo::EchoServerOptions& options, nio::TlsSlot* slot) {
    if (slot == nullptr) return;
    auto renewed = tlsSlot(options);
    if (!renewed) {
        const std::string why = apps::printable(renewed.error().message());
        (void)nio::standardError().write(
            {program, ": ", why, ": the certificate stays as it is\n"});
        return;
    }
    slot->set(renewed.value()->get());
    (void)nio::standardError().write({program, ": certificate reloaded\n"});
}

constexpr const char* ofMetrics = "--metrics: ";

// `takeover` may be null.
std::unique_ptr<echo::MetricsServer> metricsServer(const std::optional<nio::SocketAddress>& address,
                                                   nio::Takeover* takeover,
                                                   nio::SelectorThreadGroup& group,
                                                   std::shared_ptr<nio::MemoryBudget> budget,
                                                   nio::SelectorThreadOptions thread) try {
    if (!address) return nullptr;
    nio::ListenOptions listen;
    listen.keepAlive = apps::usualKeepAlive;
    auto channel = takeover != nullptr
                       ? nio::ServerSocketChannel::adopt(takeover->listen(*address, listen), listen)
                       : nio::ServerSocketChannel::open(*address, listen);
    return std::make_unique<echo::MetricsServer>(std::move(channel).orThrow(), group,
                                                 std::move(budget), std::move(thread));
} catch (const std::system_error& error) {
    throw std::runtime_error(std::string(ofMetrics) + error.what());
}

int failUnknown(const std::string& option, const apps::Endpoint& endpoint,
                const nio::Error& error) {
    return apps::fail(program, option + endpoint.toString() + ": " + error.code().message(),
                      apps::exitUsage);
}

// Where it listens: on the sockets that a service manager has passed, or else where the options
// say. The exit code if that is impossible.
std::variant<std::vector<Listener>, int> findListeners(const echo::EchoServerOptions& options) {
    const bool hasCertificate = !options.tlsCertificate.empty();
    auto passed = nio::listenFds();
    if (!passed) return apps::fail(program, passed.error().message(), apps::exitFailed);
    std::vector<Listener> listeners;
    for (nio::UniqueFd& socket : passed.value()) {
        listeners.push_back({std::move(socket), hasCertificate});
    }
    if (!listeners.empty() && options.hasChosenListens) {
        return apps::fail(program,
                          "sockets were passed (LISTEN_FDS): --listen, --host, --port, --unix "
                          "and --takeover must not be given",
                          apps::exitUsage);
    }
    if (!listeners.empty()) return listeners;
    for (const echo::Listen& listen : options.listens) {
        const nio::Result<nio::SocketAddress> address = apps::resolve(listen.endpoint);
        if (!address) return failUnknown("", listen.endpoint, address.error());
        listeners.push_back({address.value(), listen.tls});
    }
    if (hasCertificate && !someUseTls(listeners)) {
        for (Listener& each : listeners) each.tls = true;
    }
    return listeners;
}

// What findListeners() has found are addresses then.
void listenBy(nio::Takeover& takeover, const nio::ListenOptions& listen,
              std::vector<Listener>& listeners) {
    for (Listener& each : listeners) {
        each.address = takeover.listen(std::get<nio::SocketAddress>(each.address), listen);
    }
}

int serve(const echo::EchoServerOptions& options) {
    if (const auto mistake = apps::flightFileMistake(options.flightFile)) {
        return apps::fail(program, *mistake, apps::exitUsage);
    }
    auto found = findListeners(options);
    if (const int* exitCode = std::get_if<int>(&found)) return *exitCode;
    auto& listeners = std::get<std::vector<Listener>>(found);
    std::optional<nio::SocketAddress> metricsAddress;
    if (options.metrics) {
        const nio::Result<nio::SocketAddress> address = apps::resolve(*options.metrics);
        if (!address) return failUnknown(ofMetrics, *options.metrics, address.error());
        metricsAddress = address.value();
    }
    nio::FlightDump::Options flight;
    flight.file = options.flightFile;
    nio::FlightDump::install(flight);
    // Before the ready line: its reader may send a signal at once.
    nio::SignalHandler::block({SIGINT, SIGTERM, SIGHUP}).orThrow();
    auto tls = tlsSlot(options);
    if (!tls) return apps::fail(program, tls.error().message(), apps::exitUsage);
    const std::shared_ptr<nio::TlsSlot> slot = std::move(tls).value();
    const auto budget = apps::makeMemoryBudget(options.memoryBudget);
    nio::ServerOptions servers = serverOptions(options, budget);
    std::optional<nio::Takeover> takeover;
    if (!options.takeover.empty()) {
        listenBy(takeover.emplace(options.takeover), servers.acceptor.listen, listeners);
    }
    const auto handlers = [&](const Listener& listener) {
        return echo::echoHandlers(options, listener.tls ? slot : nullptr);
    };
    servers.address = std::move(listeners.front().address);
    nio::Server server(std::move(servers), handlers(listeners.front()));
    for (std::size_t i = 1; i < listeners.size(); ++i) {
        server.listen(std::move(listeners[i].address), handlers(listeners[i]));
    }
    auto hangups =
        nio::SignalHandler::open({SIGHUP}, [&options, slot](int) { reload(options, slot.get()); });
    (void)server.group()[0].registerChannelLater(std::move(hangups).orThrow(), nio::Interest::read);
    auto metrics = metricsServer(metricsAddress, takeover ? &*takeover : nullptr, server.group(),
                                 budget, threadOptions(options));
    const apps::HeapTrimmer trimmer({[&] { return apps::bufferedBytesOf(server.group()); }});
    const nio::DrainReport report = server.run([&] {
        const std::string ready = readyLine(server, listeners);
        const std::string metricsUrl = metrics ? metrics->url() : "";
        const bool isSuccessor = takeover && takeover->hasPredecessor();
        // Before the ready line: its reader may start a successor at once.
        if (takeover) {
            takeover->serve(server.group()[0], [&](nio::SocketChannel) {
                metrics.reset();  // the successor answers there
                nio::DrainOptions drain = nio::DrainOptions::handedOver();
                drain.deadline = options.drainTimeout;
                server.group().requestClose(drain);
            });
        }
        (void)nio::standardOutput().write({ready, "\n"});
        if (!metricsUrl.empty()) {
            (void)nio::standardOutput().write({"echo-server metrics at ", metricsUrl, "\n"});
        }
        if (isSuccessor) (void)nio::standardOutput().write({"echo-server has taken over\n"});
    });
    (void)nio::standardOutput().write({"echo-server stopped: ", report.toString(), "\n"});
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
