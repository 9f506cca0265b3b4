#include <nio/connection/Pipe.h>

#include <nio/codec/RawDecoder.h>
#include <nio/connection/Relay.h>

namespace nio {

Result<void> pipe(PacketChannel& first, PacketChannel& second) {
    if (Result<void> checked = Relay::canRelay(first, second); !checked) return checked;
    Relay::begin(std::make_shared<Relay>(first, second),
                 {std::make_unique<RawDecoder>(), std::make_unique<RawDecoder>()});
    return {};
}

}  // namespace nio
