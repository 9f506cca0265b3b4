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
    if (outside_->posted != nullptr) outside_->posted->abandoned();
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
    sent(posted, std::move(item.result()));
} catch (const std::bad_alloc&) {
    item.result().tell(Error(std::errc::not_enough_memory, "send"));
    throw;
} catch (...) {
    item.result().tell(Error(Errc::handlerFailed, "send: " + whatOf(caughtException())));
    throw;
}

void Peer::sent(PostedOutput& output, SendResult&& result) {
    if (const Error* refused = failureReason()) return result.tell(*refused);
    output.add(std::move(result));
    if (pendingBytes() == 0) output.flushed();
}

Result<void> Peer::post(ChannelHandle handle, const std::shared_ptr<PostedItem>& item,
                        void (Peer::*take)(PostedItem&)) {
    bool queued = false;
    try {
        queued = handle.dispatcher()->invokeLater(handle, [item, take](SelectorHandler& handler) {
            onDispatcher.assertCurrent();
            if (item->output().isOf(handler)) (static_cast<Peer&>(handler).*take)(*item);
        });
    } catch (...) {
        item->cancel();
        throw;
    }
    if (queued) return {};
    item->cancel();
    return Error(handle.dispatcher()->isStopped() ? Errc::stopped : Errc::queueFull, "send");
}

void Peer::flushPosted() {
    if (outside_->posted == nullptr) return;
    outside_->posted->flushed();
    tellWritable();
}

void Peer::outputCrossedMark(bool above) {
    if (outside_ == nullptr) return;
    if (outside_->posted != nullptr) {
        outside_->posted->setAboveMark(above);
        tellWritable();
    }
    if (isRelayed()) outside_->relay->crossedMark(*this, above);
}

// --- whom to tell

void Peer::awaitWritable(PostedItem& item) try {
    std::optional<ReservedDeadline>& nextLook = outside_->nextLook;
    if (!nextLook) {
        nextLook.emplace(dispatcher().deadlines(), [this] {
            onDispatcher.assertCurrent();
            tellWritable();
        });
    }
    outside_->posted->addWritable(std::move(item.result()));
    tellWritable();
} catch (const std::bad_alloc&) {
    item.result().tell(Error(std::errc::not_enough_memory, "send"));
    throw;
}

// Output and marks say when they change. The memory budget does not, nor items that other threads
// take back.
void Peer::tellWritable() {
    if (!maySend()) return;  // the end will be told
    constexpr std::chrono::milliseconds lookInterval{10};
    if (outside_->posted->tellWritable()) outside_->nextLook->wakeAfter(lookInterval);
}

void Peer::awaitClosed(PostedItem& item) try {
    outside_->posted->addClosed(std::move(item.result()));
} catch (const std::bad_alloc&) {
    item.result().tell(Error(std::errc::not_enough_memory, "send"));
    throw;
}

// They try again, and wait for the connection on its next dispatcher.
void Peer::leavePosted() {
    outside_->nextLook.reset();
    if (outside_->posted != nullptr) outside_->posted->tellWritableAnyway();
}

std::exception_ptr Peer::endPosted(const std::optional<Error>& reason) {
    std::exception_ptr thrown;
    if (outside_ == nullptr || outside_->posted == nullptr) return thrown;
    const auto keep = [&thrown](std::exception_ptr caught) { thrown = std::move(caught); };
    PostedOutput& posted = *outside_->posted;
    if (remains().unsentBytes == 0) guarded([&] { posted.flushed(); }, keep);
    guarded([&] { posted.closed(reason); }, keep);
    return thrown;
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
