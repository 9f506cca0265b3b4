#include "torture/Options.h"

#include <charconv>
#include <cstring>
#include <iostream>
#include <string_view>

namespace torture {

namespace {

constexpr const char* help =
    "nio-torture: the library on a simulated kernel of which one call fails, or one allocation\n\n"
    "  --every N         only every Nth case\n"
    "  --most N          let at most the first N of each call fail (200 by default)\n"
    "  --scenario NAME   only this one\n"
    "  --call NAME --nth N --error NUMBER\n"
    "                    with --scenario: this one case in this process, for a debugger\n"
    "  --allocation N    with --scenario: the Nth allocation fails, in this process\n"
    "  --none            with --scenario: nothing fails, in this process\n"
    "  --trace           with these: every step on standard error\n"
    "  --help            this text\n\n"
    "Exit code: 0 all is well, 1 a case has failed, 2 the command line is wrong.\n";

bool readNumber(std::string_view text, std::size_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

bool readCall(const char* name, Options& options) {
    const std::optional<Call> call = callNamed(name);
    if (!call) return false;
    if (!options.fault) options.fault.emplace();
    options.fault->call = *call;
    return options.replays = true;
}

bool readError(std::string_view value, Options& options) {
    std::size_t number = 0;
    if (!readNumber(value, number) || !options.fault) return false;
    options.fault->error = static_cast<int>(number);
    return true;
}

bool readValue(std::string_view name, const char* value, Options& options) {
    if (name == "--scenario") return (options.scenario = scenarioNamed(value)) != nullptr;
    if (name == "--call") return readCall(value, options);
    if (name == "--nth") return options.fault && readNumber(value, options.fault->nth);
    if (name == "--error") return readError(value, options);
    if (name == "--every") return readNumber(value, options.every) && options.every > 0;
    if (name == "--most") return readNumber(value, options.most);
    if (name != "--allocation") return false;
    options.replays = true;
    return readNumber(value, options.allocation);
}

bool readFlag(std::string_view name, Options& options) {
    if (name == "--trace") return options.prints = true;
    if (name == "--none") return options.replays = true;
    return false;
}

}  // namespace

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--help") == 0) {
            std::cout << help;
            exitCode = 0;
            return std::nullopt;
        }
        if (readFlag(argv[i], options)) continue;
        if (i + 1 < argc && readValue(argv[i], argv[i + 1], options)) {
            ++i;
            continue;
        }
        std::cerr << "nio-torture: what is " << argv[i] << "? See --help.\n";
        exitCode = 2;
        return std::nullopt;
    }
    if (!options.replays || options.scenario != nullptr) return options;
    std::cerr << "nio-torture: one case needs its --scenario\n";
    exitCode = 2;
    return std::nullopt;
}

}  // namespace torture
