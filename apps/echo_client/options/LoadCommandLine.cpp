#include "echo_client/options/LoadCommandLine.h"

#include <algorithm>

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "common/Quantity.h"
#include "common/ServerOptions.h"
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
    "Loads a server and checks every answer.\n"
    "Closed loop (no --rate): a connection sends its next message after an answer. A\n"
    "server that stalls gets fewer messages, so percentiles hide the stall.\n"
    "Open loop (--rate, --stages, --find-max): messages are sent on schedule, and\n"
    "latency counts from the planned time, so percentiles show every stall.\n"
    "Exit codes: 0 pass, 1 connect or I/O errors, 2 usage, 3 wrong answer,\n"
    "4 requirement missed, 5 cannot tell (the generator was late).\n"
    "TIME: 500us, 20ms, 1.5s, 2m; without a unit, seconds. RATE: 500, 5k, 1M, per\n"
    "second. N: a number, also 10k or 4Ki.";

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

constexpr const char* footerText =
    "Examples:\n"
    "  echo-client 10.0.0.9:7007 -c 1000                      how much can it do?\n"
    "  echo-client 10.0.0.9:7007 -r 20k --require 'p99<2ms'   does it keep 2 ms?\n"
    "  echo-client 10.0.0.9:7007 --find-max 'p99<1ms'         up to which rate?\n"
    "  echo-client 10.0.0.9:7007 -c 10 -n 1M --json run.json  a million messages\n"
    "  echo-client 10.0.0.9:7007 -r 5k -d 60 --html run.html  a page with plots\n"
    "  echo-client 10.0.0.9:6379 --send 'PING\\r\\n' --expect '+PONG\\r\\n'  Redis\n"
    "  echo-client 10.0.0.9:7443 -c 100 --tls --cacert ca.pem   over TLS\n"
    "\n"
    "echo-client agent --listen HOST:PORT --token T makes this machine one of those\n"
    "that --agents names: see echo-client agent --help. More: man echo-client.";

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
    app_.footer(footerText);
    addTarget();
    addTls();
    addMessages();
    addLoad();
    addOpenLoop();
    addConnections();
    addVerdict();
    addOutput();
    addBadClients();
    addManyMachines();
    app_.final_callback([this] { settle(); });
}

LoadOptions LoadCommandLine::parse(const std::vector<std::string>& arguments) {
    apps::parseWords(app_, arguments);
    options_.arguments = withoutSecrets(arguments);
    return options_;
}

void LoadCommandLine::addTarget() {
    // settle() parses it: an unknown option before its value is the mistake to report.
    app_.add_option(
            "TARGET", target_,
            "The server, instead of --host and --port; with --compare also the --json file of "
            "a run that is over, instead of a new one")
        ->type_name("HOST:PORT|FILE");
    apps::addEndpoint(app_, options_.endpoint, false);
    for (const char* option : {"--host", "--port", "--unix"}) {
        app_.get_option(option)->group("Target");
    }
    apps::addList(app_, "--source", options_.sources, parseSource, "ADDRESS",
                  "Numeric source addresses, used in turn: A,B,...")
        ->group("Target");
    apps::addFraming(app_, options_.framing,
                     "Send raw bytes, or packets: stx-etx, lines or\nlength");
    app_.get_option("--framing")->group("Target");
}

void LoadCommandLine::addTls() {
    const auto file = [this](const char* option, std::string& target, const char* help) {
        addParsed(app_, option, target, parseFile, "FILE", help)->group("TLS");
    };
    apps::addFlag(app_, "--tls", usesTls_, "Use TLS, and verify the server's certificate")
        ->group("TLS");
    file("--cacert", tls_.authority, "Certificates to trust (PEM); default: the system's");
    addParsed(app_, "--sni", options_.sni, parseFile, "NAME",
              "Name to ask for, and to find in the certificate; default: the host")
        ->group("TLS");
    apps::addFlag(app_, "--insecure", isInsecure_, "Accept any certificate")->group("TLS");
    apps::addFlag(app_, "--resume", tls_.resumption, "Resume sessions where the server allows it")
        ->group("TLS");
    file("--cert", tls_.certificate, "The client's own certificate (PEM)");
    file("--key", tls_.key, "Its key (PEM)");
}

