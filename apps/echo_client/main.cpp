#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>

#include <nio/handlers/SignalHandler.h>

#include "common/CommandLine.h"
#include "echo_client/LoadGenerator.h"
#include "echo_client/ServerAddress.h"

namespace {

constexpr const char* program = "echo-client";

// False: it could not be written.
bool print(const load::LoadReport& report, const load::LoadOptions& options) {
    if (options.jsonPath == "-")
        return static_cast<bool>(std::cout << report.toJson() << std::flush);
    if (!report.isTotalFailure()) std::cout << report.toText() << std::flush;
    if (options.jsonPath.empty()) return static_cast<bool>(std::cout);
    std::ofstream file(options.jsonPath, std::ios::trunc);
    file << report.toJson() << std::flush;
    return file && std::cout;
}

int runLoad(const load::LoadPlan& plan) {
    const load::LoadOptions& options = plan.options();
    load::ProgressLine progress(std::cerr, ::isatty(STDERR_FILENO) == 1);
    load::LoadGenerator generator(plan, options.quiet ? nullptr : &progress);
    const load::LoadReport report(options, generator.run());
    const bool written = print(report, options);
    if (const std::string complaint = report.complaint(); !complaint.empty()) {
        return apps::fail(program, complaint, report.exitCode());
    }
    if (!written) return apps::fail(program, "the report could not be written", apps::exitFailed);
    return report.exitCode();
}

int start(const load::LoadOptions& options) {
    if (const auto lack = load::lacksDescriptors(options)) {
        return apps::fail(program, *lack, apps::exitUsage);
    }
    // Known before the run, not after it; what the file holds stays until there is a report.
    if (!options.jsonPath.empty() && options.jsonPath != "-" &&
        !std::ofstream(options.jsonPath, std::ios::app)) {
        return apps::fail(program, "--json " + options.jsonPath + ": cannot be written",
                          apps::exitUsage);
    }
    const auto server = load::findServer(options.endpoint);
    if (!server) {
        const bool unknown =
            server.error().is(nio::Errc::nameNotFound) || server.error().is(nio::Errc::badAddress);
        return apps::fail(program, server.error().message(),
                          unknown ? apps::exitUsage : apps::exitFailed);
    }
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    return runLoad(load::LoadPlan(options, server.value()));
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    int exitCode = apps::exitOk;
    const auto options = load::parseLoadOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return start(*options);
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
