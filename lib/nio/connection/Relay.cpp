#include <nio/connection/Relay.h>

#include <nio/codec/RawDecoder.h>
#include <nio/connection/Pipe.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

namespace {

Error refusal(std::errc code, const char* why) {
    return {code, std::string("pipe: ") + why};
}

}  // namespace

Result<void> pipe(PacketChannel& first, PacketChannel& second) {
    if (Result<void> checked = Relay::canRelay(first, second); !checked) return checked;
    Relay::begin(std::make_shared<Relay>(first, second),
                 {std::make_unique<RawDecoder>(), std::make_unique<RawDecoder>()});
    return {};
}

Result<void> Relay::canRelay(const PacketChannel& first, const PacketChannel& second) {
    constexpr std::errc invalid = std::errc::invalid_argument;
    if (&first == &second) return refusal(invalid, "both ends are the same connection");
    if (first.mayBeRelayed()) first.dispatcher().identity().assertCurrent("pipe");
    for (const PacketChannel* channel : {&first, &second}) {
        if (!channel->mayBeRelayed()) {
            return refusal(std::errc::not_connected, "a connection has ended or is closing");
        }
        if (channel->isRelayed()) return refusal(invalid, "a connection is piped already");
    }
    if (&first.dispatcher() != &second.dispatcher()) {
        return refusal(invalid, "the connections are on different dispatchers");
    }
    return {};
}

// Nothing may fail after the first of the two has changed.
void Relay::begin(const std::shared_ptr<Relay>& relay,
                  std::array<std::unique_ptr<ProtocolDecoder>, 2> decoders) {
    auto& sides = relay->sides_;
    // Allocates first: both start in this turn's flush, or in the next one.
    for (Side& side : sides) side.channel->prepareRelay();
    for (const std::size_t i : {0u, 1u}) {
        PacketChannel& channel = *sides[i].channel;
        sides[i].listener = std::exchange(channel.listener_, relay);
        sides[i].decoder = std::exchange(channel.decoder_, std::move(decoders[i]));
    }
    for (Side& side : sides) {
        const bool hasFinished =
            side.channel->beginRelay(relay->otherThan(side).channel->isOutputAboveMark());
        side.finishes = hasFinished && side.channel->keptInputBytes() > 0;
        if (hasFinished && !side.finishes) relay->finish(side);
    }
}

// Sending may close the other side, and so this one.
void Relay::packetArrived(PacketChannel& channel, ByteView bytes) {
    Side& side = sideOf(channel);
    Side& other = otherThan(side);
    if (other.channel == nullptr) return;
    other.channel->sendThrough(bytes);
    if (other.channel != nullptr) other.channel->restartQuietPeriod();
    if (std::exchange(side.finishes, false)) finish(side);
}

void Relay::peerFinished(PacketChannel& channel) {
    Side& side = sideOf(channel);
    // Earlier input goes first: its inputRevisited() is pending.
    side.finishes = channel.keptInputBytes() > 0;
    if (!side.finishes) finish(side);
}

// After both have sent EOF, each closes by itself after its FIN.
void Relay::finish(Side& side) {
    side.finished = true;
    Side& other = otherThan(side);
    if (other.channel != nullptr) other.channel->shutdownWrite();
}

void Relay::highWater(PacketChannel& channel) {
    const Side& other = otherThan(sideOf(channel));
    if (other.channel != nullptr) other.channel->pauseReading();
}

void Relay::lowWater(PacketChannel& channel) {
    const Side& other = otherThan(sideOf(channel));
    if (other.channel != nullptr) other.channel->resumeReading();
}

void Relay::socketDisconnected(PacketChannel& channel) {
    end(channel, false, [&](PacketChannelListener& listener) {
        onDispatcher.assertCurrent();
        listener.socketDisconnected(channel);
    });
}

void Relay::socketException(PacketChannel& channel, const Error& error) {
    end(channel, true, [&](PacketChannelListener& listener) {
        onDispatcher.assertCurrent();
        listener.socketException(channel, error);
    });
}

// Whatever the listener does, close the other side.
template <class Tell>
void Relay::end(PacketChannel& channel, bool reset, Tell&& tell) {
    Side& side = sideOf(channel);
    side.channel = nullptr;
    try {
        tell(*side.listener);
    } catch (...) {
        endOther(side, reset);
        throw;
    }
    endOther(side, reset);
}

void Relay::endOther(const Side& side, bool reset) {
    Side& other = otherThan(side);
    if (other.channel == nullptr) return;
    if (reset) return other.channel->abort();
    // If both peers have sent EOF, pending output gets all the time it needs.
    const bool endsByItself = side.finished && other.finished;
    if (!endsByItself) other.channel->closeAfterFlush();
}

void Relay::destroyed(PacketChannel& channel) {
    Side& side = sideOf(channel);
    if (side.channel != &channel) return;
    onDispatcher.assertCurrent();
    side.channel = nullptr;
    endOther(side, true);
}

}  // namespace nio
