// The checks and defaults that depend on several options of LoadCommandLine.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "common/Quantity.h"
#include "echo_client/options/LoadCommandLine.h"
#include "echo_client/options/OptionValues.h"

namespace load {

namespace {

constexpr double firstRate = 1'000;  // of --find-max
constexpr std::size_t openLoopPipeline = 1'024;
constexpr double maxBytesUnderWay = 2e9;

// CLI11 could know these, but would fill --help with them.
const std::map<std::string, std::vector<std::string>> exclusions{
    {"--unix", {"--source"}},  // and --host and --port: addEndpoint()
    {"TARGET", {"--host", "--port", "--unix"}},
    {"--messages", {"--warmup", "--find-max"}},
    {"--send", {"--size", "--framing"}},
    {"--no-answer", {"--expect", "--first-expect"}},
    {"--connect-only",
     {"--send", "--no-answer", "--rate", "--stages", "--find-max", "--think", "--pipeline",
      "--lifetime", "--size", "--framing", "--busy-poll"}},
    {"--rate", {"--stages", "--think"}},
    {"--stages", {"--think"}},
    {"--find-max", {"--stages", "--think", "--repeat"}},
    {"--misbehave",
     {"--rate",         "--stages",    "--arrivals",     "--think",        "--pipeline",
      "--require",      "--find-max",  "--repeat",       "--lifetime",     "--close",
      "--agents",       "--token",     "--json-lines",   "--csv",          "--html",
      "--compare",      "--hgrm",      "--keep-bad",     "--server-pid",   "--warmup",
      "--connect-rate", "--busy-poll", "--max-lateness", "--no-reconnect", "--messages",
      "--send",         "--tls",       "--no-answer",    "--connect-only"}},
    {"--server-pid", {"--agents"}},
    {"--beside", {"--misbehave", "--tls", "--agents"}},
};

const std::map<std::string, std::string> companions{
    {"--token", "--agents"}, {"--expect", "--send"},     {"--weights", "--send"},
    {"--cacert", "--tls"},   {"--sni", "--tls"},         {"--insecure", "--tls"},
    {"--resume", "--tls"},   {"--first-send", "--send"}, {"--first-expect", "--send"},
    {"--cert", "--key"},     {"--key", "--cert"}};

void checkPairs(const CLI::App& app) {
    for (const auto& [option, others] : exclusions) {
        for (const auto& other : others) {
            if (app.count(option) > 0 && app.count(other) > 0)
                throw CLI::ExcludesError(option, other);
        }
    }
    for (const auto& [option, other] : companions) {
        if (app.count(option) > 0 && app.count(other) == 0) throw CLI::RequiresError(option, other);
    }
    const auto has = [&app](const char* option) { return app.count(option) > 0; };
    if (has("--send") && !has("--expect") && !has("--no-answer")) {
        throw CLI::RequiresError("--send", "--expect or --no-answer");
    }
    if (has("--close") && !has("--lifetime") && !has("--connect-only")) {
        throw CLI::RequiresError("--close", "--lifetime or --connect-only");
    }
}

// The server, or the file of a run that is over.
void settleTarget(const CLI::App& app, const std::string& target, LoadOptions& options) {
    if (target.empty()) return;
    const auto server = parseHostPort(target);
    if (server) {
        options.endpoint = server.value();
        return;
    }
    if (app.count("--compare") == 0) {
        throw CLI::ValidationError("TARGET", server.error().context());
    }
    const std::set<std::string> others{"TARGET", "--compare", "--require", "--quiet"};
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || others.contains(name)) continue;
        throw CLI::ValidationError(name, "needs a run, but '" + target + "' is not HOST:PORT");
    }
    options.finishedRun = target;
}

void refuseHandshakesWithoutTls(const char* option, const Requirement& requirement,
                                const LoadOptions& options) {
    if (!requirement.needsTls() || options.tls || !options.finishedRun.empty()) return;
    throw CLI::ValidationError(option, "'" + requirement.toString() + "' needs --tls");
}

void checkRequirements(const LoadOptions& options) {
    for (const Requirement& requirement : options.requirements) {
        refuseHandshakesWithoutTls("--require", requirement, options);
        if (!requirement.isRelative() || options.output.compare.size() == 1) continue;
        throw CLI::ValidationError("--require",
                                   "'" + requirement.toString() + "' needs --compare, once");
    }
}

