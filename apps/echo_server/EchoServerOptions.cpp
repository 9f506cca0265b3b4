#include "echo_server/EchoServerOptions.h"

#include "common/CommandLine.h"

namespace echo {

namespace {

struct RebalanceFlags {
    bool wanted = false;
    double interval = 0.1;
    double difference = 10;
    std::size_t moves = nio::RebalanceOptions().maxMoves;

    std::optional<nio::RebalanceOptions> options() const {
        if (!wanted) return std::nullopt;
        return nio::RebalanceOptions{apps::secondsOf(interval), difference / 100, moves};
    }
};

void addRebalance(CLI::App& app, RebalanceFlags& flags) {
    app.add_flag("--rebalance", flags.wanted,
                 "Moves connections from busy selector threads to others");
    app.add_option("--rebalance-interval", flags.interval, "Seconds between two looks at the load")
        ->check(apps::within(0.001, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str()
        ->needs("--rebalance");
    app.add_option("--rebalance-difference", flags.difference,
                   "Percent of a CPU by which two threads differ before connections are moved")
        ->check(apps::within(1, 100))
        ->type_name("PERCENT")
        ->capture_default_str()
        ->needs("--rebalance");
    app.add_option("--rebalance-moves", flags.moves,
                   "Connections that one thread gives away at once")
        ->check(apps::within(1, 1e9))
        ->type_name("N")
        ->capture_default_str()
        ->needs("--rebalance");
}

void addDealing(CLI::App& app, Dealing& dealing) {
    const std::map<std::string, Dealing> rules{{"round-robin", Dealing::roundRobin},
                                               {"fewest", Dealing::fewest},
                                               {"least-busy", Dealing::leastBusy}};
    apps::addChoice(app, "--dealing", dealing, rules, "round-robin",
                    "Which selector thread gets the next connection: round-robin, the one with "
                    "the fewest, or the least-busy one");
}

void addFlight(CLI::App& app, EchoServerOptions& options) {
    app.add_option("--flight-records", options.flightRecords,
                   "What each selector thread did last is kept, so many records of it; 0: none "
                   "but the two that --stall-limit needs")
        ->check(apps::within(0, 1 << 24))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--flight-file", options.flightFile,
                   "They are appended to this file on a crash, a stall or SIGUSR1; without one "
                   "standard error gets them")
        ->type_name("FILE");
}

void addMetrics(CLI::App& app, std::optional<apps::Endpoint>& metrics) {
    const auto parse = [&metrics](const std::string& text) {
        metrics = apps::endpointFrom(text);
        if (!metrics) throw CLI::ValidationError("--metrics", "'" + text + "' is no [HOST:]PORT");
    };
    app.add_option_function<std::string>("--metrics", parse,
                                         "Serves the dispatchers' metrics there, by HTTP, in "
                                         "Prometheus' text format; only to this machine unless "
                                         "HOST says otherwise")
        ->type_name("[HOST:]PORT");
}

}  // namespace

std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode) {
    EchoServerOptions options;
    double idle = 0;
    double drain = 5;
    double stall = 0.1;
    std::string mode;
    RebalanceFlags rebalance;

    CLI::App app(
        "Sends back what it is sent. SIGTERM or SIGINT drains and stops it, a second one "
        "stops it at once.",
        "echo-server");
    apps::addVersion(app, "echo-server");
    apps::addEndpoint(app, options.endpoint, true);
    app.add_option("--unix-mode", mode, "Permission bits of the Unix-domain socket, octal")
        ->check(CLI::Validator(
            [](std::string& text) {
                const bool octal = text.find_first_not_of("01234567") == std::string::npos;
                return octal && text.size() <= 4 ? "" : "not octal permission bits: " + text;
            },
            ""))
        ->type_name("MODE")
        ->needs("--unix");
    apps::addDispatchers(app, options.threads, options.selector);
    apps::addSpin(app, options.spin);
    addDealing(app, options.dealing);
    addRebalance(app, rebalance);
    apps::addFraming(app, options.framing,
                     "What is echoed: raw bytes, or packets: stx-etx, lines or length");
    app.add_option("--idle-timeout", idle,
                   "Seconds without traffic that end a connection; 0: never")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--max-connections", options.maxConnections,
                   "More wait until one ends; 0: what the descriptors allow")
        ->check(apps::within(0, 1e9))
        ->type_name("N")
        ->capture_default_str();
    apps::addMemoryBudget(app, options.memoryBudget);
    app.add_option("--drain-timeout", drain, "Seconds to answer what is under way before the end")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--stall-limit", stall,
                   "Seconds that one callback may run before a line on standard error names it; 0: "
                   "nobody looks")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    addFlight(app, options);
    addMetrics(app, options.metrics);
    app.add_flag("--verbose", options.verbose, "A line for every connection that comes and goes");

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.idleTimeout = apps::secondsOf(idle);
    options.drainTimeout = apps::secondsOf(drain);
    options.stallLimit = apps::secondsOf(stall);
    options.rebalance = rebalance.options();
    if (!mode.empty()) options.unixMode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
    return options;
}

}  // namespace echo
