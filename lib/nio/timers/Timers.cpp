#include <nio/timers/Timers.h>

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <nio/sys/Process.h>
#include <nio/sys/refusal/Refusal.h>

namespace nio {

namespace {

constexpr std::chrono::milliseconds untilMemory{10};

// The Asio part of a timer. Only its own waiting handler owns it, so that it never outlives the
// context, or the list of those that could not wait for want of memory; it is touched on the timer
// thread alone.
template <class State>
struct Alarm : std::enable_shared_from_this<Alarm<State>> {
    Alarm(asio::io_context& context, std::shared_ptr<State> owner, std::shared_ptr<Alarm>& list)
        : clock(context), state(std::move(owner)), owed(list) {}
    // It goes with the context: nobody else will run the task, or forget it.
    ~Alarm() {
        if (state->isIdle()) state->forgetThere();
    }

    void wait() try {
        clock.async_wait([self = this->shared_from_this()](const std::error_code& error) {
            if (error || !self->state->expired()) return;
            if (self->state->isOwed()) {
                self->clock.expires_after(untilMemory);
            } else {
                self->skipToNext();
            }
            self->wait();
        });
    } catch (const std::bad_alloc&) {
        next = std::exchange(owed, this->shared_from_this());
    }

    // What this thread has missed is not made up for either.
    void skipToNext() {
        using Time = decltype(due);
        const auto late = Time::clock::now() - due;
        due += (late / state->period + 1) * state->period;
        clock.expires_at(due);
    }

    asio::steady_timer clock;
    decltype(clock.expiry()) due{};
    std::shared_ptr<State> state;
    std::shared_ptr<Alarm>& owed;
    std::shared_ptr<Alarm> next;  // in that list
};

// One that was cancelled does nothing any more, but a long one must not cost memory until its time.
// Without memory for that it does.
template <class State>
void takeOut(asio::io_context& context, std::weak_ptr<Alarm<State>> alarm) try {
    asio::post(context, [alarm = std::move(alarm)] {
        if (const auto waiting = alarm.lock()) waiting->clock.cancel();
    });
} catch (const std::bad_alloc&) {
}

}  // namespace

// idle: waits on the timer thread. queued: the expiry is in the dispatcher's queue. over: it has
// run for the last time, or was cancelled.
struct Timer::State : std::enable_shared_from_this<Timer::State> {
    enum class Phase { idle, queued, running, over };

    bool move(Phase from, Phase to) { return phase.compare_exchange_strong(from, to); }

    // On the timer thread. Whether it goes on.
    bool expired() {
        if (phase.load() == Phase::over) return false;
        if (move(Phase::idle, Phase::queued)) {
            auto expiry = [self = shared_from_this()] { self->run(); };
            const Result<void> pushed = queue->pushOrRefuse(std::move(expiry));
            owed = !pushed && pushed.error().is(std::errc::not_enough_memory);
            if (owed && move(Phase::queued, Phase::idle)) return true;
            if (owed) return forgetThere(), false;  // it was cancelled meanwhile
            if (!pushed) {
                phase.store(Phase::over);  // the dispatcher has stopped
                return false;
            }
        }
        return period.count() > 0;
    }
    // On the timer thread: there was no memory to tell the dispatcher, which is tried again soon.
    bool isOwed() const { return owed; }
    bool isIdle() const { return phase.load() == Phase::idle; }

    // On the dispatcher. A periodic task may cancel itself meanwhile.
    void run() {
        if (ended->load() || !move(Phase::queued, Phase::running)) return forget();
        struct After {
            State& state;
            ~After() {
                const bool isPeriodic = state.period.count() > 0;
                const Phase next = isPeriodic ? Phase::idle : Phase::over;
                const bool goesOn = state.move(Phase::running, next) && isPeriodic;
                if (!goesOn || state.ended->load()) state.forget();
            }
        } after{*this};
        task();
    }

