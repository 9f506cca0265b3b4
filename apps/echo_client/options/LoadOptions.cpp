#include "echo_client/options/LoadOptions.h"

#include <algorithm>
#include <limits>
#include <thread>

#include <nio/sys/Kernel.h>

#include "common/Quantity.h"

namespace load {

const std::map<std::string, Misbehaviour>& misbehaviours() {
    static const std::map<std::string, Misbehaviour> names{
        {"slowloris", Misbehaviour::slowloris},
        {"never-read", Misbehaviour::neverRead},
        {"rst-storm", Misbehaviour::rstStorm},
        {"one-byte", Misbehaviour::oneByte},
        {"half-message", Misbehaviour::halfMessage}};
    return names;
}

std::string nameOf(Misbehaviour misbehaviour) {
    for (const auto& [name, value] : misbehaviours()) {
        if (value == misbehaviour) return name;
    }
    return "";
}

std::string Beside::toString() const {
    return nameOf(how) + ":" + std::to_string(connections);
}

// They last as long as the load, on one dispatcher, so that they take little CPU from it.
LoadOptions besideOptions(const LoadOptions& options) {
    LoadOptions bad = options;
    bad.beside.reset();
    bad.misbehave = options.beside->how;
    bad.connections = options.beside->connections;
    bad.count = std::numeric_limits<std::size_t>::max();
    bad.duration = apps::longestTime;
    bad.threads = 1;
    return bad;
}

std::size_t LoadOptions::dispatchers() const {
    const std::size_t cpus = std::max(1u, std::thread::hardware_concurrency());
    return std::min(threads == 0 ? cpus : threads, connections);
}

ModeWords LoadOptions::words() const {
    if (connectOnly) {
        return {"connect", "connects", "", "Every connection was made.", "no connection was made"};
    }
    if (isOneWay) {
        return {"message", "messages", "sent", "Every message was sent.", "no message was sent"};
    }
    const std::string all = "Every answer was right.";
    if (dialogue) return {"answer", "answers", "each way", all, "no answer was received"};
    return {"echo", "echoes", "each way", all, "no echo was received"};
}

std::size_t largestMessage(apps::Framing framing) {
    constexpr std::size_t raw = 16 * 1024 * 1024;
    return framing == apps::Framing::raw ? raw : apps::makeDecoder(framing)->maximumPacketBytes();
}

std::optional<std::string> lacksDescriptors(const LoadOptions& options) {
    if (!options.agents.empty()) return std::nullopt;  // they have the connections, and will say so
    // Standard streams, the report's file, signals, timers; selectors and their wake-ups.
    const std::size_t besides = options.beside ? 2 : 0;  // dispatchers of theirs
    const std::size_t others = 16 + 4 * (options.dispatchers() + besides);
    const std::size_t limit = nio::kernel::descriptorLimit();
    const std::size_t bad = options.beside ? options.beside->connections : 0;
    if (options.connections + bad + others <= limit) return std::nullopt;
    const std::size_t enough = limit > others ? limit - others : 0;
    const std::string beside = options.beside ? " --beside " + options.beside->toString() : "";
    return "--connections " + std::to_string(options.connections) + beside + ": the limit of " +
           std::to_string(limit) + " file descriptors (ulimit -n) allows only " +
           std::to_string(enough);
}

}  // namespace load
