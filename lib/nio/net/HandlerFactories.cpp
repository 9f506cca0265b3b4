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

HandlerFactory packetHandlers(DecoderFactory makeDecoder,
                              std::shared_ptr<PacketChannelListener> listener,
                              std::shared_ptr<const StreamOptions> options) {
    return packetHandlers(std::move(makeDecoder),
                          ListenerFactory([listener = std::move(listener)] { return listener; }),
                          std::move(options));
}

}  // namespace nio
