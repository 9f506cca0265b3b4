#include "echo_server/EchoServerOptions.h"

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/ServerOptions.h"

namespace echo {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t mostConnections = 1'000'000'000;
constexpr std::uint64_t mostBytesOfARead = 16 << 20;

struct RebalanceFlags {
    bool wanted = false;
    std::chrono::milliseconds interval{100};
    double difference = 10;
    std::size_t moves = nio::RebalanceOptions().maxMoves;

    std::optional<nio::RebalanceOptions> options() const {
        if (!wanted) return std::nullopt;
        return nio::RebalanceOptions{interval, difference / 100, moves};
    }
};

void addRebalance(CLI::App& app, RebalanceFlags& flags) {
    apps::addFlag(app, "--rebalance", flags.wanted,
                  "Migrate connections from busy dispatchers to idle ones");
    apps::addTime(app, "--rebalance-interval", flags.interval, 1ms, apps::longestTime,
                  "Interval between load checks")
        ->needs("--rebalance");
    const auto percent = [](const std::string& text) {
        return apps::parseNumberWithin(1, 100, text);
    };
    apps::addParsed(app, "--rebalance-difference", flags.difference, percent, "PERCENT",
                    "Minimum load difference of two dispatchers, in percent of a\n"
                    "CPU, before connections migrate")
        ->default_str(apps::writeNumber(flags.difference))
        ->needs("--rebalance");
    apps::addCount(app, "--rebalance-moves", flags.moves, 1, mostConnections,
                   "Maximum connections that migrate from a dispatcher per check")
        ->needs("--rebalance");
}

void addDealing(CLI::App& app, Dealing& dealing) {
    const std::map<std::string, Dealing> rules{{"round-robin", Dealing::roundRobin},
                                               {"fewest", Dealing::fewest},
                                               {"least-busy", Dealing::leastBusy}};
    apps::addChoice(app, "--dealing", dealing, rules, "round-robin",
                    "Dispatcher of a new connection: round-robin, fewest\n"
                    "(connections) or least-busy");
}

void addReadLimit(CLI::App& app, std::size_t& bytes) {
    const auto parse = [](const std::string& text) {
        return apps::parseCountWithin(1, mostBytesOfARead, text);
    };
    apps::addParsed(app, "--read-limit", bytes, parse, "SIZE",
                    "Maximum bytes per read, one read per connection and turn.\n"
                    "Less is fairer when some peers flood; more is faster with\n"
                    "long messages. uring reads at most 64Ki")
        ->default_str(std::to_string(bytes >> 10) + "Ki");
}

void addTimes(CLI::App& app, EchoServerOptions& options) {
    apps::addTime(app, "--idle-timeout", options.idleTimeout, 0s, apps::longestTime,
                  "Close a connection after this much inactivity; 0: never");
    apps::addKeepAlive(app, options.keepAlive);
    apps::addTime(app, "--drain-timeout", options.drainTimeout, 0s, apps::longestTime,
                  "Maximum time to finish pending echoes on shutdown");
    apps::addTime(app, "--stall-limit", options.stallLimit, 0s, apps::longestTime,
                  "Log a callback that runs longer than this; 0: no watchdog");
}

void addFlight(CLI::App& app, EchoServerOptions& options) {
    apps::addCount(app, "--flight-records", options.flightRecords, 0, 1 << 24,
                   "Events that each dispatcher keeps for --flight-file; 0: only\n"
                   "the two that --stall-limit needs");
    apps::addFlightFile(app, options.flightFile, "SIGUSR1; default: standard error");
}

void addMetrics(CLI::App& app, std::optional<apps::Endpoint>& metrics) {
    const auto parse = [&metrics](const std::string& text) {
        metrics = apps::endpointFrom(text);
        if (!metrics) throw CLI::ValidationError("--metrics", "'" + text + "' is not [HOST:]PORT");
    };
    app.add_option_function<std::string>(
           "--metrics", parse,
           "Serve metrics by HTTP in the Prometheus text format; without\n"
           "HOST only on the loopback address")
        ->type_name("[HOST:]PORT");
}

}  // namespace

std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode) {
    EchoServerOptions options;
    std::string mode;
    RebalanceFlags rebalance;

    CLI::App app(
        "Echoes everything it receives. SIGTERM or SIGINT drains and stops the server; a second\n"
        "one stops it immediately.\n"
        "TIME: 500us, 20ms, 1.5s, 2m; without a unit, seconds. N: a number, also 10k or 4Ki.",
        "echo-server");
    apps::addVersion(app, "echo-server");
    apps::addEndpoint(app, options.endpoint, true);
    app.add_option("--unix-mode", mode, "File mode of the Unix-domain socket, octal")
        ->check(CLI::Validator(
            [](std::string& text) {
                const bool octal = text.find_first_not_of("01234567") == std::string::npos;
                return octal && !text.empty() && text.size() <= 4
                           ? ""
                           : "'" + text + "' is not an octal file mode";
            },
            ""))
        ->type_name("MODE")
        ->needs("--unix");
    auto* const certificate = app.add_option("--tls-cert", options.tlsCertificate,
                                             "Use TLS with this certificate (PEM); SIGHUP reads "
                                             "it and its key again")
                                  ->type_name("FILE");
    auto* const key =
        app.add_option("--tls-key", options.tlsKey, "Its key (PEM)")->type_name("FILE");
    certificate->needs(key);
    key->needs(certificate);
    apps::addDispatchers(app, options.threads, options.selector);
    apps::addBusyPoll(app, options.spin);
    apps::addModeration(app, options.moderation);
    addDealing(app, options.dealing);
    addRebalance(app, rebalance);
    apps::addFraming(app, options.framing, "Echo raw bytes, or packets: stx-etx, lines or length");
    addReadLimit(app, options.readLimit);
    addTimes(app, options);
    apps::addCount(app, "--max-connections", options.maxConnections, 0, mostConnections,
                   "Maximum connections; further ones wait in the listen\nbacklog; 0: as many as "
                   "file descriptors allow");
    apps::addMemoryBudget(app, options.memoryBudget);
    addFlight(app, options);
    addMetrics(app, options.metrics);
    apps::addFlag(app, "--verbose", options.verbose, "Log every connection opened and closed");

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.rebalance = rebalance.options();
    if (!mode.empty()) options.unixMode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
    return options;
}

}  // namespace echo
