#include <nio/connection/PostedOutput.h>

#include <new>
#include <utility>

#include <nio/base/Guarded.h>
#include <nio/base/Log.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

void SendResult::tell(const std::optional<Error>& error) {
    if (!done_) return;
    // Both, whatever throws then: it is told once.
    const std::shared_ptr<TaskQueue> sender = std::exchange(sender_, nullptr);
    SendDone once = std::exchange(done_, {});
    if (sender == nullptr) return once(error);
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
        const bool isPaused = budget_ != nullptr && budget_->pausesPosts();
        if (state == State::aboveMark || isPaused || !fits(before, bytes)) {
            if (!fits(highMark_ / 2, bytes)) wantsAll_.store(true, std::memory_order_relaxed);
            return Error(std::errc::operation_would_block, "send");
        }
    } while (!inFlight_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    if (budget_ != nullptr) budget_->addPosted(static_cast<std::ptrdiff_t>(bytes));
    return {};
}

// Whatever tellWritable() has told to be taken is taken.
bool PostedOutput::fits(std::size_t before, std::size_t bytes) const {
    if (before == 0 || before + bytes <= highMark_) return true;
    return before <= highMark_ / 2 && before + bytes <= limit_;
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

void PostedOutput::addTo(Results& results, SendResult&& told) {
    if (reason_) return told.tell(reason_);
    results.emplace_back();
    results.back() = std::move(told);
}

void PostedOutput::tellAll(Results& results, const std::optional<Error>& error) {
    Results told = std::exchange(results, {});
    std::exception_ptr thrown;
    for (SendResult& each : told) {
        guarded([&] { each.tell(error); },
                [&](std::exception_ptr caught) {
                    if (!thrown) thrown = std::move(caught);
                });
    }
    if (thrown) std::rethrow_exception(thrown);
}

void PostedOutput::tellResults(const std::optional<Error>& error) {
    release(results_.size() * sizeof(SendResult));
    tellAll(results_, error);
}

bool PostedOutput::tellWritable() {
    if (writable_.empty() || state_.load(std::memory_order_relaxed) != State::belowMark) {
        return false;
    }
    const std::size_t room = wantsAll_.load(std::memory_order_relaxed) ? 0 : highMark_ / 2;
    if (inFlight() > room || (budget_ != nullptr && budget_->pausesPosts())) return true;
    wantsAll_.store(false, std::memory_order_relaxed);
    tellAll(writable_, {});
    return false;
}

void PostedOutput::flushed() {
    tellResults({});
}

void PostedOutput::closed(const std::optional<Error>& reason) {
    state_.store(State::closed, std::memory_order_relaxed);
    connection_ = nullptr;
    try {
        reason_ = reason ? *reason : Error(Errc::notRegistered, "send");
    } catch (const std::bad_alloc&) {
        reason_ = Error(reason->code());
    }
    struct TellRest {
        PostedOutput& output;
        const std::optional<Error>& reason;
        ~TellRest() {
            tellAll(output.writable_, output.reason_);
            tellAll(output.closed_, reason);
        }
    } const tellRest{*this, reason};
    tellResults(reason_);
}

void PostedOutput::abandoned() noexcept {
    const std::size_t dropped =
        std::erase_if(results_, [](const SendResult& result) { return result.isInPlace(); });
    release(dropped * sizeof(SendResult));
    closed(Error(Errc::notRegistered, "send"));
}

PostedItem::~PostedItem() {
    posted_->release(bytes_);
    result_.tell(Error(Errc::notRegistered, "send"));
}

}  // namespace nio
