#include <nio/net/HandlerFactories.h>

namespace nio {

HandlerFactory packetHandlers(DecoderFactory makeDecoder, ListenerFactory makeListener,
                              std::shared_ptr<const StreamOptions> options) {
    return [makeDecoder = std::move(makeDecoder), makeListener = std::move(makeListener),
            options = std::move(options)](AcceptedConnection connection) {
        auto channel = std::make_unique<PacketChannel>(std::move(connection.channel), makeDecoder(),
                                                       makeListener(), options);
        channel->keep(std::move(connection.permit));
        return channel;
    };
}

}  // namespace nio
