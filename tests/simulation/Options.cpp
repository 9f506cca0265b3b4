#include "simulation/Options.h"

#include <iostream>
#include <string_view>

#include "simulation/Arguments.h"
#include "simulation/Simulation.h"

namespace simulation {

namespace {

constexpr std::uint64_t mostFaults = 1'000'000;
constexpr std::uint64_t mostSeconds = 1'000'000;
constexpr const char* help =
    "  --seeds FROM-TO   run these seeds (1-1000 by default)\n"
    "  --seconds N       run seeds for so long, from the first of --seeds on\n"
    "  --seed N          run one seed in this process, for a debugger\n"
    "  --faults LIST     with --seed: only these faults strike, e.g. 3,7-9 or none\n"
    "  --trace           with --seed: every step on standard error\n"
    "  --keep-going      do not stop at the first seed that fails\n"
    "  --no-shrink       do not look for the fewest faults that make a seed fail\n"
    "  --help            this text\n\n"
    "Exit code: 0 all is well, 1 a seed has failed, 2 the command line is wrong.\n";

struct Range {
    std::uint64_t from;
    std::uint64_t to;
};

// "7" or "3-9".
std::optional<Range> rangeIn(std::string_view text, Range within) {
    const std::size_t dash = text.find('-');
    const bool isOne = dash == std::string_view::npos;
    const auto from = numberIn(text.substr(0, dash), within.from, within.to);
    const auto to = isOne ? from : numberIn(text.substr(dash + 1), within.from, within.to);
    if (!from || !to || *from > *to) return std::nullopt;
    return Range{*from, *to};
}

Range toSeeds(const std::string& text) {
    if (const auto seeds = rangeIn(text, {0, UINT64_MAX})) return *seeds;
    throw Mistake("--seeds: '" + text + "' is not a range like 1-1000");
}

FaultSet toFaults(const std::string& text) {
    FaultSet faults;
    if (text == "none") return faults;
    for (std::string_view left = text;;) {
        const std::size_t comma = left.find(',');
        const auto range = rangeIn(left.substr(0, comma), {1, mostFaults});
        if (!range) throw Mistake("--faults: '" + text + "' is not a list like 3,7-9, nor none");
        for (auto number = range->from; number <= range->to; ++number) faults.insert(number);
        if (comma == std::string_view::npos) return faults;
        left.remove_prefix(comma + 1);
    }
}

class Reader {
  public:
    Reader(int argc, char** argv) : arguments_(argc, argv) {}

    Options read() {
        while (arguments_.left() > 0) {
            const std::string name = arguments_.next();
            if (!isFlag(name)) readValue(name);
        }
        if (options_.replays && (hasSeeds_ || options_.seconds)) {
            throw Mistake("--seed runs one seed: neither --seeds nor --seconds go with it");
        }
        if (!options_.replays && options_.faults) throw Mistake("--faults needs --seed");
        if (!options_.replays && options_.prints) throw Mistake("--trace needs --seed");
        if (options_.replays) options_.from = options_.to = seed_;
        return options_;
    }

  private:
    bool isFlag(const std::string& name) {
        if (name == "--trace") return options_.prints = true;
        if (name == "--keep-going") return options_.keepsGoing = true;
        if (name == "--no-shrink") return !(options_.shrinks = false);
        return false;
    }

    void readValue(const std::string& name) {
        if (name == "--seeds") return readSeeds(arguments_.valueOf(name));
        if (name == "--seed") {
            options_.replays = true;
            seed_ = toNumber(name, arguments_.valueOf(name), 0, UINT64_MAX);
        } else if (name == "--faults") {
            options_.faults = toFaults(arguments_.valueOf(name));
        } else if (name == "--seconds") {
            const auto seconds = toNumber(name, arguments_.valueOf(name), 1, mostSeconds);
            options_.seconds = static_cast<unsigned>(seconds);
        } else {
            throw unknown(name);
        }
    }

    void readSeeds(const std::string& text) {
        hasSeeds_ = true;
        const Range seeds = toSeeds(text);
        options_.from = seeds.from;
        options_.to = seeds.to;
    }

    Arguments arguments_;
    Options options_;
    std::uint64_t seed_ = 0;
    bool hasSeeds_ = false;
};

}  // namespace

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode) {
    try {
        if (!Arguments(argc, argv).askForHelp()) return Reader(argc, argv).read();
        std::cout << program_invocation_short_name << ": " << Simulation::subject << "\n\n" << help;
        exitCode = 0;
    } catch (const Mistake& mistake) {
        exitCode = say(mistake);
    }
    return std::nullopt;
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
