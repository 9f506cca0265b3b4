#include <nio/connection/Relay.h>

#include <string>

#include <nio/connection/Pipe.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

namespace {

Error refusal(std::errc code, const char* why) {
    return {code, std::string("pipe: ") + why};
}

}  // namespace

Result<void> pipe(Peer& first, Peer& second) {
    if (Result<void> checked = Relay::canRelay(first, second); !checked) return checked;
    Relay::begin(std::make_shared<Relay>(first, second));
    return {};
}

Result<void> Relay::canRelay(const Peer& first, const Peer& second) {
    constexpr std::errc invalid = std::errc::invalid_argument;
    if (&first == &second) return refusal(invalid, "both ends are the same connection");
    if (first.mayBeRelayed()) first.dispatcher().identity().assertCurrent("pipe");
    for (const Peer* peer : {&first, &second}) {
        if (!peer->mayBeRelayed()) {
            return refusal(std::errc::not_connected, "a connection has ended or is closing");
        }
        if (peer->isRelayed()) return refusal(invalid, "a connection is piped already");
        if (!peer->relaysBytes()) return refusal(invalid, "an application does not take bytes");
    }
    if (&first.dispatcher() != &second.dispatcher()) {
        return refusal(invalid, "the connections are on different dispatchers");
    }
    return {};
}

// Nothing may fail after the first of the two has changed.
void Relay::begin(const std::shared_ptr<Relay>& relay) {
    auto& sides = relay->sides_;
    // Allocates first: both start in this turn's flush, or in the next one.
    for (Side& side : sides) side.peer->prepareRelay(relay);
    for (Side& side : sides) {
        side.peer->beginRelay(relay->otherThan(side).peer->isOutputAboveMark());
        if (side.peer->isFinishTold()) relay->finish(side);
    }
}

// Sending may close the other side, and so this one.
void Relay::arrived(Peer& peer, ByteView bytes) {
    const Side& other = otherThan(sideOf(peer));
    if (other.peer == nullptr) return;
    other.peer->sendRelayed(bytes);
    if (other.peer != nullptr) other.peer->restartQuietPeriod();
}

void Relay::finished(Peer& peer) {
    finish(sideOf(peer));
}

// After both have sent EOF, each closes by itself after its FIN.
void Relay::finish(Side& side) {
    side.finished = true;
    const Side& other = otherThan(side);
    if (other.peer != nullptr) other.peer->shutdownWrite();
}

void Relay::crossedMark(Peer& peer, bool above) {
    const Side& other = otherThan(sideOf(peer));
    if (other.peer == nullptr) return;
    above ? other.peer->pauseReading() : other.peer->resumeReading();
}

void Relay::ended(Peer& peer, bool reset) {
    Side& side = sideOf(peer);
    side.peer = nullptr;
    endOther(side, reset);
}

void Relay::endOther(const Side& side, bool reset) {
    const Side& other = otherThan(side);
    if (other.peer == nullptr) return;
    if (reset) return other.peer->abort();
    // If both peers have sent EOF, pending output gets all the time it needs.
    const bool endsByItself = side.finished && other.finished;
    if (!endsByItself) other.peer->closeAfterFlush();
}

void Relay::destroyed(Peer& peer) {
    Side& side = sideOf(peer);
    if (side.peer != &peer) return;
    onDispatcher.assertCurrent();
    side.peer = nullptr;
    endOther(side, true);
}

}  // namespace nio
