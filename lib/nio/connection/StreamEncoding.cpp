#include <nio/connection/StreamEncoding.h>

namespace nio {

void StreamEncoding::start() {
    stream_.settleLater();
    stream_.special_.encodes = true;
}

bool StreamEncoding::beginSend() {
    if (!stream_.maySend()) return false;
    stream_.settleLater();
    return true;
}

void StreamEncoding::endSend() {
    stream_.wroteSome_ = true;
    stream_.checkOutputLimit();
}

void StreamEncoding::send(ByteView encoded) {
    if (stream_.special_.finSent || !stream_.channel_.isOpen()) return;
    stream_.settleLater();
    stream_.channel_.append(encoded);
}

void StreamEncoding::endInput() {
    stream_.settleLater();
    stream_.special_.peerFinished = true;
}

void StreamEncoding::noteInput(std::size_t bytes) {
    StreamState::Special& special = stream_.special_;
    if (special.draining && !special.closing) stream_.closing_->spend(bytes, stream_.autoPause_);
}

void StreamEncoding::fail(Error reason, std::size_t lostBytes) {
    if (lostBytes == 0) return stream_.failAfterFlush(std::move(reason));
    if (!stream_.channel_.isOpen()) return;
    stream_.settleLater();
    stream_.closing().setReason(std::move(reason));
    stream_.closing().lose(lostBytes);
    stream_.wroteSome_ = false;
    stream_.special_.closing = true;
}

}  // namespace nio
