#include "echo_client/agents/AgentOptions.h"

#include "common/CommandLine.h"
#include "common/OptionTypes.h"
#include "echo_client/options/OptionValues.h"

namespace load {

namespace {

using apps::addCount;
using apps::addParsed;

constexpr const char* purpose =
    "Lends this machine to coordinators: echo-client --agents HOST:PORT,... makes it\n"
    "send a share of a load. One run at a time; runs one after the other until SIGINT\n"
    "or SIGTERM ends it.\n"
    "Who knows the token may make this machine connect to any address and send there.\n"
    "The token travels in clear: listen on a trusted network, or behind a tunnel.";

void add(CLI::App& app, AgentOptions& options) {
    addParsed(app, "--listen", options.listen, parseListen, "HOST:PORT",
              "Where coordinators come to; port 0 takes a free one")
        ->default_str(options.listen.toString());
    addParsed(app, "--token", options.token, parseToken, "TEXT",
              "The secret that coordinators must know")
        ->envname("ECHO_CLIENT_TOKEN");
    addCount(app, "--threads", options.threads, 0, 1024,
             "Dispatchers of a load at most; 0: one per CPU, or\nas the coordinator says");
}

}  // namespace

std::optional<AgentOptions> parseAgentOptions(const std::vector<std::string>& arguments,
                                              int& exitCode) {
    AgentOptions options;
    CLI::App app(purpose, agentProgram);
    apps::addVersion(app, "echo-client");
    add(app, options);
    apps::refuseEmptyValues(app);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        if (options.token.empty()) throw CLI::RequiredError("--token or ECHO_CLIENT_TOKEN");
        return options;
    } catch (const CLI::Success& wish) {
        exitCode = apps::grant(app, wish);
    } catch (const CLI::ParseError& error) {
        exitCode =
            apps::fail(agentProgram, std::string(error.what()) + " (see --help)", apps::exitUsage);
    }
    return std::nullopt;
}

}  // namespace load
