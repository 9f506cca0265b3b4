#include "echo_client/misbehave/MisbehaviourPlan.h"

#include <algorithm>

namespace load {

namespace {

// So that the others do not overrun the server's backlog; the storm means to.
constexpr std::size_t connectsAtOnce = 256;

Script scriptFor(const LoadOptions& options) {
    switch (*options.misbehave) {
        case Misbehaviour::slowloris: return Script::endlessMessage(options);
        case Misbehaviour::halfOpen: return Script::halfMessage(options);
        case Misbehaviour::rstStorm: return {};
        case Misbehaviour::neverRead:
        case Misbehaviour::oneByte: break;
    }
    return Script::messages(options);
}

std::shared_ptr<const nio::StreamOptions> streamOptions() {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->lingerTimeout = std::chrono::seconds(1);
    return stream;
}

std::size_t share(std::size_t all, std::size_t worker, std::size_t workers) {
    return all / workers + (worker < all % workers ? 1 : 0);
}

}  // namespace

MisbehaviourPlan::MisbehaviourPlan(const LoadOptions& options, const nio::SocketAddress& server)
    : options_(options), server_(server), script_(scriptFor(options)), stream_(streamOptions()) {}

std::size_t MisbehaviourPlan::linesOf(std::size_t worker, std::size_t workers) const {
    const std::size_t mine = share(options_.connections, worker, workers);
    if (kind() != Misbehaviour::rstStorm) return std::min(mine, connectsAtOnce);
    return std::min(mine, connectsOf(worker, workers));
}

std::size_t MisbehaviourPlan::connectsOf(std::size_t worker, std::size_t workers) const {
    const bool storm = kind() == Misbehaviour::rstStorm;
    return share(storm ? options_.count : options_.connections, worker, workers);
}

std::optional<nio::SocketAddress> MisbehaviourPlan::sourceOf(std::size_t connection) const {
    if (options_.sources.empty()) return std::nullopt;
    return options_.sources[connection % options_.sources.size()];
}

}  // namespace load
