#include <nio/connection/Crossing.h>

#include <utility>

#include <nio/loop/SelectorThread.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/tasks/TaskQueue.h>

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

// A half on one dispatcher, and its visits.
class Crossing::Place final : public PreparedTask {
  public:
    Place(std::shared_ptr<TaskQueue> queue, void* connection, Visit visit)
        : queue_(std::move(queue)), connection_(connection), visit_(visit) {}

    TaskQueue& queue() { return *queue_; }
    void leave() { connection_ = nullptr; }

  private:
    void perform() override {
        if (connection_ != nullptr) visit_(connection_);
    }

    const std::shared_ptr<TaskQueue> queue_;
    void* connection_;  // null: it has left. The dispatcher's own.
    const Visit visit_;
};

void Crossing::attach(Half half, SelectorThread& thread, void* connection, Visit visit) {
    auto place = std::make_shared<Place>(thread.queue(), connection, visit);
    const std::lock_guard lock(mutex_);
    placeOf(half) = std::move(place);
}

void Crossing::detach(Half half) noexcept {
    const std::lock_guard lock(mutex_);
    if (placeOf(half) != nullptr) placeOf(half)->leave();
    placeOf(half).reset();
}

void Crossing::wake(Half half) noexcept {
    std::shared_ptr<Place> place;
    {
        const std::lock_guard lock(mutex_);
        place = placeOf(half);
    }
    if (place != nullptr) (void)place->queue().pushPrepared(place);
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
    if (std::exchange(backEnded_, true)) return;
    isWaited_ = false;
    // If that is lost, the front says so.
    frontPending_ = 0;
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
