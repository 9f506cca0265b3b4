#include <nio/connection/Crossing.h>

#include <new>
#include <utility>

#include <nio/base/Log.h>
#include <nio/loop/SelectorThread.h>
#include <nio/memory/MemoryBudget.h>

namespace nio {

namespace {

bool isSame(const std::optional<Error>& told, const Error& reason) {
    return told && told->code() == reason.code() && told->context() == reason.context();
}

}  // namespace

Crossing::~Crossing() {
    addToBudget(-static_cast<std::ptrdiff_t>(inbound_ + outbound_));
}

// --- waking ---------------------------------------------------------------------------------

void Crossing::attach(Half half, SelectorThread& thread, void* connection, Visit visit) {
    const std::lock_guard lock(mutex_);
    placeOf(half) = {&thread, thread.queue(), connection, visit, false};
}

void Crossing::detach(Half half) {
    const std::lock_guard lock(mutex_);
    placeOf(half) = {};
}

void Crossing::wake(Half half) {
    std::shared_ptr<TaskQueue> queue;
    SelectorThread* thread = nullptr;
    {
        const std::lock_guard lock(mutex_);
        Place& place = placeOf(half);
        if (place.thread == nullptr || place.isWoken) return;
        queue = place.queue;
        thread = place.thread;
        place.isWoken = true;
    }
    const Result<void> posted = queue->pushOrRefuse(
        [self = shared_from_this(), half, thread] { self->makeVisit(half, *thread); });
    if (posted) return;
    {
        const std::lock_guard lock(mutex_);
        placeOf(half).isWoken = false;
    }
    if (posted.error().is(std::errc::not_enough_memory)) throw std::bad_alloc();
}

bool Crossing::wakeAtEnd(Half half) noexcept try {
    wake(half);
    return true;
} catch (const std::bad_alloc&) {
    log(LogLevel::warning,
        "nio::on: out of memory, the other half of a connection hears of its end late");
    return false;
}

// The connection changes its place only on the thread of that place.
void Crossing::makeVisit(Half half, SelectorThread& thread) {
    Place place;
    {
        const std::lock_guard lock(mutex_);
        if (placeOf(half).thread != &thread) return;
        placeOf(half).isWoken = false;
        place = placeOf(half);
    }
    place.visit(place.connection);
}

// --- what is in flight ----------------------------------------------------------------------

void Crossing::addToBudget(std::ptrdiff_t change) {
    if (budget_ != nullptr && change != 0) budget_->addPosted(change);
}

bool Crossing::budgetPauses() const {
    return budget_ != nullptr && budget_->pausesPosts();
}

void Crossing::countInbound(std::size_t bytes) {
    inbound_ += bytes;
    addToBudget(static_cast<std::ptrdiff_t>(bytes));
}

std::size_t Crossing::countOutbound(std::ptrdiff_t change) {
    outbound_ += static_cast<std::size_t>(change);
    addToBudget(change);
    return outbound_ + frontPending_;
}

// --- the front ------------------------------------------------------------------------------

void Crossing::open(std::shared_ptr<MemoryBudget> budget, Result<SocketAddress> peer) {
    const std::lock_guard lock(mutex_);
    budget_ = std::move(budget);
    if (peer) peer_ = peer.value();
}

bool Crossing::mustWait() {
    const std::lock_guard lock(mutex_);
    const std::size_t waits = inbound_ + keptByBack_;
    isWaited_ = !backEnded_ && (waits > highMark_ || (waits > 0 && budgetPauses()));
    return isWaited_;
}

bool Crossing::isWaiting() const {
    const std::lock_guard lock(mutex_);
    return isWaited_;
}

bool Crossing::isBackBusy() const {
    const std::lock_guard lock(mutex_);
    return !backEnded_ && (inbound_ > 0 || outbound_ > 0 || isBackBusy_);
}

bool Crossing::setFrontPending(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return std::exchange(frontPending_, bytes) > bytes && !backEnded_;
}

void Crossing::finish() {
    const std::lock_guard lock(mutex_);
    fromFront_.finished = true;
}

void Crossing::close(std::optional<Error> reason) {
    const std::lock_guard lock(mutex_);
    isWaited_ = false;
    if (std::exchange(fromFront_.closed, true)) return;
    fromFront_.reason = std::move(reason);
}

// --- the back -------------------------------------------------------------------------------

std::size_t Crossing::pendingOutput() const {
    const std::lock_guard lock(mutex_);
    return outbound_ + frontPending_;
}

bool Crossing::settled(std::size_t taken, std::size_t kept, bool busy) {
    const std::lock_guard lock(mutex_);
    inbound_ -= taken;
    addToBudget(-static_cast<std::ptrdiff_t>(taken));
    keptByBack_ = kept;
    isBackBusy_ = busy;
    const std::size_t waits = inbound_ + kept;
    const bool hasRoom = waits == 0 || (waits <= highMark_ / 2 && !budgetPauses());
    return hasRoom && std::exchange(isWaited_, false);
}

bool Crossing::endOutput(bool closes, const Error* reason) {
    const std::lock_guard lock(mutex_);
    bool& told = closes ? fromBack_.closes : fromBack_.finishes;
    if (std::exchange(told, true)) return false;
    if (reason != nullptr) fromBack_.reason = *reason;
    return true;
}

void Crossing::backEnded(std::optional<Error> reason) {
    const std::lock_guard lock(mutex_);
    backEnded_ = true;
    isWaited_ = false;
    if (fromFront_.closed) return;
    fromBack_.aborts = reason && !(fromBack_.closes && isSame(fromBack_.reason, *reason));
    fromBack_.closes = true;
    if (reason) fromBack_.reason = std::move(reason);
}

Result<SocketAddress> Crossing::peerAddress() const {
    const std::lock_guard lock(mutex_);
    if (!peer_) return std::errc::not_connected;
    return *peer_;
}

}  // namespace nio