// Messages of a warm-up would not be measured.
void settleMessages(const CLI::App& app, LoadOptions& options) {
    if (options.messages == 0) return;
    options.warmup = Duration::zero();
    if (app.count("--duration") == 0) options.duration = apps::longestTime;
    if (options.connections <= options.messages) return;
    if (app.count("--connections") > 0) {
        throw CLI::ValidationError("--messages", "must be at least the number of --connections");
    }
    options.connections = static_cast<std::size_t>(options.messages);
}

void settleTls(const CLI::App& app, const nio::TlsTrust& trust, bool verifies,
               LoadOptions& options) {
    if (app.count("--tls") == 0) {
        if (app.count("--cert") > 0) throw CLI::RequiresError("--cert", "--tls");
        return;
    }
    options.tls = trust;
    options.tls->verify = verifies;
    if (verifies && options.sni.empty() && !options.endpoint.unixPath.empty()) {
        throw CLI::ValidationError("--tls", "needs --sni or --insecure with --unix");
    }
}

Dialogue dialogueOf(const std::vector<Template>& sends, std::vector<Expectation> expects,
                    std::vector<double> weights, Dialogue dialogue) {
    if (expects.empty()) expects.resize(1);  // --no-answer
    if (expects.size() == 1) expects.resize(sends.size(), expects.front());
    if (expects.size() != sends.size()) {
        throw CLI::ValidationError("--expect", "must be given once, or once for each --send");
    }
    if (weights.empty()) weights.resize(sends.size(), 1);
    if (weights.size() != sends.size()) {
        throw CLI::ValidationError("--weights", "must have a number for each --send");
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
        if (!(weights[i] > 0)) throw CLI::ValidationError("--weights", "must be more than 0");
        dialogue.turns.push_back({sends[i], expects[i], weights[i]});
    }
    return dialogue;
}

// Where an answer ends is known by its arrival only, if any is accepted.
void settlePipeline(const CLI::App& app, LoadOptions& options) {
    if (!options.dialogue || options.isOneWay) return;
    const auto& turns = options.dialogue->turns;
    const auto isAny = [](const Dialogue::Turn& turn) { return turn.answer.isAny(); };
    if (std::none_of(turns.begin(), turns.end(), isAny)) return;
    if (app.count("--pipeline") > 0 && options.pipeline > 1) {
        throw CLI::ValidationError("--pipeline", "must be 1 with --expect any");
    }
    options.pipeline = 1;
}

// A connection is a message, and its life.
void settleConnectOnly(LoadOptions& options, bool connectOnly) {
    if (!connectOnly) return;
    options.connectOnly = true;
    options.pipeline = 0;
    options.lifetime.messages = 1;
}

void checkMisbehaviour(const CLI::App& app, const LoadOptions& options) {
    if (app.count("--count") > 0 && options.misbehave != Misbehaviour::rstStorm) {
        throw CLI::ValidationError("--count", "needs --misbehave rst-storm");
    }
    const auto how = options.beside ? options.beside->how : options.misbehave;
    if (app.count("--every") > 0 && how != Misbehaviour::slowloris) {
        throw CLI::ValidationError("--every", "needs --misbehave slowloris or --beside slowloris");
    }
    const bool isEcho = !options.dialogue && !options.isOneWay && !options.connectOnly;
    if (options.beside && how == Misbehaviour::oneByte && !isEcho) {
        throw CLI::ValidationError("--beside", "one-byte needs a load of echoes");
    }
}

void settleLoop(const CLI::App& app, LoadOptions& options, bool reconnects) {
    if (options.findMax && !options.rate) options.rate = RateCurve::constant(firstRate);
    if (options.isOpenLoop()) {
        options.reconnects = reconnects;
        if (app.count("--pipeline") == 0) options.pipeline = openLoopPipeline;
        return;
    }
    for (const char* option : {"--arrivals", "--max-lateness", "--no-reconnect"}) {
        if (app.count(option) == 0) continue;
        throw CLI::ValidationError(option, "needs --rate, --stages or --find-max");
    }
    for (const Requirement& requirement : options.requirements) {
        if (!requirement.needsOpenLoop() || !options.finishedRun.empty()) continue;
        throw CLI::ValidationError(
            "--require", "'" + requirement.toString() + "' needs --rate, --stages or --find-max");
    }
}

