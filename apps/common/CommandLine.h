// What the command lines of all programs have in common: --help and --version, one line on standard
// error for a mistake, exit 2.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/selector/Selector.h>

#include "common/Endpoint.h"
#include "common/Framing.h"

namespace apps {

enum ExitCode { exitOk = 0, exitFailed = 1, exitUsage = 2 };

// First in main: standard streams that are closed become /dev/null, so that no socket takes their
// place; a reader that goes away, or a file at its limit, is an error of the write, not a signal;
// and the process may have as many descriptors as the system allows it. A crash, or `dumpSignal`,
// writes to standard error what the dispatchers did last.
void prepareProcess(int dumpSignal = SIGUSR1);

// For a program that has caught SIGINT and SIGTERM: from now on they end the process, whatever it
// waits for.
void letSignalsEndProcess();

// --version, and the form of --help: at most 80 columns. Before any option or subcommand is added.
void addVersion(CLI::App& app, const std::string& program);
// --port, within [low, 65535].
CLI::Option* addPort(CLI::App& app, std::uint16_t& port, std::uint16_t low,
                     const std::string& help);
// --host, in or without the brackets that a URL puts around an IPv6 address.
CLI::Option* addHost(CLI::App& app, std::string& host, const std::string& help);
// --host, --port, --unix (which excludes the other two).
void addEndpoint(CLI::App& app, Endpoint& endpoint, bool mayBeZero);

// One of the names in `choices`; `target` keeps its value, whose name is `standard`, otherwise.
template <class T>
CLI::Option* addChoice(CLI::App& app, const std::string& option, T& target,
                       const std::map<std::string, T>& choices, const std::string& standard,
                       const std::string& help) {
    auto choose = [option, &target, choices](const std::string& name) {
        const auto found = choices.find(name);
        if (found != choices.end()) return static_cast<void>(target = found->second);
        std::string names;
        for (const auto& choice : choices) names += (names.empty() ? "" : ", ") + choice.first;
        throw CLI::ValidationError(option, "'" + name + "' is not one of " + names);
    };
    return app.add_option_function<std::string>(option, choose, help)
        ->type_name("NAME")
        ->default_str(standard);
}

// The parts of "A,B,C", of each word. An empty part throws CLI::ValidationError.
std::vector<std::string> splitList(const std::string& option,
                                   const std::vector<std::string>& words);

// On if it is there: it takes no value.
CLI::Option* addFlag(CLI::App& app, const std::string& option, bool& target,
                     const std::string& help);

// --threads and --selector.
void addDispatchers(CLI::App& app, std::size_t& threads, nio::SelectorKind& selector);
// --busy-poll: of the dispatchers, see SelectorThreadOptions::spin.
void addBusyPoll(CLI::App& app, std::chrono::nanoseconds& spin);
// --moderation: of the dispatchers, see SelectorThreadOptions::moderation.
void addModeration(CLI::App& app, std::chrono::nanoseconds& moderation);
void addFraming(CLI::App& app, Framing& framing, const std::string& help);

// Parses the words behind the program's name. Each option that takes a value refuses an empty one,
// also as "--name=": an unset variable of a script.
// Errors: CLI::ParseError.
void parseWords(CLI::App& app, const std::vector<std::string>& words);

// What the user is told of a mistake: CLI11's sentence and, of an unknown option, the one that may
// have been meant.
std::string sentenceOf(const CLI::App& app, const CLI::ParseError& error);

// Writes what was wished for, --help or --version, to standard output. The exit code.
int grant(CLI::App& app, const CLI::Success& wish);

// Absent: go on. Otherwise exit with it; what there was to say has been said.
std::optional<int> parse(CLI::App& app, int argc, char** argv);

// The last line of a program, "PROGRAM: line" on standard error; returns `code`.
int fail(const std::string& program, const std::string& line, int code);

}  // namespace apps
