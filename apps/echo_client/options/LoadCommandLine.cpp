#include "echo_client/options/LoadCommandLine.h"

#include <algorithm>

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/Quantity.h"
#include "echo_client/options/LoadOptionChecks.h"
#include "echo_client/options/OptionValues.h"

namespace load {

namespace {

using namespace std::chrono_literals;
using apps::addCount;
using apps::addParsed;
using apps::addRepeated;
using apps::addTime;
using apps::longestTime;

constexpr const char* program = "echo-client";

constexpr const char* purpose =
    "Loads an echo server and checks every byte that comes back.\n"
    "Closed loop (no --rate): a connection sends its next message when an answer has\n"
    "come, so that a server that stalls is asked less, and the stall hides.\n"
    "Open loop (--rate, --stages, --find-max): messages leave when a plan says so,\n"
    "answers or none, and latency counts from the planned time: no stall hides.\n"
    "Exit codes: 0 pass, 1 connect or I/O errors, 2 usage, 3 wrong answer,\n"
    "4 requirement missed, 5 generator saturated.\n"
    "TIME is 500us, 20ms, 1.5s, 2m; a plain number is seconds. RATE is 500, 5k, 1M,\n"
    "per second. N may be written 10k.";

// Of what may be one of the choices or nothing.
std::map<std::string, std::optional<Misbehaviour>> waysToMisbehave() {
    std::map<std::string, std::optional<Misbehaviour>> ways;
    for (const auto& [name, way] : misbehaviours()) ways[name] = way;
    return ways;
}

std::string namesOf(const std::map<std::string, std::optional<Misbehaviour>>& ways) {
    std::string names;
    for (const auto& [name, way] : ways) names += (names.empty() ? "" : ", ") + name;
    return names;
}

constexpr const char* others =
    "echo-client agent --listen HOST:PORT --token T makes this machine one of those that\n"
    "--agents names: see echo-client agent --help. More: man echo-client.";

template <class T, nio::Result<T> (*parse)(const std::string&)>
nio::Result<std::optional<T>> present(const std::string& text) {
    auto value = parse(text);
    if (!value) return value.error();
    return std::optional<T>(std::move(value).value());
}

// The token must not get into what a run writes down.
std::vector<std::string> withoutSecrets(std::vector<std::string> arguments) {
    const std::string option = "--token";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with(option + "=")) arguments[i] = option + "=***";
        if (i > 0 && arguments[i - 1] == option) arguments[i] = "***";
    }
    return arguments;
}

}  // namespace

LoadCommandLine::LoadCommandLine() : app_(purpose, program) {
    apps::addVersion(app_, program);
    app_.footer(others);
    addTarget();
    addLoad();
    addOpenLoop();
    addConnections();
    addVerdict();
    addOutput();
    addBadClients();
    addManyMachines();
    apps::refuseEmptyValues(app_);
    app_.final_callback([this] { settle(app_, options_); });
}

LoadOptions LoadCommandLine::parse(const std::vector<std::string>& arguments) {
    app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    options_.arguments = withoutSecrets(arguments);
    return options_;
}

void LoadCommandLine::addTarget() {
    apps::addEndpoint(app_, options_.endpoint, false);
    for (const char* option : {"--host", "--port", "--unix"}) {
        app_.get_option(option)->group("Target");
    }
    addRepeated(app_, "--source", options_.sources, parseSource, "ADDRESS",
                "Numeric addresses to connect from, in turn: A,B,...")
        ->delimiter(',')
        ->group("Target");
    apps::addFraming(app_, options_.framing,
                     "What is sent: raw bytes, or packets: stx-etx,\nlines or length");
    app_.get_option("--framing")->group("Target");
}

void LoadCommandLine::addLoad() {
    addParsed(app_, "--size", options_.size, &SizeDistribution::parse, "BYTES",
              "Bytes of a message, without framing: 64,\n64-4096 evenly, 64:70,1500:30 by weight")
        ->default_str("64")
        ->group("Load");
    addCount(app_, "--pipeline", options_.pipeline, 1, 65'536,
             "Messages under way per connection, at most;\n1024 in an open loop: what is due "
             "beyond that\nwaits, and its wait counts")
        ->group("Load");
    addTime(app_, "--think", options_.think, 0s, longestTime,
            "Closed loop: between an answer and the next message")
        ->group("Load");
    addTime(app_, "--duration", options_.duration, 1ms, longestTime,
            "Measured time, once all is connected and warm")
        ->group("Load");
    addTime(app_, "--warmup", options_.warmup, 0s, longestTime, "Load before that, not measured")
        ->group("Load");
    addTime(app_, "--timeout", options_.answerTimeout, 1ms, longestTime,
            "How long an answer is waited for")
        ->group("Load");
    addCount(app_, "--seed", options_.seed, 0, std::uint64_t{1} << 53,
             "Of all random numbers: the same seed, the same load")
        ->group("Load");
    apps::addDispatchers(app_, options_.threads, options_.selector);
    app_.get_option("--threads")->group("Load");
    app_.get_option("--selector")->group("Load");
}

