#include "echo_server/EchoServerOptions.h"

#include <algorithm>
#include <vector>

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

nio::Error malformed(const std::string& text, const std::string& wanted) {
    return {std::errc::invalid_argument, "'" + text + "' is not " + wanted};
}

nio::Result<Listen> parseListen(const std::string& text) {
    constexpr std::string_view prefix = "tls:";
    const bool tls = text.starts_with(prefix);
    const auto endpoint = apps::listenEndpointFrom(tls ? text.substr(prefix.size()) : text);
    if (endpoint) return Listen{*endpoint, tls};
    return malformed(
        text, "[HOST:]PORT, *:PORT, unix:PATH or unix:@NAME, with or without tls: before it");
}

nio::Result<unsigned> parseMode(const std::string& text) {
    const bool isOctal = text.find_first_not_of("01234567") == std::string::npos;
    if (!isOctal || text.empty() || text.size() > 4) return malformed(text, "an octal file mode");
    return static_cast<unsigned>(std::stoul(text, nullptr, 8));
}

// "200ms/1s".
nio::Result<Stall::Times> parseStall(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos) return malformed(text, "TIME/PERIOD, such as 200ms/1s");
    const auto time = [](const std::string& part) {
        return apps::parseDurationWithin(1ms, apps::longestTime, part);
    };
    const auto length = time(text.substr(0, slash));
    if (!length) return length.error();
    const auto period = time(text.substr(slash + 1));
    if (!period) return period.error();
    if (length.value() < period.value()) return Stall::Times{length.value(), period.value()};
    return nio::Error(std::errc::invalid_argument,
                      "'" + text + "' would never read: the stall must be shorter than its period");
}

// A number without a unit of time is a count.
nio::Result<CloseAfter::Limit> parseCloseAfter(const std::string& text) {
    CloseAfter::Limit limit;
    if (const auto count = apps::parseCountWithin(1, std::uint64_t{1} << 53, text)) {
        limit.count = count.value();
        return limit;
    }
    const bool hasUnit = text.find_first_not_of("0123456789.") != text.npos;
    const auto time = apps::parseDurationWithin(1ms, apps::longestTime, text);
    if (!time || !hasUnit)
        return malformed(text, "a number above 0, such as 10, or a time, such as 30s");
    limit.time = time.value();
    return limit;
}

void addBehaviour(CLI::App& app, Behaviour& behaviour, bool& discards, bool& generates) {
    apps::addParsed(app, "--delay", behaviour.delay, &apps::Delay::parse, "TIME",
                    "Hold each answer back: 5ms; 1ms..10ms (uniform between\n"
                    "the two); exp:5ms (exponential around this mean)");
    apps::addParsed(app, "--stall", behaviour.stall, parseStall, "TIME/PERIOD",
                    "Stop reading for TIME in each PERIOD, on all connections\n"
                    "at once: 200ms/1s");
    apps::addParsed(app, "--close-after", behaviour.closeAfter, parseCloseAfter, "N|TIME",
                    "Close each connection after N packets sent (raw: bytes),\n"
                    "or this long after it opened: 10, 64Ki, 30s");
    const auto parseChunk = [](const std::string& text) {
        return apps::parseCountWithin(1, mostBytesOfARead, text);
    };
    apps::addParsed(app, "--chunk", behaviour.chunk, parseChunk, "SIZE",
                    "Send answers in pieces of this size, 1 ms apart: 1, 1460");
    apps::addFlag(app, "--discard", discards, "Read everything, answer nothing (RFC 863)");
    apps::addFlag(app, "--chargen", generates,
                  "Send printable lines without end, ignore input (RFC 864)");
    apps::addFlag(app, "--proxy-protocol", behaviour.proxyProtocol,
                  "Require a PROXY header (version 1 or 2) on each connection;\n"
                  "--verbose shows it");
}

constexpr const char* examples =
    "Examples:\n"
    "  echo-server --listen '*:7007' --listen unix:/run/echo.sock --verbose\n"
    "  echo-server --listen 7007 --listen tls:7008 --tls-cert c.pem --tls-key k.pem\n"
    "  echo-server --delay exp:5ms --metrics 9100\n"
    "  echo-server --framing lines --close-after 100 --chunk 1\n"
    "  echo-server --stall 200ms/1s --proxy-protocol --verbose\n"
    "  echo-server --port 7007 --takeover /run/echo.takeover\n"
    "  systemd-socket-activate -l 7007 echo-server";

using Names = std::vector<const char*>;