void LoadCommandLine::addMessages() {
    addRepeated(app_, "--send", sends_, &Template::parse, "TEXT|@FILE",
                "Message of another protocol: C escapes, {seq}, {conn}, {random:8}; may be "
                "repeated")
        ->group("Messages");
    addRepeated(app_, "--expect", expects_, &Expectation::parse, "ANSWER",
                "Its answer: TEXT, /REGEX/, length:N, until:TEXT, lines:N or any; one for all, or "
                "one for each --send")
        ->group("Messages");
    apps::addList(app_, "--weights", weights_, &apps::parseNumber, "N,...",
                  "How often each --send is chosen; default: equally often")
        ->group("Messages");
    addParsed(app_, "--first-send", dialogue_.firstMessage, &present<Template, &Template::parse>,
              "TEXT|@FILE", "Message that each connection begins with, not measured")
        ->group("Messages");
    addParsed(app_, "--first-expect", dialogue_.firstAnswer,
              &present<Expectation, &Expectation::parse>, "ANSWER",
              "Its answer, or the server's greeting; messages wait for it")
        ->group("Messages");
    apps::addFlag(app_, "--no-answer", isOneWay_,
                  "Send only: a message is done when the kernel has taken it; answers are ignored")
        ->group("Messages");
    apps::addFlag(app_, "--connect-only", connectOnly_,
                  "Send nothing: connect and close, again and again; latency is that of "
                  "connecting, with --tls up to the end of the handshake")
        ->group("Messages");
}

void LoadCommandLine::addLoad() {
    addParsed(app_, "--size", options_.size, &SizeDistribution::parse, "BYTES",
              "Message size without framing: 64, 64-4096 (uniform),\nor 64:70,1500:30 (weighted)")
        ->default_str("64")
        ->group("Load");
    addCount(app_, "--pipeline", options_.pipeline, 1, 65'536,
             "Maximum messages in flight per connection (open loop:\n1024); later ones wait, "
             "and the wait counts as latency")
        ->group("Load");
    addTime(app_, "--think", options_.think, 0s, longestTime,
            "Closed loop: pause between an answer and the next\nmessage")
        ->group("Load");
    addTime(app_, "-d,--duration", options_.duration, 1ms, longestTime,
            "Measured time, after connecting and --warmup")
        ->group("Load");
    addParsed(
        app_, "-n,--messages", options_.messages,
        [](const std::string& text) {
            return apps::parseCountWithin(1, std::uint64_t{1} << 53, text);
        },
        "N", "Number of messages over all connections, then the run ends; no warm-up")
        ->group("Load");
    addTime(app_, "--warmup", options_.warmup, 0s, longestTime, "Load before that, not measured")
        ->group("Load");
    addTime(app_, "--timeout", options_.answerTimeout, 1ms, longestTime,
            "Time until a missing answer is an error")
        ->group("Load");
    addCount(app_, "--seed", options_.seed, 0, std::uint64_t{1} << 53,
             "Seed of all random numbers: same seed, same load")
        ->group("Load");
    apps::addDispatchers(app_, options_.threads, options_.selector);
    app_.get_option("--threads")->group("Load");
    app_.get_option("--selector")->group("Load");
}

void LoadCommandLine::addOpenLoop() {
    addParsed(app_, "-r,--rate", options_.rate, &present<RateCurve, parseConstantRate>, "RATE",
              "Messages per second over all connections; the first\nrate that --find-max tries "
              "(1k)")
        ->group("Open loop");
    addParsed(
        app_, "--stages", options_.rate, &present<RateCurve, RateCurve::parseStages>,
        "TIME:RATE,...",
        "Successive rates, including the warm-up:\n10s:1k,30s:1k-5k; --duration is their length "
        "less\nthe warm-up")
        ->group("Open loop");
    const std::map<std::string, Arrivals> arrivals{{"constant", Arrivals::constant},
                                                   {"poisson", Arrivals::poisson}};
    apps::addChoice(app_, "--arrivals", options_.arrivals, arrivals, "constant",
                    "Gaps between messages: constant, or poisson (like\nindependent users)")
        ->group("Open loop");
    addTime(app_, "--busy-poll", options_.spin, 0s, 1s,
            "Busy-poll this long before a message is due: exact send\ntimes, costs CPU; 0: never. "
            "In a closed loop:\nbusy-poll for answers before sleeping")
        ->group("Open loop");
    addParsed(app_, "--max-lateness", options_.maxLateness, &parseMaxLateness, "TIME:PERCENT%",
              "The generator is late if more than this share of the\nmessages is sent later than "
              "this")
        ->default_str("1ms:1%")
        ->group("Open loop");
}