void LoadCommandLine::addOpenLoop() {
    addParsed(app_, "--rate", options_.rate, &present<RateCurve, parseConstantRate>, "RATE",
              "Messages per second, of all connections together;\nwith --find-max the first to "
              "be tried (1k)")
        ->group("Open loop");
    addParsed(app_, "--stages", options_.rate, &present<RateCurve, RateCurve::parseStages>,
              "TIME:RATE,...",
              "Rates in turn, warm-up included: 10s:1k,30s:1k-5k;\nsets --duration to their "
              "length, less the warm-up")
        ->group("Open loop");
    const std::map<std::string, Arrivals> arrivals{{"constant", Arrivals::constant},
                                                   {"poisson", Arrivals::poisson}};
    apps::addChoice(app_, "--arrivals", options_.arrivals, arrivals, "constant",
                    "Gaps between messages: constant, or poisson,\nas of independent users")
        ->group("Open loop");
    addTime(app_, "--spin", options_.spin, 0s, 1s,
            "Before a message is due, do not sleep but watch the\nclock: costs CPU, keeps the "
            "plan; 0: never. If given in\na closed loop: look for answers so long before a sleep")
        ->group("Open loop");
}

void LoadCommandLine::addConnections() {
    addCount(app_, "--connections", options_.connections, 1, 1'000'000, "Connections at once")
        ->group("Connections");
    addParsed(app_, "--connect-rate", options_.connectRate, &apps::parseRate, "RATE",
              "New connections per second; default: no limit")
        ->group("Connections");
    apps::addKeepAlive(app_, options_.keepAlive)->default_str("none")->group("Connections");
    addParsed(app_, "--lifetime", options_.lifetime, &Lifetime::parse, "TIME|Nmsg",
              "Connections are closed and made anew after so long,\nor so many messages: 500ms, "
              "100msg, 500ms,100msg")
        ->group("Connections");
    addParsed(app_, "--close", options_.closing, &CloseMix::parse, "WAY[:WEIGHT],...",
              "How those end: clean, rst, half (FIN ahead of the\nanswers), or a mix: "
              "clean:80,rst:20")
        ->default_str("clean")
        ->group("Connections");
}

void LoadCommandLine::addVerdict() {
    addRepeated(app_, "--require", options_.requirements, &Requirement::parse, "FIGURE<BOUND",
                "Exit code 4 if missed: 'p99<2ms', errors=0,\n'rate>=5k'; may be repeated")
        ->group("Verdict");
    addParsed(app_, "--find-max", options_.findMax, &present<Requirement, Requirement::parse>,
              "FIGURE<TIME", "Finds the highest rate that keeps it: 'p99<1ms'")
        ->group("Verdict");
    addCount(app_, "--repeat", options_.repeat, 1, 1'000,
             "Runs; then the median and its confidence interval")
        ->group("Verdict");
    addParsed(app_, "--server-pid", options_.serverPid, &present<int, parseProcess>, "PID",
              "Reports the CPU time per echo and the memory of this\nprocess of this machine, too")
        ->group("Verdict");
}

CLI::Option* LoadCommandLine::addFile(const std::string& option, std::string& target,
                                      const std::string& help) {
    return addParsed(app_, option, target, parseFile, "FILE", help)->group("Output");
}

void LoadCommandLine::addOutput() {
    OutputOptions& output = options_.output;
    apps::addFlag(app_, "--quiet", output.quiet, "No progress while it runs")->group("Output");
    addFile("--json", output.json,
            "The report as JSON; FILE may be -: to standard\noutput, "
            "instead of the text (so for all of these)");
    addFile("--json-lines", output.jsonLines, "The course of the run, a JSON object per line");
    addFile("--csv", output.csv, "The course of the run as a table");
    addFile("--html", output.html, "The report as a page with plots");
    addRepeated(app_, "--compare", output.compare, parseFile, "FILE",
                "Lays an earlier run's --json over it in that page;\nmay be repeated")
        ->group("Output");
    addFile("--hgrm", output.histogram, "The latencies as HdrHistogram percentiles, in ms");
    addFile("--keep-bad", output.badFrame, "The first wrong answer as a hex dump");
}

void LoadCommandLine::addBadClients() {
    const auto ways = waysToMisbehave();
    apps::addChoice(app_, "--misbehave", options_.misbehave, ways, "",
                    "Tests the server with bad clients instead:\n" + namesOf(ways))
        ->group("Bad clients");
    addTime(app_, "--every", options_.every, 1ms, longestTime, "Between two bytes of slowloris")
        ->group("Bad clients");
    addCount(app_, "--count", options_.count, 1, 1'000'000, "Connects of rst-storm, in all")
        ->group("Bad clients");
}

void LoadCommandLine::addManyMachines() {
    addRepeated(app_, "--agents", options_.agents, parseAgent, "HOST:PORT",
                "Machines that share the load; this one only directs")
        ->delimiter(',')
        ->group("Many machines");
    addParsed(app_, "--token", options_.token, parseToken, "TEXT",
              "The secret that the agents know; default: the\nenvironment's ECHO_CLIENT_TOKEN")
        ->group("Many machines");
}

}  // namespace load
