// The command line of sms-router: see CommandLineCase.h.

#include "sms_router/app/Commands.h"

#include "fuzz/CommandLineCase.h"

namespace {

void run(fuzz::FuzzInput input) {
    fuzz::checkArguments("sms-router", fuzz::wordsOf(input),
                         [](int argc, char** argv, int& exitCode) {
                             return router::parseRouterOptions(argc, argv, exitCode).has_value();
                         });
}

const fuzz::FuzzTarget target("sms_router_options", run);

}  // namespace
