#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>

#include <nio/net/SignalHandler.h>
#include <nio/sys/LineSink.h>

#include "common/CommandLine.h"
#include "echo_client/agents/Agent.h"
#include "echo_client/agents/RemoteCrew.h"
#include "echo_client/load/ServerAddress.h"
#include "echo_client/misbehave/Misbehaver.h"
#include "echo_client/options/LoadOptionsParser.h"
#include "echo_client/report/Comparison.h"
#include "echo_client/report/MisbehaviourReport.h"
#include "echo_client/run/LoadRunner.h"
#include "echo_client/run/Outputs.h"

namespace {

constexpr const char* program = "echo-client";

// Each problem is a line on standard error; returns the gravest exit code. `complaint` may be
// empty.
int conclude(int exitCode, const std::string& complaint, bool reportWritten) {
    if (!complaint.empty()) apps::fail(program, complaint, exitCode);
    if (reportWritten) return exitCode;
    apps::fail(program, "cannot write the report", load::exitIo);
    return load::isGraver(load::exitIo, exitCode) ? int{load::exitIo} : exitCode;
}

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
    if (!report.verdict.warning.empty()) {
        (void)nio::standardError().writeAtEnd(
            {program, ": warning: ", report.verdict.warning, "\n"});
    }
    return conclude(report.verdict.exitCode, report.verdict.complaint, written);
}

load::MisbehaviourProgress progressOf(const load::LoadOptions& options) {
    if (options.output.quiet) return {};
    return [&options](const load::MisbehaviourFigures& total) {
        const std::string line = load::MisbehaviourReport::progressLine(options, total);
        (void)nio::standardError().write({program, ": ", line, "\n"});
    };
}

// False: it could not be written.
bool print(const load::MisbehaviourReport& report, load::OutputFile& json) {
    const bool prints = !report.isTotalFailure() && !json.isStandardOutput();
    if (prints) std::cout << report.toText() << std::flush;
    json.write(report.toJson());
    return json.good() && std::cout;
}

int runMisbehaviour(const load::LoadOptions& options, const nio::SocketAddress& server,
                    load::OutputFile& json) {
    load::Misbehaver misbehaver(options, server, progressOf(options));
    const load::MisbehaviourReport report(options, misbehaver.run());
    apps::letSignalsEndProcess();
    const bool written = print(report, json);
    return conclude(report.exitCode(), report.complaint(), written);
}

// No load: two runs that are over.
int compareFiles(const load::LoadOptions& options, const std::vector<load::EarlierRun>& earlier) {
    const auto now = load::EarlierRun::read(options.finishedRun);
    if (!now) {
        const std::string why = now.error().context();
        return apps::fail(program, why + " (and it is not HOST:PORT)", apps::exitUsage);
    }
    const auto verdict = load::judge(options, now.value());
    if (!verdict) return apps::fail(program, verdict.error().context(), apps::exitUsage);
    for (const load::EarlierRun& before : earlier) {
        std::cout << load::Comparison::of(before, now.value()).toText();
    }
    std::cout << load::toText(verdict.value()) << std::flush;
    return conclude(verdict.value().exitCode, verdict.value().complaint, bool(std::cout));
}

int start(load::LoadOptions options) {
    const bool loadsHere = options.agents.empty() && options.finishedRun.empty();
    if (const auto lack = load::lacksDescriptors(options); lack && loadsHere) {
        return apps::fail(program, *lack, apps::exitUsage);
    }
    if (const auto excess = load::isTooLongForAgents(options)) {
        return apps::fail(program, *excess, apps::exitUsage);
    }
    if (options.tls && loadsHere) {
        const auto context = nio::TlsContext::client(*options.tls);
        if (!context) return apps::fail(program, context.error().message(), apps::exitUsage);
    }
    load::Outputs outputs(options.output);
    if (const auto mistake = outputs.open()) {
        return apps::fail(program, *mistake, apps::exitUsage);
    }
    if (const auto mistake = load::settleRequirements(options.requirements, outputs.earlier())) {
        return apps::fail(program, *mistake, apps::exitUsage);
    }
    if (!options.finishedRun.empty()) return compareFiles(options, outputs.earlier());
    // Agents look the server up themselves.
    const nio::Result<nio::SocketAddress> server =
        loadsHere ? load::findServer(options.endpoint) : nio::SocketAddress();
    if (!server) {
        const bool unknown =
            server.error().is(nio::Errc::nameNotFound) || server.error().is(nio::Errc::badAddress);
        return apps::fail(program, server.error().message(),
                          unknown ? apps::exitUsage : apps::exitFailed);
    }
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    if (options.misbehave) return runMisbehaviour(options, server.value(), outputs.json());
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
    return options ? start(std::move(*options)) : exitCode;
}

// A load that lacks memory measures nothing, and might wait for ever for what it could not begin.
void endWithoutMemory() {
    static std::atomic_flag ends;
    while (ends.test_and_set()) ::pause();
    (void)nio::standardError().writeAtEnd({program, ": out of memory\n"});
    std::_Exit(apps::exitFailed);
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    std::set_new_handler(endWithoutMemory);
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
