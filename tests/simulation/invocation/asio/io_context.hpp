// As much of Asio as timers/Timers.cpp uses, on simulated time: that file is compiled, as it is,
// against this folder. What would run on the timer thread is an actor of the scheduler; the thread
// itself ends at once.
//
// Thread: the one of the run; run_one() any.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <system_error>

#include "simulation/threads/Scheduler.h"

namespace asio {

class steady_timer;

class io_context final : public simulation::Actor {
  public:
    using executor_type = io_context*;
    using Handler = std::function<void(const std::error_code&)>;

    explicit io_context(int) { simulation::Scheduler::current()->add(*this); }
    io_context(const io_context&) = delete;
    io_context& operator=(const io_context&) = delete;
    ~io_context() override {
        simulation::Scheduler::current()->remove(*this);
        // What they own takes itself out of the lists: they are empty by then.
        auto waiting = std::move(waiting_);
        auto ready = std::move(ready_);
        waiting_.clear();
        ready_.clear();
    }

    std::size_t run_one() { return 0; }
    std::size_t run_one_for(std::chrono::nanoseconds) { return 0; }
    bool stopped() const { return stopped_; }
    void stop() { stopped_ = true; }

    void post(std::function<void()> task) {
        ready_.push_back(std::move(task));
        simulation::Scheduler::current()->machine().countProgress();
    }
    void wait(const steady_timer& timer, nio::TimePoint until, Handler handler) {
        waiting_.push_back({&timer, until, std::move(handler)});
    }
    void cancel(const steady_timer& timer) {
        const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& wait) {
            return wait.timer == &timer;
        });
        if (found == waiting_.end()) return;
        Handler handler = std::move(found->handler);
        waiting_.erase(found);
        post([handler = std::move(handler)] {
            handler(std::make_error_code(std::errc::operation_canceled));
        });
    }

    void step(bool) override {
        if (stopped_) return;
        if (!ready_.empty()) return runReady();
        const nio::TimePoint now = simulation::Scheduler::current()->machine().now();
        const auto due = std::min_element(
            waiting_.begin(), waiting_.end(),
            [](const Waiting& one, const Waiting& other) { return one.until < other.until; });
        if (due == waiting_.end() || due->until > now) return;
        Handler handler = std::move(due->handler);
        waiting_.erase(due);
        simulation::Scheduler::current()->machine().countProgress();
        handler({});
    }
    std::optional<nio::TimePoint> wakesAt() const override {
        std::optional<nio::TimePoint> next;
        for (const Waiting& wait : waiting_) {
            next = next ? std::min(*next, wait.until) : wait.until;
        }
        return stopped_ ? std::nullopt : next;
    }
    std::string toString() const override {
        return "timers (" + std::to_string(waiting_.size()) + " wait)";
    }

  private:
    struct Waiting {
        const steady_timer* timer;
        nio::TimePoint until;
        Handler handler;
    };

    void runReady() {
        const std::function<void()> task = std::move(ready_.front());
        ready_.pop_front();
        simulation::Scheduler::current()->machine().countProgress();
        task();
    }

    bool stopped_ = false;
    std::list<Waiting> waiting_;  // in the order of the calls, which is the same in each run
    std::deque<std::function<void()>> ready_;
};

}  // namespace asio
