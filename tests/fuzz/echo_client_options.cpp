// The command line of echo-client, and the words of one that an agent gets over the network: see
// CommandLineCase.h; and the agent's words are refused exactly if a user's would be, --help and
// --version apart.

#include "echo_client/options/LoadOptionsParser.h"

#include "fuzz/CommandLineCase.h"

namespace {

void run(fuzz::FuzzInput input) {
    const std::vector<std::string> words = fuzz::wordsOf(input);
    bool isFine = false;
    int code = -1;
    fuzz::checkCommandLine("echo-client", words,
                           [&](const std::vector<std::string>& all, int& exitCode) {
                               isFine = load::parseLoadOptions(all, exitCode).has_value();
                               code = exitCode;
                               return isFine;
                           });
    const auto remote = load::readLoadOptions(words);
    if (isFine || code != 0) {
        fuzz::require(remote.ok() == isFine, "an agent judges as the command line does");
    }
    if (!remote) {
        fuzz::require(remote.error().context().find('\n') == std::string::npos,
                      "what is wrong is one line");
    }
}

const fuzz::FuzzTarget target("echo_client_options", run);

}  // namespace
