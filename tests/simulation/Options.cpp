#include "simulation/Options.h"

#include <charconv>
#include <iostream>
#include <string_view>

namespace simulation {

namespace {

constexpr const char* help =
    "nio-simulation: the library and the echo handlers on a simulated kernel\n\n"
    "  --seeds FROM-TO   run these seeds (1-1000 by default)\n"
    "  --seconds N       run seeds for so long, from the first of --seeds on\n"
    "  --seed N          run one seed in this process, for a debugger\n"
    "  --faults LIST     with --seed: only these faults strike, e.g. 3,7-9 or none\n"
    "  --trace           with --seed: every step on standard error\n"
    "  --keep-going      do not stop at the first seed that fails\n"
    "  --no-shrink       do not look for the fewest faults that make a seed fail\n"
    "  --help            this text\n\n"
    "Exit code: 0 all is well, 1 a seed has failed, 2 the command line is wrong.\n";

bool readNumber(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// "7" or "3-9".
bool readRange(std::string_view text, std::uint64_t& from, std::uint64_t& to) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return readNumber(text, from) && readNumber(text, to);
    return readNumber(text.substr(0, dash), from) && readNumber(text.substr(dash + 1), to) &&
           from <= to;
}

bool readFaults(std::string_view text, std::optional<FaultSet>& faults) {
    faults.emplace();
    if (text == "none") return true;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        if (!readRange(text.substr(0, comma), from, to) || to > 1'000'000) return false;
        for (std::uint64_t number = from; number <= to; ++number) faults->insert(number);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return !faults->empty();
}

bool readFlag(std::string_view name, Options& options) {
    if (name == "--trace") return options.prints = true;
    if (name == "--keep-going") return options.keepsGoing = true;
    if (name == "--no-shrink") return !(options.shrinks = false);
    return false;
}

bool readValue(std::string_view name, std::string_view value, Options& options) {
    if (name == "--seeds") return readRange(value, options.from, options.to);
    if (name == "--faults") return readFaults(value, options.faults);
    if (name == "--seed") {
        options.replays = readNumber(value, options.from);
        options.to = options.from;
        return options.replays;
    }
    std::uint64_t seconds = 0;
    if (name != "--seconds" || !readNumber(value, seconds) || seconds > 1'000'000) return false;
    options.seconds = static_cast<unsigned>(seconds);
    return true;
}

}  // namespace

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--help") {
            std::cout << help;
            exitCode = 0;
            return std::nullopt;
        }
        if (readFlag(name, options)) continue;
        if (i + 1 < argc && readValue(name, argv[i + 1], options)) {
            ++i;
            continue;
        }
        std::cerr << "nio-simulation: " << name << ": not understood; --help says more\n";
        exitCode = 2;
        return std::nullopt;
    }
    return options;
}

std::string toString(const FaultSet& faults) {
    std::string text;
    for (auto at = faults.begin(); at != faults.end();) {
        const std::size_t first = *at;
        std::size_t last = first;
        while (++at != faults.end() && *at == last + 1) ++last;
        if (!text.empty()) text += ",";
        text += std::to_string(first);
        if (last > first) text += "-" + std::to_string(last);
    }
    return text.empty() ? "none" : text;
}

}  // namespace simulation
