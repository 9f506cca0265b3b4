#include "torture/Options.h"

#include <iostream>

#include "simulation/Arguments.h"

namespace torture {

namespace {

using simulation::Mistake;
using simulation::toNumber;

constexpr std::size_t mostCases = 1'000'000'000;
constexpr std::size_t mostErrno = 4095;
constexpr const char* help =
    ": the library on a simulated kernel of which one call fails, or one allocation\n\n"
    "  --every N         only every Nth case\n"
    "  --most N          let at most the first N of each call fail (200 by default)\n"
    "  --scenario NAME   only this one\n"
    "  --call NAME --nth N --error NUMBER\n"
    "                    with --scenario: this one case in this process, for a debugger\n"
    "  --allocation N    with --scenario: the Nth allocation fails, in this process\n"
    "  --none            with --scenario: nothing fails, in this process\n"
    "  --trace           with these: every step on standard error\n"
    "  --help            this text\n\n";
constexpr const char* exitCodes =
    "Exit code: 0 all is well, 1 a case has failed, or its fault did not strike, 2 the command\n"
    "line is wrong, or the one fault that it names did not strike.\n";

using Names = std::vector<std::string>;

Names scenarioNames() {
    Names names;
    for (const Scenario& scenario : scenarios()) names.push_back(scenario.name);
    return names;
}

Names callNames() {
    Names names;
    for (std::size_t i = 0; i < callCount; ++i) names.push_back(nameOf(static_cast<Call>(i)));
    return names;
}

std::string inALine(const Names& names) {
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : ", ") + name;
    return line;
}

std::string paragraph(const std::string& title, const Names& names) {
    constexpr std::size_t columns = 78;
    std::string text = title;
    std::size_t column = title.size();
    for (const std::string& name : names) {
        const bool fits = column + 1 + name.size() <= columns;
        text += (fits ? " " : "\n    ") + name;
        column = (fits ? column + 1 : 4) + name.size();
    }
    return text + "\n\n";
}

Mistake noneOf(const std::string& option, const std::string& value, const Names& names) {
    return Mistake(option + ": '" + value + "' is none of " + inALine(names));
}

class Reader {
  public:
    Reader(int argc, char** argv) : arguments_(argc, argv) {}

    Options read() {
        while (arguments_.left() > 0) {
            const std::string name = arguments_.next();
            if (!isFlag(name)) readValue(name);
        }
        check();
        if (call_) options_.fault = {*call_, *nth_, *error_};
        return options_;
    }

  private:
    bool isFlag(const std::string& name) {
        if (name == "--trace") return options_.prints = true;
        if (name == "--none") return isNone_ = true;
        return false;
    }

    void readValue(const std::string& name) {
        if (name == "--scenario") return readScenario(arguments_.valueOf(name));
        if (name == "--call") return readCall(arguments_.valueOf(name));
        if (name == "--nth") return static_cast<void>(nth_ = readNumber(name, mostCases));
        if (name == "--error") {
            error_ = static_cast<int>(readNumber(name, mostErrno));
        } else if (name == "--every") {
            options_.every = readNumber(name, mostCases);
        } else if (name == "--most") {
            options_.most = readNumber(name, mostCases);
        } else if (name == "--allocation") {
            options_.allocation = readNumber(name, mostCases);
        } else {
            throw simulation::unknown(name);
        }
    }

    std::size_t readNumber(const std::string& name, std::size_t most) {
        return toNumber(name, arguments_.valueOf(name), 1, most);
    }

    void readScenario(const std::string& value) {
        options_.scenario = scenarioNamed(value.c_str());
        if (options_.scenario == nullptr) throw noneOf("--scenario", value, scenarioNames());
    }

    void readCall(const std::string& value) {
        call_ = callNamed(value);
        if (!call_) throw noneOf("--call", value, callNames());
    }

    void check() {
        const int cases = (call_ ? 1 : 0) + (options_.allocation > 0 ? 1 : 0) + (isNone_ ? 1 : 0);
        if (cases > 1) throw Mistake("--call, --allocation and --none: only one of them at a time");
        options_.replays = cases == 1;
        need(!call_ || nth_, "--call needs --nth");
        need(!call_ || error_, "--call needs --error");
        need(call_ || !nth_, "--nth needs --call");
        need(call_ || !error_, "--error needs --call");
        need(!options_.replays || options_.scenario != nullptr, "one case needs its --scenario");
        need(options_.replays || !options_.prints, "--trace needs --call, --allocation or --none");
    }

    static void need(bool there, const char* what) {
        if (!there) throw Mistake(what);
    }

    simulation::Arguments arguments_;
    Options options_;
    std::optional<Call> call_;
    std::optional<std::size_t> nth_;
    std::optional<int> error_;
    bool isNone_ = false;
};

}  // namespace

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode) {
    try {
        if (!simulation::Arguments(argc, argv).askForHelp()) return Reader(argc, argv).read();
        std::cout << program_invocation_short_name << help
                  << paragraph("Scenarios:", scenarioNames()) << paragraph("Calls:", callNames())
                  << exitCodes;
        exitCode = 0;
    } catch (const Mistake& mistake) {
        exitCode = simulation::say(mistake);
    }
    return std::nullopt;
}

}  // namespace torture
