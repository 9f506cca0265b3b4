#include "echo_client/load/LoadPlan.h"

#include <algorithm>
#include <limits>

namespace load {

namespace {

// What is under way is bounded by pipeline and size. Were reading to pause while much waits to be
// sent, a server that pauses in the same way and this client would wait for each other.
std::shared_ptr<const nio::StreamOptions> streamOptions() {
    auto options = std::make_shared<nio::StreamOptions>();
    options->outputHighMark = std::numeric_limits<std::size_t>::max();
    options->outputLimit = std::numeric_limits<std::size_t>::max();
    options->lingerTimeout = std::chrono::milliseconds(1000);
    return options;
}

constexpr std::size_t mostOfConnection = 64 * 1024 * 1024;
constexpr std::size_t mostOfAll = 2'000'000'000;

// Of a framing, or of a record of TLS.
constexpr std::size_t mostAroundMessage = 64;
constexpr std::size_t mostOfHandshake = 64 * 1024;

// Never less than what the pipeline of a closed loop may hold: that was checked.
std::size_t unsentLimitOf(const LoadOptions& options) {
    const std::size_t window =
        (options.largestMessage() + mostAroundMessage) * options.pipeline + mostOfHandshake;
    const std::size_t share = mostOfAll / options.connections;
    return options.isOpenLoop() ? std::min({window, share, mostOfConnection}) : window;
}

std::optional<nio::TlsStage> tlsOf(const LoadOptions& options) {
    // Agents read their own files.
    if (!options.tls || !options.agents.empty()) return std::nullopt;
    const std::string name = options.sni.empty() ? options.endpoint.host : options.sni;
    return nio::tls(nio::TlsContext::client(*options.tls).orThrow(), name);
}

}  // namespace

LoadPlan::LoadPlan(const LoadOptions& options, const nio::SocketAddress& server)
    : options_(options),
      server_(server),
      stream_(streamOptions()),
      unsentLimit_(unsentLimitOf(options)),
      tls_(tlsOf(options)) {}

std::optional<nio::SocketAddress> LoadPlan::sourceOf(std::size_t connection) const {
    if (options_.sources.empty()) return std::nullopt;
    return options_.sources[connection % options_.sources.size()];
}

}  // namespace load
