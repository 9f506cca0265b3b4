#include <nio/connection/Peer.h>

#include <new>

#include <nio/base/Guarded.h>
#include <nio/connection/Relay.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

Peer::~Peer() {
    if (outside_ == nullptr) return;
    if (isRelayed()) outside_->relay->destroyed(*this);
    // Another handler has taken its channel over.
    if (outside_->posted != nullptr) outside_->posted->closed(Error(Errc::notRegistered, "send"));
}

Peer::Outside& Peer::outside() {
    if (outside_ == nullptr) outside_ = std::make_unique<Outside>();
    return *outside_;
}

// --- handles

std::shared_ptr<PostedOutput> Peer::posted() {
    std::shared_ptr<PostedOutput>& posted = outside().posted;
    if (posted == nullptr) {
        posted = std::make_shared<PostedOutput>(options(), dispatcher().memory().budget(), this);
        if (!channel().isOpen()) posted->closed(Error(Errc::notRegistered, "send"));
        posted->setAboveMark(isOutputAboveMark());
    }
    return posted;
}

void Peer::deliver(PostedItem& item) try {
    if (!maySend()) return;
    PostedOutput& posted = *outside_->posted;
    posted.makeRoom();
    sendPosted(item);
    if (const Error* refused = failureReason()) return item.result().tell(*refused);
    posted.add(std::move(item.result()));
    if (pendingBytes() == 0) posted.flushed();
} catch (const std::bad_alloc&) {
    item.result().tell(Error(std::errc::not_enough_memory, "send"));
    throw;
} catch (...) {
    item.result().tell(Error(Errc::handlerFailed, "send: " + whatOf(caughtException())));
    throw;
}

void Peer::flushPosted() {
    if (outside_->posted != nullptr) outside_->posted->flushed();
}

void Peer::outputCrossedMark(bool above) {
    if (outside_ == nullptr) return;
    if (outside_->posted != nullptr) outside_->posted->setAboveMark(above);
    if (isRelayed()) outside_->relay->crossedMark(*this, above);
}

void Peer::endPosted(const std::optional<Error>& reason) {
    if (outside_ == nullptr || outside_->posted == nullptr) return;
    if (remains().unsentBytes == 0) outside_->posted->flushed();
    outside_->posted->closed(reason ? *reason : Error(Errc::notRegistered, "send"));
}

// --- the relay

void Peer::prepareRelay(std::shared_ptr<Relay> relay) {
    Outside& mine = outside();
    dispatcher().flushLater(channel());
    if (keptInputBytes() > 0) dispatcher().revisitLater(channel());
    mine.relay = std::move(relay);
}

void Peer::beginRelay(bool pause) {
    beRelayed();
    setAutoPause(false);
    setBusy(false);
    pause ? pauseReading() : resumeReading();
}

void Peer::relayBytes(ByteView bytes) {
    outside_->relay->arrived(*this, bytes);
}
void Peer::relayFinish() {
    outside_->relay->finished(*this);
}
void Peer::endRelay(const std::optional<Error>& reason) {
    if (isRelayed()) outside_->relay->ended(*this, reason.has_value());
}

}  // namespace nio
