#include "common/CommandLine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include <nio/loop/IdleWait.h>
#include <nio/observe/FlightDump.h>
#include <nio/sys/LineSink.h>
#include <nio/version.h>

#include "common/OptionTypes.h"
#include "common/Printable.h"

namespace apps {

namespace {

// With less, the stack may be unable to grow, and an exception may be unable to be thrown: both end
// a process without a word. Before the constructors of static objects, which allocate.
[[gnu::constructor(101)]] void requireAddressSpace() {
    constexpr std::size_t least = std::size_t{2} << 20;
    void* const room = ::mmap(nullptr, least, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        (void)nio::standardError().writeAtEnd(
            {program_invocation_short_name,
             ": less than 2 MiB of address space is left: raise its limit (ulimit -v)\n"});
        std::_Exit(exitFailed);
    }
    (void)::munmap(room, least);
}

}  // namespace

void prepareProcess(int dumpSignal) {
    for (int fd = 0; fd <= 2; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
    }
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    nio::FlightDump::Options flight;
    flight.onStall = false;
    flight.signal = dumpSignal;
    nio::FlightDump::install(flight);
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) < 0) return;  // a sandbox
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

void letSignalsEndProcess() {
    for (const int signal : {SIGINT, SIGTERM}) (void)std::signal(signal, SIG_DFL);
}

namespace {

constexpr std::size_t helpColumns = 80;
constexpr std::size_t descriptionColumn = 34;

// Breaks descriptions at spaces.
class HelpFormatter final : public CLI::Formatter {
  public:
    HelpFormatter() { column_width(descriptionColumn); }

    std::string make_option_desc(const CLI::Option* option) const override {
        std::istringstream words(CLI::Formatter::make_option_desc(option));
        std::string text;
        std::size_t columns = 0;
        for (std::string word; words >> word; columns += word.size()) {
            const bool fits = columns + 1 + word.size() <= helpColumns - descriptionColumn;
            if (!text.empty()) text += fits ? ' ' : '\n';
            columns = text.empty() || !fits ? 0 : columns + 1;
            text += word;
        }
        return text;
    }
};

}  // namespace

void addVersion(CLI::App& app, const std::string& program) {
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_version_flag("--version", program + " " + nio::version);
}

namespace {

// No address has one colon, and only an address has more.
std::string hostMistake(const std::string& host) {
    const bool isHost =
        host.find_first_of("[]") == std::string::npos && std::ranges::count(host, ':') != 1;
    return isHost ? "" : "'" + host + "' is not a host or address; give the port with --port";
}

std::string unixPathMistake(const std::string& path) {
    if (path.empty()) return "a path must not be empty";
    constexpr std::size_t most = sizeof(sockaddr_un::sun_path) - 1;
    if (path.size() <= most) return "";
    return "the path has " + std::to_string(path.size()) +
           " bytes; a Unix-domain socket path has at most " + std::to_string(most);
}

}  // namespace

