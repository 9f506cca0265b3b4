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
    : io_(std::move(buffers)), maxSelectedKeys_(options.maxSelectedKeys) {}

UringSelector::~UringSelector() {
    ring_.reset();
    for (Operations* operations : all_) delete operations;
}

// The wake-up event is never read: each signal is reported once.
void UringSelector::watchWakeUp() {
    if (watching_) return;
    ring_->poll(wakeUp()->fd(), POLLIN, true, static_cast<std::uint64_t>(Kind::wakeUp));
    watching_ = true;
}

// --- keys -----------------------------------------------------------------------------------

// Every list has room for all keys, so that processing completions allocates nothing.
void UringSelector::makeRoom() {
    const std::size_t keys = all_.size() + 1;
    for (auto* list : {&all_, &ready_, &again_, &submitted_, &awaitingBuffer_, &io_.wishes()}) {
        if (list->capacity() < keys) list->reserve(2 * keys);
    }
}

Result<void> UringSelector::watch(SelectionKey& key) {
    makeRoom();
    auto operations = std::make_unique<Operations>(key);
    operations->index = static_cast<std::uint32_t>(all_.size());
    all_.push_back(operations.get());
    key.operations_ = operations.release();
    key.watched_ = true;
    key.prompt_ = Interest::read | Interest::write;
    if (key.channel().nature() == SelectableChannel::Nature::stream) {
        auto& channel = static_cast<SocketChannel&>(key.channel());
        key.operations_->receiveError = key.operations_->sendError = channel.failure();
        // The socket may have filled up on another dispatcher: begin with direct sends.
        key.operations_->slow = !channel.output().empty();
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
    std::size_t left = 16 + all_.size() / 4;  // far more than can have accumulated
    int refused = 0;
    while (left-- > 0 && (operations.isUnderWay() || operations.wishesToSend)) {
        const bool fails = !pump(std::chrono::nanoseconds::zero()).ok();
        if ((fails || !ring_->isAllSubmitted()) && ++refused == mostRefused) return;
    }
}

bool UringSelector::detach(SelectionKey& key) {
    Operations& operations = *key.operations_;
    cancelAll(operations);
    if (operations.isUnderWay() || operations.wishesToSend) {
        (void)pump(std::chrono::nanoseconds::zero()).ok();
    }
    if (operations.isUnderWay() || operations.wishesToSend) return false;
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
    if (!ring_->isAllSubmitted()) withdrawAll(operations);
    operations.key->operations_ = nullptr;
    operations.key->watched_ = false;
    operations.key->armed_ = Interest::none;
    operations.key = nullptr;
    io_.dropAll(operations);
    freeIfDone(operations);
}

void UringSelector::cancelAll(Operations& operations) {
    cancelInput(operations);
    if (operations.pollingIn) ring_->cancel(tag(operations, Kind::pollIn));
    if (operations.pollingOut) ring_->cancel(tag(operations, Kind::pollOut));
}

void UringSelector::cancelInput(Operations& operations) {
    if (operations.cancelling) return;
    if (operations.receiving) ring_->cancel(tag(operations, Kind::receive));
    operations.cancelling = operations.receiving;
    cancelled_ = cancelled_ || operations.cancelling;
}

void UringSelector::withdrawAll(Operations& operations) {
    const auto withdraw = [&](Kind kind) { return ring_->withdraw(tag(operations, kind)); };
    if (operations.submitted > 0 && withdraw(Kind::send)) operations.submitted = 0;
    if (withdraw(Kind::receive)) operations.receiving = false, --operations.references;
    if (withdraw(Kind::pollIn)) operations.pollingIn = false, --operations.references;
    if (withdraw(Kind::pollOut)) operations.pollingOut = false, --operations.references;
}

void UringSelector::release(Operations& operations) {
    --operations.references;
    freeIfDone(operations);
}

void UringSelector::freeIfDone(Operations& operations) {
    if (operations.key != nullptr || operations.references > 0) return;
    all_[operations.index] = all_.back();
    all_[operations.index]->index = operations.index;
    all_.pop_back();
    delete &operations;
}

// --- arming ---------------------------------------------------------------------------------

Result<void> UringSelector::rearm(SelectionKey& key) {
    switch (key.channel().nature()) {
        case SelectableChannel::Nature::stream: rearmStream(key); break;
        case SelectableChannel::Nature::listener: rearmListener(key); break;
        case SelectableChannel::Nature::other: rearmOther(key); break;
    }
    return {};
}

// Write interest is never armed: a socket that is not stalled is always ready to write.
void UringSelector::rearmStream(SelectionKey& key) {
    Operations& operations = *key.operations_;
    if (any(key.interest_ & Interest::read)) receiveAgain(operations);
    if (any(key.interest_ & Interest::write) && operations.stalled && !operations.hasFailed()) {
        poll(operations, Kind::pollOut);
    }
    if (any(key.interest_ & Interest::connect)) {
        poll(operations, Kind::pollOut);
        key.armed_ = key.armed_ | Interest::connect;
    }
    list(operations);
}

void UringSelector::receiveAgain(Operations& operations) {
    if (operations.cancelling || operations.awaitsBuffer) return;
    if (operations.atEnd || operations.receiveError != std::errc{}) return;
    SelectionKey& key = *operations.key;
    // Unread input comes first; until it is taken, receive no more.
    if (static_cast<SocketChannel&>(key.channel()).hasUnread()) return;
    if (!operations.receiving) {
        if (!operations.calm && operations.hasInput()) return;
        // Queue behind the channels that found no buffer, or a flooding peer would always be first.
        if (!awaitingBuffer_.empty() && !replenishing_ && !io_.buffers().canProvideMore()) {
            return waitForBuffer(operations);
        }
        ring_->receive(key.channel().fd(), operations.calm, tag(operations, Kind::receive));
        operations.receiving = true;
        operations.standing = operations.calm;
        ++operations.references;
    }
    key.armed_ = key.armed_ | Interest::read;
}

// Polled, not accepted by the ring: unwanted connections must stay in the backlog.
void UringSelector::rearmListener(SelectionKey& key) {
    if (any(key.interest_ & Interest::accept)) poll(*key.operations_, Kind::pollIn);
    key.armed_ = key.interest_;
}

void UringSelector::rearmOther(SelectionKey& key) {
    Operations& operations = *key.operations_;
    if (any(key.interest_ & Interest::read)) poll(operations, Kind::pollIn);
    if (any(key.interest_ & Interest::write)) poll(operations, Kind::pollOut);
    key.armed_ = key.interest_;
}

void UringSelector::poll(Operations& operations, Kind kind) {
    const bool in = kind == Kind::pollIn;
    if (in ? operations.pollingIn : operations.pollingOut) return;
    const short events = in ? POLLIN : POLLOUT;
    ring_->poll(operations.key->channel().fd(), events, false, tag(operations, kind));
    if (in) operations.pollingIn = true;
    if (!in) operations.pollingOut = true;
    ++operations.references;
}

void UringSelector::waitForBuffer(Operations& operations) {
    if (operations.awaitsBuffer) return;
    awaitingBuffer_.push_back(&operations);
    operations.awaitsBuffer = true;
    ++operations.references;
}

// Serves channels without input first, and only as many as there are buffers, so that a flooding
// peer cannot take them all.
void UringSelector::replenishBuffers() {
    if (!awaitingBuffer_.empty() && io_.buffers().waiting() == 0) (void)io_.buffers().provideMore();
    const std::size_t served = std::min(awaitingBuffer_.size(), io_.buffers().waiting());
    if (served == 0) return;
    std::stable_partition(awaitingBuffer_.begin(), awaitingBuffer_.end(),
                          [](const Operations* each) { return !each->hasInput(); });
    struct Reset {
        bool& on;
        ~Reset() { on = false; }
    } reset{replenishing_ = true};
    InPlaceFilter awaiting(awaitingBuffer_);
    for (std::size_t i = 0; i < served; ++i) {
        Operations* operations = awaiting.next();
        operations->awaitsBuffer = false;
        if (operations->key != nullptr) (void)rearm(*operations->key).ok();
        awaiting.drop();
        release(*operations);
    }
}

}  // namespace nio
