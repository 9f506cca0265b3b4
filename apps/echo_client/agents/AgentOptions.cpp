#include "echo_client/agents/AgentOptions.h"

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "echo_client/options/OptionValues.h"

namespace load {

namespace {

using apps::addCount;
using apps::addParsed;

constexpr const char* purpose =
    "Generates a share of a load for a coordinator\n"
    "(echo-client --agents HOST:PORT,...).\n"
    "Serves one run at a time until SIGINT or SIGTERM ends it.\n"
    "A coordinator with the token can make this machine connect and send to any\n"
    "address.\n"
    "The token is sent unencrypted: listen on a trusted network, or behind a tunnel.";

void add(CLI::App& app, AgentOptions& options) {
    addParsed(app, "--listen", options.listen, parseListen, "HOST:PORT",
              "Address for coordinators; port 0: any free port")
        ->default_str(options.listen.toString());
    addParsed(app, "--token", options.token, parseToken, "TEXT", "Secret shared with coordinators")
        ->envname("ECHO_CLIENT_TOKEN");
    addCount(app, "--threads", options.threads, 0, 1024,
             "Maximum dispatchers of a load; 0: the coordinator's\n--threads");
}

}  // namespace

std::optional<AgentOptions> parseAgentOptions(const std::vector<std::string>& arguments,
                                              int& exitCode) {
    AgentOptions options;
    CLI::App app(purpose, agentProgram);
    apps::addVersion(app, "echo-client");
    add(app, options);
    try {
        apps::parseWords(app, arguments);
        if (options.token.empty()) throw CLI::RequiredError("--token or ECHO_CLIENT_TOKEN");
        return options;
    } catch (const CLI::Success& wish) {
        exitCode = apps::grant(app, wish);
    } catch (const CLI::ParseError& error) {
        exitCode = apps::fail(agentProgram, apps::sentenceOf(app, error) + " (see --help)",
                              apps::exitUsage);
    }
    return std::nullopt;
}

}  // namespace load
