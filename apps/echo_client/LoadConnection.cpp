#include "echo_client/LoadConnection.h"

#include "echo_client/LoadWorker.h"

namespace load {

LoadConnection::LoadConnection(LoadWorker& worker, std::size_t connection)
    : worker_(worker),
      exchange_(worker.plan().pattern(), connection, worker.plan().options().messageBytes,
                worker.plan().options().pipeline) {}

void LoadConnection::finish() {
    finished_ = true;
    stream().closeAfterFlush();
}

void LoadConnection::opened() {
    worker_.connectionOpened(*this);
}

void LoadConnection::bytesAnswered(nio::ByteView bytes) {
    const nio::TimePoint now = nio::Clock::now();
    answered(exchange_.answer(bytes, now, worker_.figures().latency), now);
}

void LoadConnection::packetAnswered(nio::ByteView packet) {
    const nio::TimePoint now = nio::Clock::now();
    answered(exchange_.answerPacket(packet, now, worker_.figures().latency), now);
}

void LoadConnection::answered(bool right, nio::TimePoint now) {
    if (!right) {
        counted_ = true;
        worker_.figures().errors.wrongAnswered(exchange_.mistake());
        return stream().abort();
    }
    if (worker_.isSending()) return fillAt(now);
    if (worker_.isStopping() && outstanding() == 0) finish();
}

void LoadConnection::fillAt(nio::TimePoint now) {
    while (exchange_.mayAsk()) sendMessage(exchange_.ask(now));
}

void LoadConnection::serverFinished() {
    if (!finished_ && !counted_) {
        counted_ = true;
        ++worker_.figures().errors.closedEarly;
    }
    stream().closeAfterFlush();
}

void LoadConnection::closed(const std::optional<nio::Error>& reason) {
    if (reason && !counted_) worker_.figures().errors.ended(*reason);
    worker_.connectionClosed(*this);
}

}  // namespace load
