// The configuration of sms-router, with settings of its command line. What must hold: no crash and
// no exception; a configuration, or mistakes, never both; each mistake and warning is one line, and
// is of a line that the file has.
//
// Input: the settings, each ended by a line feed, up to an empty one; then the file.

#include <algorithm>

#include "sms_router/config/ConfigReader.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

std::string_view takeLine(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

bool isOneLine(const std::string& text) {
    return text.find('\n') == std::string::npos && text.find('\0') == std::string::npos;
}

void run(fuzz::FuzzInput input) {
    std::string_view rest = input.rest();
    router::Settings settings;
    for (std::string_view line = takeLine(rest); !line.empty(); line = takeLine(rest)) {
        settings.emplace_back(line.substr(0, line.find('\0')));  // none is in an argument
    }
    const std::string toml(rest);
    const auto lines = std::count(toml.begin(), toml.end(), '\n') + 1;

    const router::ConfigReading reading = router::readConfig(toml, settings);
    require((reading.config != nullptr) == reading.mistakes.empty(), "a configuration or mistakes");
    for (const router::ConfigMistake& mistake : reading.mistakes) {
        require(mistake.line >= 0 && mistake.line <= lines, "a mistake is in a line of the file");
        const std::string told = router::describe("router.toml", mistake);
        require(isOneLine(told), "a mistake is one line: " + told);
    }
    for (const std::string& warning : reading.warnings) {
        require(isOneLine(warning), "a warning is one line: " + warning);
    }
}

const fuzz::FuzzTarget target("router_config", run);

}  // namespace
