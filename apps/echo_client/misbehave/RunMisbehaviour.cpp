#include "echo_client/misbehave/RunMisbehaviour.h"

#include <csignal>
#include <iostream>

#include <nio/net/SignalHandler.h>
#include <nio/sys/LineSink.h>

#include "common/CommandLine.h"
#include "echo_client/misbehave/Misbehaver.h"
#include "echo_client/misbehave/MisbehaviourReport.h"
#include "echo_client/run/Conclusion.h"

namespace load {

namespace {

// False: it could not be written.
bool print(const MisbehaviourReport& report, OutputFile& json) {
    const bool prints = !report.isTotalFailure() && !json.isStandardOutput();
    if (prints) std::cout << report.toText() << std::flush;
    json.write(report.toJson());
    return json.good() && std::cout;
}

MisbehaviourProgress progressOf(const LoadOptions& options) {
    if (options.output.quiet) return {};
    return [&options](const MisbehaviourFigures& total) {
        const std::string line = MisbehaviourReport::progressLine(options, total);
        (void)nio::standardError().write({clientProgram, ": ", line, "\n"});
    };
}

}  // namespace

int runMisbehaviour(const LoadOptions& options, const nio::SocketAddress& server,
                    OutputFile& json) {
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    const MisbehaviourReport report(options,
                                    Misbehaver(options, server, progressOf(options)).run());
    apps::letSignalsEndProcess();
    const bool written = print(report, json);
    return conclude(report.exitCode(), report.complaint(), written);
}

}  // namespace load
