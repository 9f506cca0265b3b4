#include "echo_server/EchoServerOptions.h"

#include "common/CommandLine.h"
#include "common/FlightFile.h"
#include "common/OptionTypes.h"

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
                  "Moves connections from busy selector threads to others");
    apps::addTime(app, "--rebalance-interval", flags.interval, 1ms, apps::longestTime,
                  "Between two looks at the load")
        ->needs("--rebalance");
    const auto percent = [](const std::string& text) {
        return apps::parseNumberWithin(1, 100, text);
    };
    apps::addParsed(app, "--rebalance-difference", flags.difference, percent, "PERCENT",
                    "Percent of a CPU by which two threads differ before\n"
                    "connections are moved")
        ->default_str(apps::writeNumber(flags.difference))
        ->needs("--rebalance");
    apps::addCount(app, "--rebalance-moves", flags.moves, 1, mostConnections,
                   "Connections that one thread gives away at once")
        ->needs("--rebalance");
}

void addDealing(CLI::App& app, Dealing& dealing) {
    const std::map<std::string, Dealing> rules{{"round-robin", Dealing::roundRobin},
                                               {"fewest", Dealing::fewest},
                                               {"least-busy", Dealing::leastBusy}};
    apps::addChoice(app, "--dealing", dealing, rules, "round-robin",
                    "Which selector thread gets the next connection:\n"
                    "round-robin, the one with the fewest, or the least-busy\n"
                    "one");
}

void addReadLimit(CLI::App& app, std::size_t& bytes) {
    const auto parse = [](const std::string& text) {
        return apps::parseCountWithin(1, mostBytesOfARead, text);
    };
    apps::addParsed(app, "--read-limit", bytes, parse, "SIZE",
                    "What a connection can have of its selector thread's turn:\n"
                    "bytes that one read takes. Less is fairer beside who floods,\n"
                    "more is quicker with long messages; uring takes 64Ki at most")
        ->default_str(std::to_string(bytes >> 10) + "Ki");
}

void addTimes(CLI::App& app, EchoServerOptions& options) {
    apps::addTime(app, "--idle-timeout", options.idleTimeout, 0s, apps::longestTime,
                  "Without traffic for so long a connection ends; 0: never");
    apps::addKeepAlive(app, options.keepAlive);
    apps::addTime(app, "--drain-timeout", options.drainTimeout, 0s, apps::longestTime,
                  "To answer what is under way before the end");
    apps::addTime(app, "--stall-limit", options.stallLimit, 0s, apps::longestTime,
                  "One callback that runs for longer is named in a line on\n"
                  "standard error; 0: nobody looks");
}

void addFlight(CLI::App& app, EchoServerOptions& options) {
    apps::addCount(app, "--flight-records", options.flightRecords, 0, 1 << 24,
                   "What each selector thread did last is kept, so many\n"
                   "records of it; 0: none but the two that --stall-limit\n"
                   "needs");
    apps::addFlightFile(app, options.flightFile, "SIGUSR1; without one standard\nerror gets it");
}

void addMetrics(CLI::App& app, std::optional<apps::Endpoint>& metrics) {
    const auto parse = [&metrics](const std::string& text) {
        metrics = apps::endpointFrom(text);
        if (!metrics) throw CLI::ValidationError("--metrics", "'" + text + "' is no [HOST:]PORT");
    };
    app.add_option_function<std::string>(
           "--metrics", parse,
           "Serves the dispatchers' metrics there, by HTTP, in\n"
           "Prometheus' text format; only to this machine unless HOST\n"
           "says otherwise")
        ->type_name("[HOST:]PORT");
}

}  // namespace

std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode) {
    EchoServerOptions options;
    std::string mode;
    RebalanceFlags rebalance;

    CLI::App app(
        "Sends back what it is sent. SIGTERM or SIGINT drains and stops it, a second one "
        "stops it at once.\n"
        "TIME is 500us, 20ms, 1.5s, 2m; a plain number is seconds. N may be written 10k.",
        "echo-server");
    apps::addVersion(app, "echo-server");
    apps::addEndpoint(app, options.endpoint, true);
    app.add_option("--unix-mode", mode, "Permission bits of the Unix-domain socket, octal")
        ->check(CLI::Validator(
            [](std::string& text) {
                const bool octal = text.find_first_not_of("01234567") == std::string::npos;
                return octal && !text.empty() && text.size() <= 4
                           ? ""
                           : "not octal permission bits: " + text;
            },
            ""))
        ->type_name("MODE")
        ->needs("--unix");
    apps::addDispatchers(app, options.threads, options.selector);
    apps::addSpin(app, options.spin);
    addDealing(app, options.dealing);
    addRebalance(app, rebalance);
    apps::addFraming(app, options.framing,
                     "What is echoed: raw bytes, or packets: stx-etx, lines or\n"
                     "length");
    addReadLimit(app, options.readLimit);
    addTimes(app, options);
    apps::addCount(app, "--max-connections", options.maxConnections, 0, mostConnections,
                   "More wait until one ends; 0: what the descriptors allow");
    apps::addMemoryBudget(app, options.memoryBudget);
    addFlight(app, options);
    addMetrics(app, options.metrics);
    apps::addFlag(app, "--verbose", options.verbose,
                  "A line for every connection that comes and goes");

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.rebalance = rebalance.options();
    if (!mode.empty()) options.unixMode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
    return options;
}

}  // namespace echo
