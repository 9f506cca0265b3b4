#include "echo_server/EchoServerOptions.h"

#include "common/CommandLine.h"

namespace echo {

std::optional<EchoServerOptions> parseEchoServerOptions(int argc, char** argv, int& exitCode) {
    EchoServerOptions options;
    double idle = 0;
    double drain = 5;
    std::string mode;

    CLI::App app(
        "Sends back what it is sent. SIGTERM or SIGINT drains and stops it, a second one "
        "stops it at once.",
        "echo-server");
    apps::addVersion(app, "echo-server");
    apps::addEndpoint(app, options.endpoint, true);
    app.add_option("--unix-mode", mode, "Permission bits of the Unix-domain socket, octal")
        ->check(CLI::Validator(
            [](std::string& text) {
                const bool octal = text.find_first_not_of("01234567") == std::string::npos;
                return octal && text.size() <= 4 ? "" : "not octal permission bits: " + text;
            },
            ""))
        ->type_name("MODE")
        ->needs("--unix");
    apps::addDispatchers(app, options.threads, options.selector);
    apps::addSpin(app, options.spin);
    apps::addFraming(app, options.framing,
                     "What is echoed: raw bytes, or packets: stx-etx, lines or length");
    app.add_option("--idle-timeout", idle,
                   "Seconds without traffic that end a connection; 0: never")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--max-connections", options.maxConnections,
                   "More wait until one ends; 0: what the descriptors allow")
        ->check(apps::within(0, 1e9))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--drain-timeout", drain, "Seconds to answer what is under way before the end")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_flag("--verbose", options.verbose, "A line for every connection that comes and goes");

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.idleTimeout = apps::secondsOf(idle);
    options.drainTimeout = apps::secondsOf(drain);
    if (!mode.empty()) options.unixMode = static_cast<unsigned>(std::stoul(mode, nullptr, 8));
    return options;
}

}  // namespace echo