    // What a task refers to is its dispatcher's, the end of it too.
    void forget() { task = {}; }
    void forgetThere() {
        (void)queue->pushOrRefuse([self = shared_from_this()] { self->forget(); });
    }
    ~State() {
        if (task) (void)queue->pushOrRefuse([last = std::move(task)] {});
    }

    std::weak_ptr<asio::io_context> context;
    // Not the same as an expired context, which cancel() keeps for a moment.
    std::shared_ptr<const std::atomic<bool>> ended;
    std::weak_ptr<Alarm<State>> alarm;
    std::shared_ptr<TaskQueue> queue;
    std::chrono::nanoseconds period{0};
    bool owed = false;
    Task task;
    std::atomic<Phase> phase{Phase::idle};
};

bool Timer::cancel() {
    if (state_ == nullptr) return false;
    const State::Phase before = state_->phase.exchange(State::Phase::over);
    if (before == State::Phase::over) return false;
    // Of one that is queued the expiry may not be in the queue yet.
    if (before != State::Phase::running) state_->forgetThere();
    if (const std::shared_ptr<asio::io_context> context = state_->context.lock()) {
        takeOut(*context, state_->alarm);
    }
    return before != State::Phase::running || state_->period.count() > 0;
}

bool Timer::isPending() const {
    if (state_ == nullptr || state_->ended->load()) return false;
    const State::Phase phase = state_->phase.load();
    return phase == State::Phase::idle || phase == State::Phase::queued;
}

class Timers::Impl {
  public:
    Impl() : work_(asio::make_work_guard(*context_)) {
        kernel::checkTimerCalls().orThrow();
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error& error) {
            throw std::system_error(error.code(), "a thread for timers");
        }
    }

    bool isLeftBehind() const { return forks_ != kernel::forkCount(); }

    ~Impl() {
        ended_->store(true);
        context_->stop();
        thread_.join();
    }

    std::shared_ptr<Timer::State> set(std::chrono::nanoseconds time,
                                      const std::shared_ptr<TaskQueue>& queue, Task task,
                                      std::chrono::nanoseconds period) {
        if (isLeftBehind()) {
            throw std::logic_error(
                "Timers were made before this process was forked: their thread is not here; make "
                "them after the fork");
        }
        auto state = std::make_shared<Timer::State>();
        auto alarm = std::make_shared<Alarm<Timer::State>>(*context_, state, owed_);
        state->context = context_;
        state->ended = ended_;
        state->alarm = alarm;
        state->queue = queue;
        state->task = std::move(task);
        state->period = period;
        // The time counts from here, not from when the timer thread gets to it.
        alarm->clock.expires_after(time);
        alarm->due = alarm->clock.expiry();
        asio::post(*context_, [alarm] { alarm->wait(); });
        return state;
    }

  private:
    // What is out of memory is one timer's business.
    void run() {
        for (bool goesOn = true; goesOn;) {
            try {
                goesOn = owed_ == nullptr ? context_->run_one() > 0 : runOwed();
            } catch (const std::bad_alloc&) {
            }
        }
    }
    bool runOwed() {
        (void)context_->run_one_for(untilMemory);
        for (auto alarm = std::move(owed_); alarm != nullptr;) {
            const auto next = std::move(alarm->next);
            alarm->wait();
            alarm = next;
        }
        return !context_->stopped();
    }

    const std::uint32_t forks_ = kernel::forkCount();
    const std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
    const std::shared_ptr<asio::io_context> context_ = std::make_shared<asio::io_context>(1);
    std::shared_ptr<Alarm<Timer::State>> owed_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::thread thread_;
};

Timers::Timers() : impl_(std::make_unique<Impl>()) {}
// Its locks may be taken by a thread that is not here.
Timers::~Timers() {
    if (impl_->isLeftBehind()) (void)impl_.release();
}

Timer Timers::set(std::chrono::nanoseconds time, const std::shared_ptr<TaskQueue>& queue, Task task,
                  std::chrono::nanoseconds period) {
    return Timer(impl_->set(time, queue, std::move(task), period));
}

}  // namespace nio
