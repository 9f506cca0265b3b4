#include <csignal>

#include <nio/net/SignalHandler.h>
#include <nio/sys/LineSink.h>

#include "common/CommandLine.h"
#include "echo_client/agents/Agent.h"
#include "echo_client/load/ServerAddress.h"
#include "echo_client/misbehave/RunMisbehaviour.h"
#include "echo_client/options/LoadOptionsParser.h"
#include "echo_client/run/Conclusion.h"
#include "echo_client/run/LoadRunner.h"
#include "echo_client/run/Outputs.h"

namespace {

constexpr const char* program = load::clientProgram;

int runLoad(const load::LoadOptions& options, const nio::SocketAddress& server,
            load::Outputs& outputs) {
    const auto tell = [&options](const std::string& line) {
        if (options.output.quiet) return;
        (void)nio::standardError().write({program, ": ", line, "\n"});
    };
    load::LoadRunner runner(options, server, outputs.observers(), tell);
    const load::LoadReport report = runner.run();
    apps::letSignalsEndProcess();
    const bool written = outputs.write(report);
    return load::conclude(report.verdict.exitCode, report.verdict.complaint, written);
}

int start(const load::LoadOptions& options) {
    const bool loadsHere = options.agents.empty();
    if (const auto lack = load::lacksDescriptors(options); lack && loadsHere) {
        return apps::fail(program, *lack, apps::exitUsage);
    }
    load::Outputs outputs(options.output);
    if (const auto mistake = outputs.open()) {
        return apps::fail(program, *mistake, apps::exitUsage);
    }
    // Where it is for the agents, they find out.
    const nio::Result<nio::SocketAddress> server =
        loadsHere ? load::findServer(options.endpoint) : nio::SocketAddress();
    if (!server) {
        const bool unknown =
            server.error().is(nio::Errc::nameNotFound) || server.error().is(nio::Errc::badAddress);
        return apps::fail(program, server.error().message(),
                          unknown ? apps::exitUsage : apps::exitFailed);
    }
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    if (options.misbehave) return load::runMisbehaviour(options, server.value(), outputs.json());
    return runLoad(options, server.value(), outputs);
}

int run(const std::vector<std::string>& arguments) {
    int exitCode = apps::exitOk;
    if (!arguments.empty() && arguments.front() == "agent") {
        const auto options =
            load::parseAgentOptions({arguments.begin() + 1, arguments.end()}, exitCode);
        return options ? load::runAgent(*options) : exitCode;
    }
    const auto options = load::parseLoadOptions(arguments, exitCode);
    return options ? start(*options) : exitCode;
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
