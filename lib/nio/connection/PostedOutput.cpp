#include <nio/connection/PostedOutput.h>

#include <new>
#include <utility>

#include <nio/base/Log.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

void SendResult::tell(const std::optional<Error>& error) noexcept {
    if (!done_) return;
    // Both, whatever throws then: it is told once.
    const std::shared_ptr<TaskQueue> sender = std::exchange(sender_, nullptr);
    SendDone once = std::exchange(done_, {});
    try {
        auto task = [error, done = std::move(once)]() mutable { done(error); };
        (void)sender->push(std::move(task), TaskQueue::Post::exempt).ok();
    } catch (const std::bad_alloc&) {
        log(LogLevel::warning, "result of a send lost: out of memory");
    }
}

Result<void> PostedOutput::reserve(std::size_t bytes) {
    if (bytes > limit_) return Error(Errc::outputLimit, "send");
    std::size_t before = inFlight();
    do {
        const State state = state_.load(std::memory_order_relaxed);
        if (state == State::closed) return Error(Errc::notRegistered, "send");
        const bool isFull = (before > 0 && before + bytes > highMark_) ||
                            (budget_ != nullptr && budget_->pausesPosts());
        if (state == State::aboveMark || isFull) {
            return Error(std::errc::operation_would_block, "send");
        }
    } while (!inFlight_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    if (budget_ != nullptr) budget_->addPosted(static_cast<std::ptrdiff_t>(bytes));
    return {};
}

void PostedOutput::hold(std::size_t bytes) noexcept {
    inFlight_.fetch_add(bytes, std::memory_order_relaxed);
    if (budget_ != nullptr) budget_->addPosted(static_cast<std::ptrdiff_t>(bytes));
}

void PostedOutput::release(std::size_t bytes) noexcept {
    inFlight_.fetch_sub(bytes, std::memory_order_relaxed);
    if (budget_ != nullptr) budget_->addPosted(-static_cast<std::ptrdiff_t>(bytes));
}

void PostedOutput::setAboveMark(bool above) {
    if (reason_) return;
    state_.store(above ? State::aboveMark : State::belowMark, std::memory_order_relaxed);
}

void PostedOutput::add(SendResult result) {
    if (!result.isWanted()) return;
    if (reason_) return result.tell(reason_);
    results_.push_back(std::move(result));
    hold(sizeof(SendResult));
}

void PostedOutput::tellAll(const std::optional<Error>& error) noexcept {
    std::vector<SendResult> results = std::exchange(results_, {});
    for (SendResult& each : results) each.tell(error);
    if (!results.empty()) release(results.size() * sizeof(SendResult));
}

void PostedOutput::flushed() noexcept {
    tellAll(std::nullopt);
}

void PostedOutput::closed(const Error& reason) noexcept {
    state_.store(State::closed, std::memory_order_relaxed);
    connection_ = nullptr;
    try {
        reason_ = reason;
    } catch (const std::bad_alloc&) {
        reason_ = Error(reason.code());
    }
    tellAll(reason_);
}

PostedItem::~PostedItem() {
    posted_->release(bytes_);
    result_.tell(Error(Errc::notRegistered, "send"));
}

}  // namespace nio
