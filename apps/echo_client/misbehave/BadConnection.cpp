#include "echo_client/misbehave/BadConnection.h"

#include <algorithm>

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

BadConnection::BadConnection(nio::SocketChannel channel, MisbehaviourWorker& worker,
                             std::size_t number)
    : StreamHandler(std::move(channel), worker.plan().stream()), worker_(worker), number_(number) {}

const MisbehaviourPlan& BadConnection::plan() const {
    return worker_.plan();
}

MisbehaviourFigures& BadConnection::figures() {
    return worker_.figures();
}

// --- its life -------------------------------------------------------------------------------

void BadConnection::connectionOpened() {
    opened_ = nio::Clock::now();
    worker_.connectionOpened(*this);
    begin();
}

void BadConnection::bytesArrived(nio::ByteView bytes) {
    figures().bytesReceived += bytes.size();
    heard(bytes);
}

void BadConnection::outputFlushed() {
    countSent();
    taken();
}

void BadConnection::peerFinished() {
    if (!finished_) met(Fate::closedByServer);
    noMore_ = true;
    closeAfterFlush();
}

void BadConnection::finish() {
    finished_ = true;
    leave();
}

void BadConnection::serverGone(std::optional<nio::Error> reason) {
    if (!reason) met(Fate::closedByServer);
    end(std::move(reason), false);
}

void BadConnection::fail(const std::string& reason) {
    met(Fate::failed);
    figures().failed(reason);
    abort();
}

void BadConnection::connectionClosed(const std::optional<nio::Error>& reason) {
    countSent();
    reason && !finished_ ? endedBy(*reason) : met(Fate::keptToTheEnd);
    ++figures().over;
    worker_.connectionClosed(*this);
}

void BadConnection::endedBy(const nio::Error& reason) {
    if (fateKnown_) return;
    if (reason.is(nio::Errc::cancelled)) return met(Fate::keptToTheEnd);
    const bool reset = reason.is(std::errc::connection_reset) || reason.is(std::errc::broken_pipe);
    if (reset) return met(Fate::resetByServer);
    met(Fate::failed);
    figures().failed(reason.message());
}

void BadConnection::met(Fate fate) {
    if (std::exchange(fateKnown_, true)) return;
    if (fate == Fate::meantSo) return;
    figures().kept.record(nio::Clock::now() - opened_);
    if (fate == Fate::closedByServer) ++figures().closedByServer;
    if (fate == Fate::resetByServer) ++figures().resetByServer;
    if (fate == Fate::keptToTheEnd) ++figures().keptToTheEnd;
}

// --- its bytes ------------------------------------------------------------------------------

void BadConnection::sendNext(std::size_t most) {
    const nio::ByteView bytes = plan().script().at(position_, most);
    if (bytes.empty() || noMore_) return;
    position_ += bytes.size();
    uncounted_ += bytes.size();
    send(bytes);
    figures().largestQueue = std::max<std::uint64_t>(figures().largestQueue, pendingBytes());
}

void BadConnection::countSent() {
    const std::size_t left = std::min(pendingBytes(), uncounted_);
    figures().bytesSent += uncounted_ - left;
    uncounted_ = left;
}

}  // namespace load