CLI::Option* addPort(CLI::App& app, std::uint16_t& port, std::uint16_t low,
                     const std::string& help) {
    return addCount(app, "--port", port, low, 65'535, help)->type_name("PORT");
}

CLI::Option* addHost(CLI::App& app, std::string& host, const std::string& help) {
    const auto unbracket = [](std::string& name) {
        name = withoutBrackets(name);
        return hostMistake(name);
    };
    return app.add_option("--host", host, help)
        ->type_name("HOST")
        ->transform(CLI::Validator(unbracket, ""))
        ->capture_default_str();
}

void addEndpoint(CLI::App& app, Endpoint& endpoint, bool mayBeZero) {
    auto* host = addHost(app, endpoint.host, "Host name or numeric address");
    auto* port = addPort(app, endpoint.port, mayBeZero ? 0 : 1,
                         mayBeZero ? "TCP port; 0: any free port" : "TCP port");
    app.add_option("--unix", endpoint.unixPath,
                   "Unix-domain socket, instead of host and port;\n@NAME: abstract, without a file")
        ->type_name("PATH")
        ->check(CLI::Validator(unixPathMistake, ""))
        ->excludes(host)
        ->excludes(port);
}

std::vector<std::string> splitList(const std::string& option,
                                   const std::vector<std::string>& words) {
    std::vector<std::string> parts;
    for (const std::string& word : words) {
        std::istringstream rest(word + ",");
        for (std::string part; std::getline(rest, part, ',');) {
            if (part.empty()) {
                throw CLI::ValidationError(option, "'" + word + "' has an empty part");
            }
            parts.push_back(part);
        }
    }
    return parts;
}

CLI::Option* addFlag(CLI::App& app, const std::string& option, bool& target,
                     const std::string& help) {
    return app.add_flag(option, target, help)->disable_flag_override();
}

void addDispatchers(CLI::App& app, std::size_t& threads, nio::SelectorKind& selector) {
    addCount(app, "-t,--threads", threads, 0, 1'024, "Dispatcher threads; 0: one per CPU");
    std::map<std::string, nio::SelectorKind> selectors;
    for (const nio::SelectorKind kind : nio::selectorKinds) selectors.emplace(nameOf(kind), kind);
    addChoice(app, "--selector", selector, selectors, "auto",
              "I/O engine: auto, epoll, poll, select or uring");
}

void addBusyPoll(CLI::App& app, std::chrono::nanoseconds& spin) {
    addTime(
        app, "--busy-poll", spin, std::chrono::nanoseconds(0), nio::WaitPolicy::longestSpin,
        "Busy-poll: an idle dispatcher polls this long, such as 50us,\nbefore it sleeps. Lowers "
        "latency, costs CPU; 0: never");
}

void addModeration(CLI::App& app, std::chrono::nanoseconds& moderation) {
    addTime(app, "--moderation", moderation, std::chrono::nanoseconds(0),
            nio::WaitPolicy::longestModeration,
            "Moderate wake-ups: a dispatcher that is woken often gathers\nwhat arrives within this "
            "time, such as 200us, into one turn.\nLowers CPU, costs latency; 0: never");
}

void addFraming(CLI::App& app, Framing& framing, const std::string& help) {
    addChoice(app, "--framing", framing, framings(), "raw", help);
}

namespace {

void refuseEmptyValues(CLI::App& app) {
    const CLI::Validator notEmpty(
        [](std::string& value) { return value.empty() ? "a value must not be empty" : ""; }, "");
    for (CLI::Option* option : app.get_options()) {
        if (option->get_items_expected_max() > 0) option->check(notEmpty);
    }
    for (CLI::App* command : app.get_subcommands({})) refuseEmptyValues(*command);
}

// How many letters must be changed, added or left out (Levenshtein).
std::size_t distance(const std::string& one, const std::string& other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t k = 1; k <= other.size(); ++k) {
            const std::size_t changed = diagonal + (one[i - 1] != other[k - 1]);
            diagonal = row[k];
            row[k] = std::min({changed, row[k] + 1, row[k - 1] + 1});
        }
    }
    return row.back();
}

void addNames(const CLI::App& app, std::vector<std::string>& names) {
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    for (const CLI::App* command : app.get_subcommands()) addNames(*command, names);
}

// Empty: none of them is like `word`.
std::string likeliest(const CLI::App& app, const std::string& word) {
    constexpr std::size_t farthest = 3;
    std::vector<std::string> names;
    addNames(app, names);
    std::string best;
    std::size_t least = farthest;
    for (const std::string& name : names) {
        const bool isBegun = word.size() >= 4 && name.starts_with(word);
        const std::size_t apart = isBegun ? 1 : distance(word, name);
        if (apart < least) {
            least = apart;
            best = name;
        }
    }
    return best;
}

}  // namespace

std::string sentenceOf(const CLI::App& app, const CLI::ParseError& error) {
    const std::string sentence = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return sentence;
    for (const std::string& word : app.remaining(true)) {
        if (!word.starts_with("--")) continue;
        const std::string meant = likeliest(app, word.substr(0, word.find('=')));
        return meant.empty() ? sentence : sentence + "; did you mean " + meant + "?";
    }
    return sentence;
}

int grant(CLI::App& app, const CLI::Success& wish) {
    const int code = app.exit(wish);
    if (std::cout.flush()) return code;
    return fail(app.get_name(), "cannot write to standard output", exitFailed);
}

// "--name=" is made two words: CLI11 would take the next word for its value.
void parseWords(CLI::App& app, const std::vector<std::string>& words) {
    refuseEmptyValues(app);
    std::vector<std::string> reversed;
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
        const bool hasEmptyValue = word->starts_with("--") && word->find('=') + 1 == word->size();
        if (hasEmptyValue) reversed.emplace_back();
        reversed.push_back(hasEmptyValue ? word->substr(0, word->size() - 1) : *word);
    }
    app.parse(std::move(reversed));
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        parseWords(app, {argv + 1, argv + argc});
    } catch (const CLI::Success& wish) {
        return grant(app, wish);
    } catch (const CLI::ParseError& error) {
        return fail(app.get_name(), sentenceOf(app, error) + " (see --help)", exitUsage);
    }
    return std::nullopt;
}

int fail(const std::string& program, const std::string& line, int code) {
    (void)nio::standardError().writeAtEnd({program, ": ", printable(line), "\n"});
    return code;
}

}  // namespace apps
