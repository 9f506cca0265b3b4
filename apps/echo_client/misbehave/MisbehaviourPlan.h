// What all workers of a misbehaviour go by.
//
// Thread: any; not changed once made. Lifetime: longer than all connections.
#pragma once

#include <memory>
#include <optional>

#include <nio/connection/StreamOptions.h>

#include "echo_client/misbehave/Script.h"
#include "echo_client/plan/Share.h"

namespace load {

class MisbehaviourPlan {
  public:
    // options.misbehave is there.
    MisbehaviourPlan(const LoadOptions& options, const nio::SocketAddress& server);

    Misbehaviour kind() const { return *options_.misbehave; }
    const LoadOptions& options() const { return options_; }
    const nio::SocketAddress& server() const { return server_; }
    const Script& script() const { return script_; }
    const std::shared_ptr<const nio::StreamOptions>& stream() const { return stream_; }

    // What one worker of so many makes: connects at once, and in all.
    std::size_t linesOf(Share share) const;
    std::size_t connectsOf(Share share) const;
    std::optional<nio::SocketAddress> sourceOf(std::size_t connection) const;
    // From the first byte of slowloris to the second: one takes turns with the others from then on,
    // as clients do that know nothing of each other.
    Duration firstPauseOf(std::size_t connection) const;
    // Its connections do not read: how the server ends them must be found out otherwise.
    bool isDeaf() const {
        return kind() == Misbehaviour::neverRead || kind() == Misbehaviour::halfMessage;
    }

  private:
    const LoadOptions options_;
    const nio::SocketAddress server_;
    const Script script_;
    const std::shared_ptr<const nio::StreamOptions> stream_;
};

}  // namespace load
