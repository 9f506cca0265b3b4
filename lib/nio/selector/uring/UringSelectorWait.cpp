// The part of UringSelector that waits: completions and ready keys. Its keys and the operations
// armed for them are in UringSelector.cpp.
#include <nio/selector/uring/UringSelector.h>

#include <algorithm>

#include <nio/selector/InPlaceFilter.h>

namespace nio {

// --- one wait -------------------------------------------------------------------------------

Result<void> UringSelector::wait(kernel::WaitTime time) {
    io_.takeShownBack();
    woken_ = moved_ = false;
    watchWakeUp();
    sweep();
    replenishBuffers();
    const bool finDeferred = io_.takeFinDeferred();
    if ((std::exchange(cancelled_, false) || finDeferred) && ready_.empty() &&
        awaitingBuffer_.empty()) {
        // Complete cancelled operations, and sends before a FIN, now: they would end the wait
        // early.
        if (Result<void> pumped = pump(std::chrono::nanoseconds::zero()); !pumped) return pumped;
        sweep();
    }
    // Sends return buffers without ending a wait: channels waiting for one must not block here.
    if (mayNotSleep()) time = std::chrono::nanoseconds::zero();
    if (Result<void> pumped = pump(time); !pumped) return pumped;
    offerReady();
    return {};
}

// Includes results of an earlier pump, which would not end the next wait.
bool UringSelector::mayNotSleep() const {
    if (!ready_.empty() || !awaitingBuffer_.empty() || !submitted_.empty()) return true;
    return woken_ || !watching_ || moved_ || hasChanges() || io_.finDeferred();
}

Result<void> UringSelector::handOver() {
    return io_.wishes().empty() ? Result<void>() : pump(std::chrono::nanoseconds::zero());
}

Result<void> UringSelector::pump(kernel::WaitTime time) {
    if (!submitSends()) time = std::chrono::nanoseconds::zero();
    io_.buffers().publish();
    Result<void> waited = ring_->submitAndWait(time);
    if (!waited && waited.error().is(std::errc::file_exists)) {
        if (Result<void> made = newRing(Before::here); !made) return made;
        (void)submitSends();
        waited = ring_->submitAndWait(std::chrono::nanoseconds::zero());
    }
    if (!waited) return waited;
    reap();
    settleSends();
    return {};
}

// If memory runs out, channels not yet submitted stay on the list.
bool UringSelector::submitSends() {
    InPlaceFilter wishes(io_.wishes());
    bool all = true;
    while (wishes.hasNext()) {
        Operations* operations = wishes.next();
        if (operations->submitted > 0) {
            wishes.keep();
            all = false;
            continue;
        }
        const bool sends = io_.submit(*operations, *ring_, tag(*operations, Kind::send));
        wishes.drop();
        operations->wishesToSend = false;
        if (sends) all = all && io_.isSubmittedWhole(*operations);
        sends ? submitted_.push_back(operations) : release(*operations);
    }
    return all;
}

// A send without a completion has succeeded; this is known after all completions were processed.
void UringSelector::settleSends() {
    if (!ring_->isAllSubmitted()) return;
    for (Operations* operations : submitted_) {
        io_.settle(*operations);
        release(*operations);
    }
    submitted_.clear();
}

void UringSelector::reap() {
    kernel::Completion completion;
    for (;;) {
        while (ring_->take(completion)) reap(completion);
        if (!ring_->hasOverflow()) return;
        if (!ring_->submitAndWait(std::chrono::nanoseconds::zero())) return;
    }
}

void UringSelector::reap(const kernel::Completion& completion) {
    if (completion.tag == 0) return;
    constexpr std::uint64_t kindBits = alignof(Operations) - 1;
    const auto kind = static_cast<Kind>(completion.tag & kindBits);
    if (kind == Kind::wakeUp) {
        woken_ = true;
        watching_ = completion.goesOn;
        return;
    }
    Operations& operations = *reinterpret_cast<Operations*>(completion.tag & ~kindBits);
    switch (kind) {
        case Kind::receive: received(operations, completion); break;
        case Kind::send:
            operations.fellShort = true;
            operations.sendResult = completion.result;
            return;
        default: polled(operations, kind, completion.result); break;
    }
    if (!completion.goesOn) release(operations);
}

void UringSelector::notArmed(Operations& operations, Interest interest) {
    if (operations.key == nullptr) return;
    operations.key->armed_ = operations.key->armed_ - interest;
    if (any(operations.key->interest_ & interest)) operations.key->noteChange();
}

void UringSelector::received(Operations& operations, const kernel::Completion& completion) {
    const bool brought = completion.result > 0 && operations.key != nullptr;
    if (completion.buffer != Operations::none) {
        if (brought) {
            io_.keepInput(operations, completion.buffer,
                          static_cast<std::size_t>(completion.result));
        } else {
            io_.buffers().giveBack(completion.buffer);
        }
    }
    if (!completion.goesOn) {
        operations.receiving = false;
        operations.cancelling = false;
        if (completion.result == 0) operations.atEnd = true;
        if (completion.isFailed()) {
            const std::errc code = completion.code();
            if (code == std::errc::no_buffer_space) {
                // Once, not for every channel that found no buffer.
                if (io_.buffers().waiting() == 0) (void)io_.buffers().provideMore();
                waitForBuffer(operations);
            } else if (code != std::errc::operation_canceled) {
                operations.receiveError = code;
            }
        }
        notArmed(operations, Interest::read);
    }
    if (operations.key != nullptr) list(operations);
    if (brought) watchForFlood(operations, completion.leftSome);
}

// A multishot receive takes everything a peer sends, however much: a flooding peer gets one receive
// per turn until it sends less.
void UringSelector::watchForFlood(Operations& operations, bool leftSome) {
    const std::size_t most = io_.buffers().bytesEach();
    const bool much = operations.standing ? operations.inputBytes > most
                                          : operations.inputBytes >= most || leftSome;
    operations.calm = !much && operations.inputBuffers <= mostWaiting;
    if (operations.standing && !operations.calm) cancelInput(operations);
}

void UringSelector::polled(Operations& operations, Kind kind, std::int32_t result) {
    const bool in = kind == Kind::pollIn;
    if (in) operations.pollingIn = false;
    if (!in) operations.pollingOut = false;
    notArmed(operations,
             in ? Interest::read | Interest::accept : Interest::write | Interest::connect);
    if (operations.key == nullptr || result < 0) return;
    if (in) operations.readable = true;
    if (!in) operations.writable = true;
    if (!in) operations.stalled = false;
    if ((result & (POLLERR | POLLHUP)) != 0) operations.broken = true;
    list(operations);
}

// The previous thread's ring has received nothing since its last wait, and will not: its buffers
// are withdrawn. If no new ring can be opened, nothing changes. Completions in the ring of a parent
// process belong to the parent.
Result<void> UringSelector::newRing(Before before) {
    if (Result<void> made = io_.buffers().prepareToStartOver(); !made) return made;
    auto ring = kernel::Uring::open(io_.buffers());
    if (!ring) return ring.error();
    kernel::Completion completion;
    while (before == Before::here && ring_->take(completion)) reap(completion);
    takeSendsBack(before);
    io_.buffers().startOver();
    ring_ = std::move(ring).value();
    io_.buffers().publish();
    watching_ = false;
    // Backwards: freeing an entry moves the last one into its place.
    for (std::size_t i = all_.size(); i-- > 0;) {
        Operations* operations = all_[i];
        const bool stood[] = {operations->receiving, operations->pollingIn, operations->pollingOut};
        operations->receiving = operations->pollingIn = operations->pollingOut = false;
        operations->cancelling = false;
        operations->references -= static_cast<std::uint32_t>(std::count(stood, stood + 3, true));
        if (operations->key == nullptr) {
            freeIfDone(*operations);
        } else if (!operations->closing) {
            // Rearmed later: the new ring accepts nothing yet, and its queue may be full.
            operations->key->armed_ = Interest::none;
            operations->key->noteChange();
        }
    }
    return {};
}

// Sends still queued in the old ring are repeated by the new one; the others have been sent.
void UringSelector::takeSendsBack(Before before) {
    for (Operations* operations : submitted_) {
        if (before == Before::elsewhere || !ring_->withdraw(tag(*operations, Kind::send))) {
            io_.settle(*operations);
            release(*operations);
            continue;
        }
        operations->submitted = 0;
        if (std::exchange(operations->wishesToSend, true)) {
            release(*operations);
        } else {
            io_.wishes().push_back(operations);
        }
    }
    submitted_.clear();
}

// --- who is ready ---------------------------------------------------------------------------

Interest UringSelector::available(const Operations& operations) const {
    Interest found = Interest::none;
    switch (operations.key->channel().nature()) {
        case SelectableChannel::Nature::stream: {
            const bool unread =
                static_cast<const SocketChannel&>(operations.key->channel()).hasUnread();
            if (operations.hasInput() || operations.atEnd || unread) found = Interest::read;
            if (!operations.stalled) found = found | Interest::write;
            if (operations.writable) found = found | Interest::connect;
            return found;
        }
        case SelectableChannel::Nature::listener:
            if (operations.readable) found = Interest::accept;
            return found;
        case SelectableChannel::Nature::other: break;
    }
    if (operations.readable) found = Interest::read;
    if (operations.writable) found = found | Interest::write;
    return found;
}

bool UringSelector::isReady(Operations& operations) {
    if (operations.key == nullptr) return false;
    const Interest interest = operations.key->interest();
    const bool unwanted =
        (operations.receiving || operations.hasInput()) && !any(interest & Interest::read);
    if (unwanted && operations.hasInput()) {
        auto& channel = static_cast<SocketChannel&>(operations.key->channel());
        (void)io_.moveInputAway(operations, channel);
        moved_ = true;
    }
    if (unwanted) {
        cancelInput(operations);
        operations.key->armed_ = operations.key->armed_ - Interest::read;
    }
    const bool broken = operations.broken || operations.hasFailed();
    return broken ? any(interest) : any(available(operations) & interest);
}

void UringSelector::list(Operations& operations) {
    if (operations.listed) return;
    operations.listed = true;
    ++operations.references;
    ready_.push_back(&operations);
}

void UringSelector::unlist(Operations& operations) {
    operations.listed = operations.readable = operations.writable = operations.broken = false;
    release(operations);
}

void UringSelector::sweep() {
    InPlaceFilter ready(ready_);
    while (ready.hasNext()) {
        Operations* operations = ready.next();
        if (isReady(*operations)) {
            ready.keep();
        } else {
            ready.drop();
            unlist(*operations);
        }
    }
}

void UringSelector::offerReady() {
    std::size_t room = roomToOffer(std::min(maxSelectedKeys_, ready_.size()));
    struct BehindTheOthers {
        std::vector<Operations*>& ready;
        std::vector<Operations*>& again;
        ~BehindTheOthers() {
            ready.insert(ready.end(), again.begin(), again.end());
            again.clear();
        }
    } behind{ready_, again_};
    InPlaceFilter ready(ready_);
    while (ready.hasNext()) {
        Operations* operations = ready.next();
        if (!isReady(*operations)) {
            ready.drop();
            unlist(*operations);
        } else if (room == 0) {
            ready.keep();
        } else {
            --room;
            offer(*operations->key, available(*operations),
                  operations->broken || operations->hasFailed());
            operations->readable = operations->writable = operations->broken = false;
            again_.push_back(operations);
            ready.drop();
        }
    }
}

}  // namespace nio
