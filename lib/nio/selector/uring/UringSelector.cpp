#include <nio/selector/uring/UringSelector.h>

#include <algorithm>

#include <nio/selector/InPlaceFilter.h>

namespace nio {

Result<std::unique_ptr<Selector>> UringSelector::open(const SelectorOptions& options) {
    Result<kernel::UringBuffers> buffers = kernel::UringBuffers::reserve(
        options.maxReceiveBuffers, std::min(options.receiveBufferBytes, maximumBufferBytes));
    if (!buffers) return buffers.error();
    std::unique_ptr<UringSelector> selector(new UringSelector(std::move(buffers).value(), options));
    auto ring = kernel::Uring::open(selector->io_.buffers());
    if (!ring) return ring.error();
    selector->ring_ = std::move(ring).value();
    return std::unique_ptr<Selector>(std::move(selector));
}

UringSelector::UringSelector(kernel::UringBuffers buffers, const SelectorOptions& options)
    : io_(std::move(buffers), table_), maxSelectedKeys_(options.maxSelectedKeys) {}

// The wake-up event is never read: each signal is reported once.
void UringSelector::watchWakeUp() {
    if (watching_) return;
    ring_->poll(wakeUp()->fd(), POLLIN, true, static_cast<std::uint64_t>(Kind::wakeUp));
    watching_ = true;
}

// --- keys -----------------------------------------------------------------------------------

// Every list has room for all keys, so that processing completions allocates nothing.
void UringSelector::makeRoom() {
    if (table_.size() < table_.capacity()) return;
    const std::size_t keys = 2 * (table_.size() + 1);
    ready_.reserve(keys);
    io_.reserve(keys);
    starved_.reserve(keys);
    table_.reserve(keys);
}

Result<void> UringSelector::watch(SelectionKey& key) {
    makeRoom();
    key.operations_ = &table_.add(key);
    key.watched_ = true;
    key.prompt_ = Interest::read | Interest::write;
    if (key.channel().nature() == SelectableChannel::Nature::stream) {
        auto& channel = static_cast<SocketChannel&>(key.channel());
        key.operations_->input.error = key.operations_->output.error = channel.failure();
        // The socket may have filled up on another dispatcher: begin with direct sends.
        key.operations_->output.slow = !channel.output().empty();
    }
    try {
        return rearm(key);
    } catch (...) {
        endOperations(*key.operations_);
        throw;
    }
}

// Afterwards no operation of the key is queued: its descriptor number may be reused at once.
void UringSelector::unwatch(SelectionKey& key) {
    Operations& operations = *key.operations_;
    operations.closing = true;
    cancelAll(operations);
    pumpUntilOver(operations);
    endOperations(operations);
}

// On newer kernels one call processes some 20 of the accumulated completions, those of other keys
// first. If it fails, the operations are withdrawn or left alone; the channel closes anyway.
void UringSelector::pumpUntilOver(const Operations& operations) {
    constexpr int mostRefused = 16;
    std::size_t left = 16 + table_.size() / 4;  // far more than can have accumulated
    int refused = 0;
    while (left-- > 0 && (operations.isUnderWay() || operations.output.wished)) {
        const bool fails = !pump(std::chrono::nanoseconds::zero()).ok();
        if ((fails || !ring_->isAllSubmitted()) && ++refused == mostRefused) return;
    }
}

bool UringSelector::detach(SelectionKey& key) {
    Operations& operations = *key.operations_;
    cancelAll(operations);
    if (operations.isUnderWay() || operations.output.wished) {
        (void)pump(std::chrono::nanoseconds::zero()).ok();
    }
    if (operations.isUnderWay() || operations.output.wished) return false;
    io_.takeShownBack();
    if (key.channel().nature() == SelectableChannel::Nature::stream) {
        auto& channel = static_cast<SocketChannel&>(key.channel());
        if (!io_.moveInputAway(operations, channel)) return false;
        if (operations.hasFailed()) channel.setFailure(operations.failure());
    }
    endOperations(operations);
    return true;
}

void UringSelector::endOperations(Operations& operations) {
    if (!ring_->isAllSubmitted()) operations.withdraw(*ring_);
    operations.key->operations_ = nullptr;
    operations.key->watched_ = false;
    operations.key->armed_ = Interest::none;
    operations.key = nullptr;
    io_.dropAll(operations);
    table_.freeIfDone(operations);
}

void UringSelector::cancelAll(Operations& operations) {
    cancelInput(operations);
    if (operations.pollingIn) ring_->cancel(operations.tag(Kind::pollIn));
    if (operations.pollingOut) ring_->cancel(operations.tag(Kind::pollOut));
    if (operations.pollingPriority) ring_->cancel(operations.tag(Kind::pollPriority));
}

void UringSelector::cancelInput(Operations& operations) {
    if (operations.input.cancelling) return;
    if (operations.input.receiving) ring_->cancel(operations.tag(Kind::receive));
    operations.input.cancelling = operations.input.receiving;
    cancelled_ = cancelled_ || operations.input.cancelling;
}

// --- arming ---------------------------------------------------------------------------------

Result<void> UringSelector::rearm(SelectionKey& key) {
    switch (key.channel().nature()) {
        case SelectableChannel::Nature::stream: rearmStream(key); break;
        case SelectableChannel::Nature::listener: rearmListener(key); break;
        case SelectableChannel::Nature::other: rearmOther(key); break;
    }
    if (any(key.interest_ & Interest::exceptional)) {
        key.operations_->poll(*ring_, key.channel().fd(), Kind::pollPriority);
        key.armed_ = key.armed_ | Interest::exceptional;
    }
    return {};
}

// Write interest is never armed: a socket that is not stalled is always ready to write.
void UringSelector::rearmStream(SelectionKey& key) {
    Operations& operations = *key.operations_;
    if (any(key.interest_ & Interest::read)) receiveAgain(operations);
    if (any(key.interest_ & Interest::write) && operations.output.stalled &&
        !operations.hasFailed()) {
        operations.poll(*ring_, operations.key->channel().fd(), Kind::pollOut);
    }
    if (any(key.interest_ & Interest::connect)) {
        operations.poll(*ring_, operations.key->channel().fd(), Kind::pollOut);
        key.armed_ = key.armed_ | Interest::connect;
    }
    ready_.add(operations);
}

void UringSelector::receiveAgain(Operations& operations) {
    if (operations.input.cancelling || operations.input.awaitsBuffer) return;
    if (operations.input.atEnd || operations.input.error != std::errc{}) return;
    SelectionKey& key = *operations.key;
    // Unread input comes first; until it is taken, receive no more.
    if (static_cast<SocketChannel&>(key.channel()).hasUnread()) return;
    if (!operations.input.receiving) {
        if (!operations.input.calm && operations.hasInput()) return;
        // Queue behind the channels that found no buffer, or a flooding peer would always be first.
        if (!starved_.isEmpty() && !starved_.isServing() && !io_.buffers().canProvideMore()) {
            return starved_.add(operations);
        }
        ring_->receive(key.channel().fd(), operations.input.calm, operations.tag(Kind::receive));
        operations.input.receiving = true;
        operations.input.standing = operations.input.calm;
        ++operations.references;
    }
    key.armed_ = key.armed_ | Interest::read;
}

// Polled, not accepted by the ring: unwanted connections must stay in the backlog.
void UringSelector::rearmListener(SelectionKey& key) {
    if (any(key.interest_ & Interest::accept)) {
        key.operations_->poll(*ring_, key.channel().fd(), Kind::pollIn);
    }
    key.armed_ = key.interest_;
}

void UringSelector::rearmOther(SelectionKey& key) {
    Operations& operations = *key.operations_;
    if (any(key.interest_ & Interest::read))
        operations.poll(*ring_, operations.key->channel().fd(), Kind::pollIn);
    if (any(key.interest_ & Interest::write))
        operations.poll(*ring_, operations.key->channel().fd(), Kind::pollOut);
    key.armed_ = key.interest_;
}

void UringSelector::replenishBuffers() {
    starved_.serve(io_.buffers(), [this](Operations& operations) {
        onDispatcher.assumeCurrent();
        if (operations.key != nullptr) (void)rearm(*operations.key).ok();
    });
}

// --- one wait -------------------------------------------------------------------------------

Result<void> UringSelector::wait(kernel::WaitTime time) {
    io_.takeShownBack();
    descriptor_.clear();
    woken_ = moved_ = false;
    watchWakeUp();
    sweep();
    replenishBuffers();
    const bool finDeferred = io_.takeFinDeferred();
    if ((std::exchange(cancelled_, false) || finDeferred) && ready_.isEmpty() &&
        starved_.isEmpty()) {
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
    if (!ready_.isEmpty() || !starved_.isEmpty() || io_.hasSubmitted()) return true;
    return woken_ || !watching_ || moved_ || hasChanges() || io_.finDeferred();
}

Result<void> UringSelector::handOver() {
    return !io_.hasOutput() ? Result<void>() : pump(std::chrono::nanoseconds::zero());
}

Result<void> UringSelector::pump(kernel::WaitTime time) {
    if (!io_.submitAll(*ring_)) time = std::chrono::nanoseconds::zero();
    io_.buffers().publish();
    Result<void> waited = ring_->submitAndWait(time);
    if (!waited && waited.error().is(std::errc::file_exists)) {
        if (Result<void> made = newRing(Before::here); !made) return made;
        (void)io_.submitAll(*ring_);
        waited = ring_->submitAndWait(std::chrono::nanoseconds::zero());
    }
    if (!waited) return waited;
    reap();
    if (ring_->isAllSubmitted()) io_.settleAll();
    return {};
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
    const Kind kind = Operations::kindOf(completion.tag);
    if (kind == Kind::wakeUp) {
        woken_ = true;
        watching_ = completion.goesOn;
        return;
    }
    Operations& operations = Operations::of(completion.tag);
    switch (kind) {
        case Kind::receive: received(operations, completion); break;
        case Kind::send:
            operations.output.fellShort = true;
            operations.output.result = completion.result;
            return;
        default: polled(operations, kind, completion.result); break;
    }
    if (!completion.goesOn) table_.release(operations);
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
        operations.input.receiving = false;
        operations.input.cancelling = false;
        if (completion.result == 0) operations.input.atEnd = true;
        if (completion.isFailed()) {
            const std::errc code = completion.code();
            if (code == std::errc::no_buffer_space) {
                // Once, not for every channel that found no buffer.
                if (io_.buffers().waiting() == 0) (void)io_.buffers().provideMore();
                starved_.add(operations);
            } else if (code != std::errc::operation_canceled) {
                operations.input.error = code;
            }
        }
        notArmed(operations, Interest::read);
    }
    if (operations.key != nullptr) ready_.add(operations);
    if (brought) watchForFlood(operations, completion.leftSome);
}

// A multishot receive takes everything a peer sends, however much: a flooding peer gets one receive
// per turn until it sends less.
void UringSelector::watchForFlood(Operations& operations, bool leftSome) {
    const std::size_t most = io_.buffers().bytesEach();
    const bool much = operations.input.standing ? operations.input.bytes > most
                                                : operations.input.bytes >= most || leftSome;
    operations.input.calm = !much && operations.input.buffers <= mostWaiting;
    if (operations.input.standing && !operations.input.calm) cancelInput(operations);
}

void UringSelector::polled(Operations& operations, Kind kind, std::int32_t result) {
    notArmed(operations, operations.pollEnded(kind));
    if (operations.key == nullptr || result < 0) return;
    operations.pollFound(kind, result);
    ready_.add(operations);
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
    io_.takeBack(before == Before::here ? ring_.get() : nullptr);
    io_.buffers().startOver();
    ring_ = std::move(ring).value();
    io_.buffers().publish();
    watching_ = false;
    descriptor_.close();
    // Backwards: freeing an entry moves the last one into its place.
    for (std::size_t i = table_.size(); i-- > 0;) {
        Operations& operations = table_[i];
        operations.endRing();
        if (operations.key == nullptr) {
            table_.freeIfDone(operations);
        } else if (!operations.closing) {
            // Rearmed later: the new ring accepts nothing yet, and its queue may be full.
            operations.key->armed_ = Interest::none;
            operations.key->noteChange();
        }
    }
    return {};
}

// --- who is ready ---------------------------------------------------------------------------

bool UringSelector::isReady(Operations& operations) {
    if (operations.key == nullptr) return false;
    const Interest interest = operations.key->interest();
    const bool unwanted =
        (operations.input.receiving || operations.hasInput()) && !any(interest & Interest::read);
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
    return broken ? any(interest) : any(operations.available() & interest);
}

void UringSelector::sweep() {
    ready_.sweep([this](Operations& operations) {
        onDispatcher.assumeCurrent();
        return isReady(operations);
    });
}

void UringSelector::offerReady() {
    const std::size_t room = roomToOffer(std::min(maxSelectedKeys_, ready_.size()));
    const auto mayBeServed = [this](Operations& operations) {
        onDispatcher.assumeCurrent();
        return isReady(operations);
    };
    ready_.serve(room, mayBeServed, [this](Operations& operations) {
        onDispatcher.assumeCurrent();
        offer(*operations.key, operations.available(), operations.broken || operations.hasFailed());
        operations.readable = operations.writable = operations.broken = false;
        operations.exceptional = false;
    });
}

}  // namespace nio
