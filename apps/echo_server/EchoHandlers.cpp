#include "echo_server/EchoHandlers.h"

#include <nio/net/HandlerFactories.h>

#include "echo_server/PacketEcho.h"
#include "echo_server/RawEcho.h"

namespace echo {

nio::HandlerFactory echoHandlers(const EchoServerOptions& options) {
    auto stream = std::make_shared<nio::StreamOptions>();
    stream->idleTimeout = options.idleTimeout;
    stream->movable = options.rebalance.has_value();
    if (options.framing == apps::Framing::raw) {
        return [stream, verbose = options.verbose](nio::AcceptedConnection connection) {
            auto handler =
                std::make_unique<RawEcho>(std::move(connection.channel), stream, verbose);
            handler->keep(std::move(connection.permit));
            return handler;
        };
    }
    const auto echo = std::make_shared<PacketEcho>(options.verbose);
    return nio::packetHandlers([framing = options.framing] { return apps::makeDecoder(framing); },
                               nio::ListenerFactory([echo] { return echo; }), stream);
}

}  // namespace echo