void LoadCommandLine::addConnections() {
    addCount(app_, "-c,--connections", options_.connections, 1, 1'000'000, "Concurrent connections")
        ->group("Connections");
    addParsed(app_, "--connect-rate", options_.connectRate, &apps::parseRate, "RATE",
              "New connections per second; default: no limit")
        ->group("Connections");
    addTime(app_, "--connect-timeout", options_.connectTimeout, 1ms, longestTime,
            "Time until a connect fails")
        ->group("Connections");
    apps::addFlag(app_, "--no-reconnect", noReconnect_,
                  "Open loop: do not replace a connection that is lost")
        ->group("Connections");
    apps::addKeepAlive(app_, options_.keepAlive)->default_str("none")->group("Connections");
    addParsed(
        app_, "--lifetime", options_.lifetime, &Lifetime::parse, "TIME|Nmsg",
        "Close and reopen a connection after this time or\nnumber of messages: 500ms, 100msg, "
        "500ms,100msg")
        ->group("Connections");
    addParsed(app_, "--close", options_.closing, &CloseMix::parse, "WAY[:WEIGHT],...",
              "How --lifetime closes: clean, rst, half (half-close\nbefore the answers), or a mix: "
              "clean:80,rst:20")
        ->default_str("clean")
        ->group("Connections");
}

void LoadCommandLine::addVerdict() {
    addRepeated(app_, "--require", options_.requirements, &Requirement::parse, "FIGURE<BOUND",
                "Requirement, exit code 4 if missed: 'p99<2ms',\nerrors=0, 'p99<=before+10%' (with "
                "--compare); may be repeated")
        ->group("Verdict");
    addParsed(app_, "--find-max", options_.findMax, &present<Requirement, Requirement::parse>,
              "FIGURE<TIME", "Find the highest rate that meets this: 'p99<1ms'")
        ->group("Verdict");
    addCount(app_, "--repeat", options_.repeat, 1, 1'000,
             "Number of runs; reports the median and its confidence\ninterval")
        ->group("Verdict");
    addParsed(app_, "--server-pid", options_.serverPid, &present<int, parseProcess>, "PID",
              "Also report CPU time per echo and memory of this\nlocal process")
        ->group("Verdict");
}

CLI::Option* LoadCommandLine::addFile(const std::string& option, std::string& target,
                                      const std::string& help) {
    return addParsed(app_, option, target, parseFile, "FILE", help)->group("Output");
}

void LoadCommandLine::addOutput() {
    OutputOptions& output = options_.output;
    apps::addFlag(app_, "--quiet", output.quiet, "Show no progress")->group("Output");
    addFile("--json", output.json,
            "Write the report as JSON. For this and all options\nbelow, "
            "FILE - is standard output instead of the text");
    addFile("--json-lines", output.jsonLines, "Write the run over time, one JSON object per line");
    addFile("--csv", output.csv, "Write the run over time as a table");
    addFile("--html", output.html, "Write the report as a page with plots");
    addRepeated(app_, "--compare", output.compare, parseFile, "FILE",
                "Compare with an earlier run's --json file, in the text and on the page of --html; "
                "may be repeated")
        ->group("Output");
    addFile("--hgrm", output.histogram, "Write latencies as HdrHistogram percentiles, in ms");
    addFile("--keep-bad", output.badFrame, "Write the first wrong answer as a hex dump");
}

void LoadCommandLine::addBadClients() {
    const auto ways = waysToMisbehave();
    apps::addChoice(app_, "--misbehave", options_.misbehave, ways, "",
                    "Run misbehaving clients instead of a load:\n" + namesOf(ways))
        ->group("Bad clients");
    addParsed(app_, "--beside", options_.beside, &present<Beside, parseBeside>, "HOW:N",
              "Run N of them beside the load: slowloris:200")
        ->group("Bad clients");
    addTime(app_, "--every", options_.every, 1ms, longestTime,
            "slowloris: interval between two bytes")
        ->group("Bad clients");
    addCount(app_, "--count", options_.count, 1, 1'000'000, "rst-storm: total number of connects")
        ->group("Bad clients");
}

void LoadCommandLine::addManyMachines() {
    apps::addList(app_, "--agents", options_.agents, parseHostPort, "HOST:PORT",
                  "Agents that generate the load; this machine only\ncoordinates")
        ->group("Many machines");
    addParsed(app_, "--token", options_.token, parseToken, "TEXT",
              "Shared secret of the agents; default: environment\nvariable ECHO_CLIENT_TOKEN")
        ->group("Many machines");
}

}  // namespace load
