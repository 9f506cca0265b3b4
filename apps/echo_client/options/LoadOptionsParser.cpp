#include "echo_client/options/LoadOptionsParser.h"

#include <algorithm>

#include "common/CommandLine.h"
#include "echo_client/options/LoadCommandLine.h"

namespace load {

namespace {

// Of whatever was typed or sent, the error quotes some: it must not leave its line.
nio::Error usage(std::string sentence) {
    std::replace_if(
        sentence.begin(), sentence.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; },
        '?');
    return {std::errc::invalid_argument, sentence};
}

nio::Result<LoadOptions> read(LoadCommandLine& line, const std::vector<std::string>& arguments) {
    try {
        return line.parse(arguments);
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        return usage(error.what());
    }
}

}  // namespace

nio::Result<LoadOptions> readLoadOptions(const std::vector<std::string>& arguments) {
    LoadCommandLine line;
    try {
        return read(line, arguments);
    } catch (const CLI::Success&) {
        return usage("--help and --version are not allowed here");
    }
}

std::optional<LoadOptions> parseLoadOptions(const std::vector<std::string>& arguments,
                                            int& exitCode) {
    LoadCommandLine line;
    try {
        auto options = read(line, arguments);
        if (options) return std::move(options).value();
        exitCode = apps::fail(line.app().get_name(), options.error().context() + " (see --help)",
                              apps::exitUsage);
    } catch (const CLI::Success& wish) {
        exitCode = apps::grant(line.app(), wish);
    }
    return std::nullopt;
}

}  // namespace load
