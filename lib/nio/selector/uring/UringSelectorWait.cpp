// The part of UringSelector that waits: what completes, and who is ready. Its keys and what is
// armed for them are in UringSelector.cpp.
#include <nio/selector/uring/UringSelector.h>

#include <algorithm>

#include <nio/selector/Sieve.h>

namespace nio {

// --- one wait -------------------------------------------------------------------------------

Result<void> UringSelector::wait(kernel::WaitTime time) {
    io_.takeShownBack();
    woken_ = moved_ = false;
    watchWakeUp();
    sweep();
    feedTheHungry();
    const bool owesFin = io_.takeOwesFin();
    if ((std::exchange(cancelled_, false) || owesFin) && ready_.empty() && hungry_.empty()) {
        // What is cancelled ends here, or it would end the wait; so does what a FIN waits for.
        if (Result<void> pumped = pump(std::chrono::nanoseconds::zero()); !pumped) return pumped;
        sweep();
    }
    // Buffers come back with what is sent now, and that does not end a wait.
    if (mayNotSleep()) time = std::chrono::nanoseconds::zero();
    if (Result<void> pumped = pump(time); !pumped) return pumped;
    offerReady();
    return {};
}

// Also for what the pump before has brought or left, which does not end the next one.
bool UringSelector::mayNotSleep() const {
    if (!ready_.empty() || !hungry_.empty() || !submitted_.empty()) return true;
    return woken_ || !watching_ || moved_ || hasChanges() || io_.owesFin();
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

// Out of memory on the way: who was not submitted still wishes to be.
bool UringSelector::submitSends() {
    Sieve wishes(io_.wishes());
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

// A send that did not complete has succeeded; known only when every completion was looked at.
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
                // Not once for each of those that have found none.
                if (io_.buffers().waiting() == 0) (void)io_.buffers().provideMore();
                starve(operations);
            } else if (code != std::errc::operation_canceled) {
                operations.receiveError = code;
            }
        }
        notArmed(operations, Interest::read);
    }
    if (operations.key != nullptr) list(operations);
    if (brought) watchForFlood(operations, completion.leftSome);
}

// A standing receive takes all that a peer sends, however much: who floods is received from once
// per turn, until there is no more than that.
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

// Nothing was received since this thread's predecessor waited last, and nothing will be: its ring
// finds no buffer any more. Without a new ring all stays the predecessor's. The ring of another
// process is that one's: what completes there is not for here.
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
    // Backwards: where one is freed the last one takes its place.
    for (std::size_t i = all_.size(); i-- > 0;) {
        Operations* operations = all_[i];
        const bool stood[] = {operations->receiving, operations->pollingIn, operations->pollingOut};
        operations->receiving = operations->pollingIn = operations->pollingOut = false;
        operations->cancelling = false;
        operations->references -= static_cast<std::uint32_t>(std::count(stood, stood + 3, true));
        if (operations->key == nullptr) {
            freeIfDone(*operations);
        } else if (!operations->closing) {
            // Not here: there may be no room in a ring that takes nothing yet.
            operations->key->armed_ = Interest::none;
            operations->key->noteChange();
        }
    }
    return {};
}

// What the ring still has is sent by the next one; the rest has been sent.
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
    Sieve ready(ready_);
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
    Sieve ready(ready_);
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
