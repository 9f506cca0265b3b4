// The command line of echo-server: see CommandLineCase.h.

#include "echo_server/EchoServerOptions.h"

#include "fuzz/CommandLineCase.h"

namespace {

void run(fuzz::FuzzInput input) {
    fuzz::checkArguments("echo-server", fuzz::wordsOf(input),
                         [](int argc, char** argv, int& exitCode) {
                             return echo::parseEchoServerOptions(argc, argv, exitCode).has_value();
                         });
}

const fuzz::FuzzTarget target("echo_server_options", run);

}  // namespace
