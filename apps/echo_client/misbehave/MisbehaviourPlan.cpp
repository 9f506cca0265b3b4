#include "echo_client/misbehave/MisbehaviourPlan.h"

#include <algorithm>

#include "echo_client/load/DialLine.h"

namespace load {

namespace {

Script scriptFor(const LoadOptions& options) {
    switch (*options.misbehave) {
        case Misbehaviour::slowloris: return Script::endlessMessage(options);
        case Misbehaviour::halfMessage: return Script::halfMessage(options);
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

}  // namespace

MisbehaviourPlan::MisbehaviourPlan(const LoadOptions& options, const nio::SocketAddress& server)
    : options_(options), server_(server), script_(scriptFor(options)), stream_(streamOptions()) {}

// The storm means to overrun the server's backlog.
std::size_t MisbehaviourPlan::linesOf(Share share) const {
    const std::size_t mine = share.of(options_.connections);
    const bool storm = kind() == Misbehaviour::rstStorm;
    return std::min(mine, storm ? connectsOf(share) : DialLine::mostLines);
}

std::size_t MisbehaviourPlan::connectsOf(Share share) const {
    const bool storm = kind() == Misbehaviour::rstStorm;
    return share.of(storm ? options_.count : options_.connections);
}

std::optional<nio::SocketAddress> MisbehaviourPlan::sourceOf(std::size_t connection) const {
    if (options_.sources.empty()) return std::nullopt;
    return options_.sources[connection % options_.sources.size()];
}

Duration MisbehaviourPlan::firstPauseOf(std::size_t connection) const {
    const double share =
        static_cast<double>(connection + 1) / static_cast<double>(options_.connections);
    return std::chrono::duration_cast<Duration>(options_.every * share);
}

}  // namespace load
