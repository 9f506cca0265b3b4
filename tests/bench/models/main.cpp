#include <csignal>
#include <iostream>

#include <nio/net/SignalHandler.h>

#include "bench/models/Model.h"
#include "common/CommandLine.h"

namespace {

int serve(const models::ModelOptions& options) {
    // Before it says that it listens: who reads that may end it at once.
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    const std::unique_ptr<models::Model> model = options.kind->make(options);
    std::cout << "model-server listening on " + model->address() + " (" + options.kind->name +
                     ", " + model->threads() + ")"
              << std::endl;
    model->run();
    return apps::exitOk;
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess();
    int exitCode = apps::exitOk;
    const auto options = models::parseModelOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return serve(*options);
    } catch (const std::exception& error) {
        return apps::fail("model-server", error.what(), apps::exitFailed);
    }
}
