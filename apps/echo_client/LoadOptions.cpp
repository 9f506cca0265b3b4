#include "echo_client/LoadOptions.h"

#include <algorithm>
#include <thread>

#include <nio/sys/Kernel.h>

#include "common/CommandLine.h"

namespace load {

namespace {

constexpr const char* program = "echo-client";
constexpr double maxBytesUnderWay = 2e9;

void addLoad(CLI::App& app, LoadOptions& options, double& duration, double& warmup) {
    app.add_option("--connections", options.connections, "Connections at once")
        ->check(apps::within(1, 1e6))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--size", options.messageBytes, "Bytes of a message, without framing")
        ->check(apps::within(1, 1e9))
        ->type_name("BYTES")
        ->capture_default_str();
    app.add_option("--pipeline", options.pipeline, "Messages under way per connection")
        ->check(apps::within(1, 65'536))
        ->type_name("DEPTH")
        ->capture_default_str();
    app.add_option("--duration", duration, "Seconds that are measured, once all is connected")
        ->check(apps::within(0.001, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--warmup", warmup, "Seconds of load before that, not measured")
        ->check(apps::within(0, apps::maxSeconds))
        ->type_name("SECONDS")
        ->capture_default_str();
}

void addOutput(CLI::App& app, LoadOptions& options) {
    app.add_option("--json", options.jsonPath,
                   "Writes the report to a file too, as JSON; -: to standard output instead")
        ->type_name("FILE");
    app.add_flag("--quiet", options.quiet, "No progress while it runs");
}

std::vector<nio::SocketAddress> addressesOf(const std::vector<std::string>& hosts) {
    std::vector<nio::SocketAddress> addresses;
    for (const std::string& host : hosts) {
        auto address = nio::SocketAddress::numeric(host, 0);
        if (!address) throw CLI::ValidationError("--source", "not an address: " + host);
        addresses.push_back(address.value());
    }
    return addresses;
}

void checkSize(const LoadOptions& options) {
    const std::size_t largest = largestMessage(options.framing);
    if (options.messageBytes > largest) {
        throw CLI::ValidationError(
            "--size", "at most " + std::to_string(largest) + " bytes with this framing");
    }
    const double underWay = static_cast<double>(options.messageBytes) *
                            static_cast<double>(options.pipeline) *
                            static_cast<double>(options.connections);
    if (underWay <= maxBytesUnderWay) return;
    throw CLI::ValidationError("--size",
                               "with --pipeline and --connections more than 2 GB would "
                               "be under way at once");
}

}  // namespace

std::optional<LoadOptions> parseLoadOptions(int argc, char** argv, int& exitCode) {
    LoadOptions options;
    double duration = 5;
    double warmup = 0.5;
    std::vector<std::string> sources;

    CLI::App app(
        "Loads an echo server and checks every byte that comes back. Exit code 0: all was "
        "well, 1: connect or I/O errors, 2: usage, 3: an answer was wrong.",
        program);
    apps::addVersion(app, program);
    apps::addEndpoint(app, options.endpoint, false);
    addLoad(app, options, duration, warmup);
    apps::addDispatchers(app, options.threads, options.selector);
    apps::addFraming(app, options.framing,
                     "What is sent: raw bytes, or packets: stx-etx, lines or length");
    app.add_option("--source", sources, "Addresses to connect from, in turn: A,B,...")
        ->type_name("ADDRESS")
        ->delimiter(',')
        ->excludes("--unix");
    addOutput(app, options);
    app.final_callback([&] {
        options.sources = addressesOf(sources);
        checkSize(options);
    });

    if (const std::optional<int> over = apps::parse(app, argc, argv)) {
        exitCode = *over;
        return std::nullopt;
    }
    options.duration = apps::secondsOf(duration);
    options.warmup = apps::secondsOf(warmup);
    return options;
}

std::size_t LoadOptions::dispatchers() const {
    const std::size_t cpus = std::max(1u, std::thread::hardware_concurrency());
    return std::min(threads == 0 ? cpus : threads, connections);
}

std::size_t largestMessage(apps::Framing framing) {
    constexpr std::size_t raw = 16 * 1024 * 1024;
    return framing == apps::Framing::raw ? raw : apps::makeDecoder(framing)->maximumPacketBytes();
}

std::optional<std::string> lacksDescriptors(const LoadOptions& options) {
    // Standard streams, the report's file, signals, timers; selectors and their wake-ups.
    const std::size_t others = 16 + 4 * options.dispatchers();
    const std::size_t limit = nio::kernel::descriptorLimit();
    if (options.connections + others <= limit) return std::nullopt;
    const std::size_t enough = limit > others ? limit - others : 0;
    return "--connections " + std::to_string(options.connections) + ": " + std::to_string(limit) +
           " descriptors (ulimit -n) are enough for " + std::to_string(enough);
}

}  // namespace load