void setGroups(CLI::App& app) {
    const std::pair<const char*, Names> groups[] = {
        {"Address", {"--listen", "--host", "--port", "--unix", "--unix-mode", "--takeover"}},
        {"TLS", {"--tls-cert", "--tls-key"}},
        {"Dispatchers",
         {"--threads", "--selector", "--busy-poll", "--moderation", "--read-limit", "--dealing",
          "--rebalance", "--rebalance-interval", "--rebalance-difference", "--rebalance-moves"}},
        {"Behaviour",
         {"--framing", "--delay", "--stall", "--close-after", "--chunk", "--discard", "--chargen",
          "--proxy-protocol"}},
        {"Limits",
         {"--idle-timeout", "--keepalive", "--max-connections", "--memory-budget",
          "--drain-timeout"}},
        {"Observation",
         {"--verbose", "--metrics", "--stall-limit", "--flight-records", "--flight-file"}}};
    for (const auto& [group, names] : groups) {
        for (const char* name : names) app.get_option(name)->group(group);
    }
}

void setExclusions(CLI::App& app) {
    const auto exclude = [&app](const char* option, Names others) {
        for (const char* other : others) {
            app.get_option(option)->excludes(app.get_option(other));
        }
    };
    exclude("--listen", {"--host", "--port", "--unix"});
    exclude("--discard", {"--chargen", "--framing", "--delay", "--chunk"});
    // It does not wait for input.
    exclude("--chargen", {"--framing", "--delay", "--stall"});
}

// What no option alone shows.
std::optional<std::string> contradiction(const EchoServerOptions& options) {
    const auto hasFile = [](const Listen& listen) {
        const std::string& path = listen.endpoint.unixPath;
        return !path.empty() && path.front() != '@';
    };
    const auto& listens = options.listens;
    if (options.unixMode && std::none_of(listens.begin(), listens.end(), hasFile)) {
        return "--unix-mode needs a Unix-domain socket with a file";
    }
    const bool asksForTls = std::any_of(listens.begin(), listens.end(),
                                        [](const Listen& listen) { return listen.tls; });
    if (asksForTls && options.tlsCertificate.empty()) {
        return "--listen tls:... needs --tls-cert and --tls-key";
    }
    const Behaviour& behaviour = options.behaviour;
    if (behaviour.service == Service::discard && behaviour.closeAfter.countsOutput()) {
        return "--close-after N counts what is sent, --discard sends nothing: give it a time";
    }
    return std::nullopt;
}

}  // namespace

std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode) {
    EchoServerOptions options;
    apps::Endpoint endpoint;
    bool discards = false;
    bool generates = false;
    RebalanceFlags rebalance;

    CLI::App app(
        "Echoes everything it receives. SIGTERM or SIGINT drains and stops the server; a\n"
        "second one stops it immediately.\n"
        "TIME: 500us, 20ms, 1.5s, 2m; without a unit, seconds. N: a number, also 10k or\n"
        "4Ki.",
        "echo-server");
    apps::addVersion(app, "echo-server");
    apps::addRepeated(app, "--listen", options.listens, &parseListen, "ADDRESS",
                      "Listen here; may be repeated. [HOST:]PORT, *:PORT (every\n"
                      "IPv4 and IPv6 address), unix:PATH or unix:@NAME (abstract).\n"
                      "If some begin with tls:, only those use TLS");
    apps::addEndpoint(app, endpoint, true);
    apps::addParsed(app, "--unix-mode", options.unixMode, parseMode, "MODE",
                    "File mode of Unix-domain sockets, octal");
    app.add_option("--takeover", options.takeover,
                   "Take the listeners over from the echo-server that was given\n"
                   "the same PATH, which drains; and pass them on to the next")
        ->type_name("PATH");
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
    addBehaviour(app, options.behaviour, discards, generates);
    apps::addFlag(app, "--verbose", options.verbose,
                  "Log every connection opened and closed, with the time, its\n"
                  "bytes and its duration");
    setGroups(app);
    setExclusions(app);
    app.footer(examples);

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.rebalance = rebalance.options();
    options.behaviour.service = discards    ? Service::discard
                                : generates ? Service::chargen
                                            : Service::echo;
    for (const char* option : {"--listen", "--host", "--port", "--unix", "--takeover"}) {
        options.hasChosenListens |= app.count(option) > 0;
    }
    if (options.listens.empty()) options.listens.push_back({std::move(endpoint)});
    if (const auto mistake = contradiction(options)) {
        exitCode = apps::fail("echo-server", *mistake, apps::exitUsage);
        return std::nullopt;
    }
    return options;
}

}  // namespace echo
