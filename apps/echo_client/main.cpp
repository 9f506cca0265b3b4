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

void print(const load::LoadReport& report, const load::LoadOptions& options,
           std::ofstream& jsonFile) {
    if (options.jsonPath == "-") {
        std::cout << report.toJson() << std::flush;
    } else {
        if (!report.isTotalFailure()) std::cout << report.toText() << std::flush;
        if (!options.jsonPath.empty()) jsonFile << report.toJson() << std::flush;
    }
}

int runLoad(const load::LoadPlan& plan, std::ofstream& jsonFile) {
    const load::LoadOptions& options = plan.options();
    load::ProgressLine progress(std::cerr, ::isatty(STDERR_FILENO) == 1);
    load::LoadGenerator generator(plan, options.quiet ? nullptr : &progress);
    const load::LoadReport report(options, generator.run());
    print(report, options, jsonFile);
    if (const std::string complaint = report.complaint(); !complaint.empty()) {
        return apps::fail(program, complaint, report.exitCode());
    }
    return report.exitCode();
}

int start(const load::LoadOptions& options) {
    if (const auto lack = load::lacksDescriptors(options)) {
        return apps::fail(program, *lack, apps::exitUsage);
    }
    std::ofstream jsonFile;
    if (!options.jsonPath.empty() && options.jsonPath != "-") {
        jsonFile.open(options.jsonPath);
        if (!jsonFile) {
            return apps::fail(program, "--json " + options.jsonPath + ": cannot be written",
                              apps::exitUsage);
        }
    }
    const auto server = load::findServer(options.endpoint);
    if (!server) {
        const bool unknown =
            server.error().is(nio::Errc::nameNotFound) || server.error().is(nio::Errc::badAddress);
        return apps::fail(program, server.error().message(),
                          unknown ? apps::exitUsage : apps::exitFailed);
    }
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    return runLoad(load::LoadPlan(options, server.value()), jsonFile);
}

}  // namespace

int main(int argc, char** argv) {
    int exitCode = apps::exitOk;
    const auto options = load::parseLoadOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return start(*options);
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
