#include "common/CommandLine.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <cctype>
#include <cmath>
#include <iostream>
#include <sstream>

#include <nio/dispatch/BusyEdge.h>
#include <nio/dispatch/FlightDump.h>

#include "common/Quantity.h"
#include "common/Version.h"

namespace apps {

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
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

void addVersion(CLI::App& app, const std::string& program) {
    app.set_version_flag("--version", program + " " + version);
    app.get_formatter()->column_width(34);
}

void addEndpoint(CLI::App& app, Endpoint& endpoint, bool mayBeZero) {
    auto* host = app.add_option("--host", endpoint.host, "Host name or numeric address")
                     ->type_name("HOST")
                     ->capture_default_str();
    auto* port = app.add_option("--port", endpoint.port,
                                mayBeZero ? "TCP port; 0 takes a free one" : "TCP port")
                     ->check(within(mayBeZero ? 0 : 1, 65535))
                     ->type_name("PORT")
                     ->capture_default_str();
    app.add_option("--unix", endpoint.unixPath, "Path of a Unix-domain socket instead")
        ->type_name("PATH")
        ->check(CLI::Validator(
            [](std::string& path) { return path.empty() ? "a path must not be empty" : ""; }, ""))
        ->excludes(host)
        ->excludes(port);
}

CLI::Validator within(double low, double high) {
    return CLI::Validator(
        [low, high](std::string& text) -> std::string {
            // It would be read as octal.
            const std::size_t first = text.find_first_not_of("+-");
            const bool octal = first != text.npos && text[first] == '0' &&
                               first + 1 < text.size() && std::isdigit(text[first + 1]) != 0;
            if (octal) return "'" + text + "' begins with a zero";
            double value = 0;
            const bool number = CLI::detail::lexical_cast(text, value);
            if (number && value >= low && value <= high) return {};
            std::ostringstream complaint;
            complaint << "'" << text << "' is no number from " << low << " to " << high;
            return complaint.str();
        },
        "");
}

void addDispatchers(CLI::App& app, std::size_t& threads, nio::SelectorKind& selector) {
    app.add_option("--threads", threads, "Selector threads; 0: one per CPU")
        ->check(within(0, 1024))
        ->type_name("N")
        ->capture_default_str();
    const std::map<std::string, nio::SelectorKind> selectors{{"auto", nio::SelectorKind::automatic},
                                                             {"epoll", nio::SelectorKind::epoll},
                                                             {"poll", nio::SelectorKind::poll},
                                                             {"uring", nio::SelectorKind::uring}};
    addChoice(app, "--selector", selector, selectors, "auto",
              "How readiness is found: auto, epoll, poll or uring");
}

void addSpin(CLI::App& app, std::chrono::nanoseconds& spin) {
    auto read = [&spin](const std::string& text) {
        const auto time = parseDuration(text);
        if (!time) throw CLI::ValidationError("--spin", time.error().context());
        if (time.value() > nio::BusyEdge::longest) {
            throw CLI::ValidationError("--spin", "'" + text + "' is no time from 0 to 1s");
        }
        spin = time.value();
    };
    app.add_option_function<std::string>(
           "--spin", read,
           "Idle threads look for work so long, 50us say, before\nthey sleep: quicker answers, for "
           "CPU while they look; 0: never")
        ->type_name("TIME")
        ->default_str(writeDuration(spin));
}

void addFraming(CLI::App& app, Framing& framing, const std::string& help) {
    addChoice(app, "--framing", framing, framings(), "raw", help);
}

std::chrono::milliseconds secondsOf(double value) {
    return std::chrono::milliseconds(static_cast<long>(std::ceil(value * 1000)));
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wish) {
        return app.exit(wish);
    } catch (const CLI::ParseError& error) {
        return fail(app.get_name(), std::string(error.what()) + " (see --help)", exitUsage);
    }
    return std::nullopt;
}

int fail(const std::string& program, const std::string& line, int code) {
    std::cerr << program + ": " + line + "\n";
    return code;
}

}  // namespace apps
