// What the command lines of the test programs have in common: a mistake is one line on standard
// error, exit code 2.
//
// Thread: a value.
// Errors: a Mistake says what is wrong.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

// A type of its own: what the library throws is none.
struct Mistake : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

class Arguments {
  public:
    Arguments(int argc, char** argv) : all_(argv + (argc > 0 ? 1 : 0), argv + argc) {}

    bool askForHelp() const { return std::find(all_.begin(), all_.end(), "--help") != all_.end(); }
    std::size_t left() const { return all_.size() - at_; }
    std::string next() { return all_[at_++]; }
    std::string valueOf(const std::string& option) {
        if (left() == 0) throw Mistake(option + " needs a value; --help says which");
        return next();
    }

  private:
    const std::vector<std::string> all_;
    std::size_t at_ = 0;
};

inline Mistake unknown(const std::string& argument) {
    return Mistake("'" + argument + "' is not understood; --help says what is");
}

inline std::optional<std::uint64_t> numberIn(std::string_view text, std::uint64_t least,
                                             std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = error == std::errc{} && end == text.data() + text.size();
    if (!isNumber || number < least || number > most) return std::nullopt;
    return number;
}

// `name`: of the option, for who is told of a mistake.
inline std::uint64_t toNumber(const std::string& name, const std::string& text, std::uint64_t least,
                              std::uint64_t most) {
    if (const auto number = numberIn(text, least, most)) return *number;
    throw Mistake(name + ": '" + text + "' is not a number from " + std::to_string(least) + " to " +
                  std::to_string(most));
}

// The exit code.
inline int say(const std::exception& mistake) {
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, mistake.what());
    return 2;
}

}  // namespace simulation
