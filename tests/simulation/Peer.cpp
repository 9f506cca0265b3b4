#include "simulation/Peer.h"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using nio::Byte;

constexpr std::array<const char*, 9> kindNames{"half-closes", "closes", "lazy",
                                               "pauses",      "dozes",  "silent",
                                               "resets",      "leaves", "never-reads"};

}  // namespace

Peer::Peer(std::size_t number, const Scenario& scenario, const ServerState& server,
           Machine& machine)
    : number_(number),
      scenario_(scenario),
      server_(server),
      machine_(machine),
      random_(scenario.seed * 1000003 + number),
      kind_(random_.chance(600) ? static_cast<Kind>(random_.below(4))
                                : static_cast<Kind>(random_.below(kindNames.size()))) {
    if (kind_ != Kind::silent) makeStream(random_.anySize(scenario.largestStream));
    goesAfter_ = random_.below(stream_.size() + 1);
    if (random_.chance(300)) {
        wakesAt_ = machine.now() + std::chrono::milliseconds(random_.below(500));
    }
}

void Peer::makeStream(std::size_t most) {
    while (stream_.size() < most) addPacket(random_.anySize(Scenario::maximumPacket));
}

// Bytes that no framing takes for its own: they come back as they are.
void Peer::addPacket(std::size_t size) {
    switch (scenario_.framing) {
        case apps::Framing::stxEtx: stream_.push_back(Byte{2}); break;
        case apps::Framing::length:
            stream_.insert(stream_.end(), {Byte{0}, Byte{0}, static_cast<Byte>(size >> 8),
                                           static_cast<Byte>(size)});
            break;
        case apps::Framing::lines:
        case apps::Framing::raw: break;
    }
    for (std::size_t i = 0; i < size; ++i) {
        stream_.push_back(static_cast<Byte>(32 + random_.below(95)));
    }
    if (scenario_.framing == apps::Framing::stxEtx) stream_.push_back(Byte{3});
    if (scenario_.framing == apps::Framing::lines) stream_.push_back(Byte{'\n'});
}

// --- what it does ---------------------------------------------------------------------------

void Peer::step(bool eager) {
    if (done_) return;
    if (wakesAt_ && machine_.now() < *wakesAt_) {
        if (connection_ != nullptr && kind_ != Kind::dozes) read();
        return;
    }
    wakesAt_.reset();
    if (connection_ == nullptr) return connect();
    if (!isCooperative() && sent_ >= goesAfter_ && kind_ != Kind::neverReads &&
        (eager || random_.chance(100))) {
        return close(kind_ == Kind::resets);
    }
    if (hasSentAll() && isCooperative()) finish();
    if (done_) return;
    const bool writesFirst =
        kind_ == Kind::lazy && !hasSentAll() && connection_->roomToSend(Side::client) > 0;
    const bool reads = kind_ != Kind::neverReads && !writesFirst && random_.chance(500);
    if (eager && !hasSentAll() && !wakesAt_) write();
    if (done_) return;
    reads || eager || hasSentAll() ? read() : write();
}

void Peer::connect() {
    Machine::Dialled dialled = machine_.dial(server_.address);
    if (dialled.refused) {
        if (!server_.drainBegan) fail("was refused");
        done_ = true;
        return machine_.countProgress();
    }
    connection_ = std::move(dialled.connection);
    if (connection_ == nullptr) wakesAt_ = machine_.now() + std::chrono::milliseconds(20);
}

void Peer::write() {
    const std::size_t left = stream_.size() - sent_;
    const std::size_t size = std::min(left, 1 + random_.anySize(4096));
    const nio::IoResult result =
        connection_->send(Side::client, nio::ByteView(stream_).subspan(sent_, size));
    if (result.isFailed()) return end(true);
    sent_ += result.bytes;
    if (result.isDone()) machine_.countProgress();
    if (kind_ == Kind::pauses && random_.chance(300)) {
        wakesAt_ = machine_.now() + std::chrono::milliseconds(random_.below(400));
    }
}

void Peer::read() {
    // One that never reads still notices that it was thrown out.
    if (kind_ == Kind::neverReads) {
        if (connection_->isDead(Side::client)) close(true);
        return;
    }
    std::array<Byte, 2048> into;
    const std::size_t size = std::min(into.size(), 1 + random_.anySize(into.size()));
    const nio::IoResult result = connection_->receive(Side::client, std::span(into).first(size));
    if (result.status == nio::IoStatus::wouldBlock) return;
    machine_.countProgress();
    if (result.isFailed()) return end(true);
    if (result.status == nio::IoStatus::closed) return end(false);
    const bool fits = result.bytes <= sent_ - back_;
    if (!fits || !std::equal(into.begin(), into.begin() + result.bytes, stream_.begin() + back_)) {
        fail("got back what it has not sent");
    }
    back_ += result.bytes;
    if (kind_ == Kind::dozes && random_.chance(300)) {
        wakesAt_ = machine_.now() + std::chrono::milliseconds(random_.below(400));
    }
}

void Peer::finish() {
    if (kind_ == Kind::closes && hasAll()) return close(false);
    const bool says = kind_ != Kind::closes && kind_ != Kind::silent && !finSent_;
    if (!says) return;
    finSent_ = true;
    machine_.countProgress();
    (void)connection_->shutdownWrite(Side::client);
}

// --- how it ends ----------------------------------------------------------------------------

void Peer::end(bool reset) {
    if (isCooperative()) checkEnd(reset);
    close(false);
}

void Peer::checkEnd(bool reset) {
    const bool complete = !reset && finSent_ && hasAll();
    if (complete || mayEndEarly(reset)) return;
    fail(reset ? "was reset" : "saw an early end");
}

bool Peer::mayEndEarly(bool reset) const {
    if (!connection_->excuse().empty()) return true;
    const nio::TimePoint closedAt = connection_->closedAt;
    const bool isClosed = closedAt != nio::TimePoint{};
    // The queue of the dispatcher that it was dealt to was full: it is turned away.
    if (isClosed && !connection_->wasServed && scenario_.hasShortQueues()) return true;
    const auto idle = scenario_.stream.idleTimeout;
    if (idle.count() > 0 && isClosed && connection_->idleAtClose() >= idle) return true;
    // Who takes nothing of what is owed to it is not waited for without end.
    const bool dozed = isClosed && connection_->idleAtClose() >= scenario_.stream.lingerTimeout;
    if (dozed && kind_ == Kind::dozes) return true;
    if (!server_.drainBegan) return false;
    const auto linger = std::min(scenario_.stream.lingerTimeout, scenario_.drain.deadline / 4);
    const auto finAt = connection_->serverFinAt;
    if (isClosed && finAt && closedAt - *finAt >= linger) return true;
    return !reset || (isClosed && closedAt >= *server_.drainBegan + scenario_.drain.deadline);
}

void Peer::close(bool reset) {
    if (done_) return;
    connection_->close(Side::client, reset);
    done_ = true;
    machine_.countProgress();
}

void Peer::fail(const std::string& what) {
    machine_.journal().fail(toString() + " " + what);
}

std::string Peer::toString() const {
    return "peer " + std::to_string(number_) + " (" + kindNames[static_cast<std::size_t>(kind_)] +
           ", connection " +
           (connection_ == nullptr ? "none" : std::to_string(connection_->number())) + ", " +
           std::to_string(sent_) + " of " + std::to_string(stream_.size()) + " sent, " +
           std::to_string(back_) + " back)";
}

}  // namespace simulation
