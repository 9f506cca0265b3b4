#include "echo_client/plan/LoadPlan.h"

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

}  // namespace

LoadPlan::LoadPlan(const LoadOptions& options, const nio::SocketAddress& server)
    : options_(options), server_(server), stream_(streamOptions()) {}

std::optional<nio::SocketAddress> LoadPlan::sourceOf(std::size_t connection) const {
    if (options_.sources.empty()) return std::nullopt;
    return options_.sources[connection % options_.sources.size()];
}

}  // namespace load