void settleStages(const CLI::App& app, LoadOptions& options) {
    if (!options.rate || !options.rate->hasStages()) return;
    const auto length = options.rate->length();
    if (length <= options.warmup) {
        throw CLI::ValidationError("--stages", "end with the --warmup of " +
                                                   apps::writeDuration(options.warmup) +
                                                   " or before it: nothing would be measured");
    }
    const auto measured = length - options.warmup;
    if (app.count("--duration") == 0) {
        options.duration = measured;
    } else if (options.duration > measured) {
        throw CLI::ValidationError(
            "--duration",
            "is longer than the --stages, less the --warmup: " + apps::writeDuration(measured));
    }
}

void checkFindMax(const LoadOptions& options) {
    if (!options.findMax) return;
    const Requirement& wanted = *options.findMax;
    refuseHandshakesWithoutTls("--find-max", wanted, options);
    if (wanted.isTime() && wanted.isUpperBound() && !wanted.isRelative()) return;
    throw CLI::ValidationError(
        "--find-max",
        "'" + wanted.toString() + "' is not an upper bound of a time, such as p99<1ms");
}

void checkSize(const LoadOptions& options) {
    const std::size_t largest = largestMessage(options.framing);
    if (options.size.largest() > largest) {
        throw CLI::ValidationError(
            "--size", "at most " + std::to_string(largest) + " bytes with this framing");
    }
    // In an open loop the plan decides how much that is; --pipeline is a limit nobody plans for.
    if (options.isOpenLoop()) return;
    const double underWay = static_cast<double>(options.largestMessage()) *
                            static_cast<double>(options.pipeline) *
                            static_cast<double>(options.connections);
    if (underWay <= maxBytesUnderWay) return;
    throw CLI::ValidationError(options.dialogue ? "--send" : "--size",
                               "times --pipeline times --connections is more than 2 GB "
                               "in flight");
}

// It would be asked for a second run while it is busy with the first.
void refuseAnAgentNamedTwice(const LoadOptions& options) {
    std::set<std::string> names;
    for (const apps::Endpoint& agent : options.agents) {
        if (names.insert(agent.toString()).second) continue;
        throw CLI::ValidationError("--agents", "'" + agent.toString() + "' is given twice");
    }
}

void settleAgents(LoadOptions& options) {
    refuseAnAgentNamedTwice(options);
    if (options.connections < options.agents.size()) {
        throw CLI::ValidationError("--connections", "must be at least the number of --agents");
    }
    if (options.agents.empty() || !options.token.empty()) return;
    const char* const known = std::getenv("ECHO_CLIENT_TOKEN");
    if (known == nullptr || *known == '\0') {
        throw CLI::ValidationError("--agents", "needs --token or ECHO_CLIENT_TOKEN");
    }
    const auto token = parseToken(known);
    if (!token) throw CLI::ValidationError("ECHO_CLIENT_TOKEN", token.error().context());
    options.token = token.value();
}

// Two results in one file would overwrite each other, or make a mess of standard output.
void checkOutputs(const OutputOptions& output) {
    const std::pair<const char*, const std::string&> files[] = {
        {"--json", output.json},      {"--json-lines", output.jsonLines},
        {"--csv", output.csv},        {"--html", output.html},
        {"--hgrm", output.histogram}, {"--keep-bad", output.badFrame}};
    std::map<std::string, std::string> owners;
    for (const auto& [option, file] : files) {
        if (file.empty() || file == "/dev/null") continue;
        const auto [owner, isFirst] = owners.emplace(file, option);
        if (isFirst) continue;
        throw CLI::ValidationError(option, "writes to " + (file == "-" ? "standard output" : file) +
                                               ", as " + owner->second + " does");
    }
}

}  // namespace

void LoadCommandLine::settle() {
    checkPairs(app_);
    settleTarget(app_, target_, options_);
    settleMessages(app_, options_);
    settleTls(app_, tls_, !isInsecure_, options_);
    if (!sends_.empty()) options_.dialogue = dialogueOf(sends_, expects_, weights_, dialogue_);
    options_.isOneWay = isOneWay_;
    settleConnectOnly(options_, connectOnly_);
    settleLoop(app_, options_, !noReconnect_);
    settlePipeline(app_, options_);
    settleStages(app_, options_);
    checkMisbehaviour(app_, options_);
    checkRequirements(options_);
    checkFindMax(options_);
    checkSize(options_);
    settleAgents(options_);
    checkOutputs(options_.output);
}

}  // namespace load
