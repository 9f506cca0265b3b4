// See io_context.hpp.
#pragma once

#include "simulation/invocation/asio/io_context.hpp"

namespace asio {

class steady_timer {
  public:
    explicit steady_timer(io_context& context) : context_(context) {}
    steady_timer(const steady_timer&) = delete;
    steady_timer& operator=(const steady_timer&) = delete;
    ~steady_timer() { context_.cancel(*this); }

    void expires_after(std::chrono::nanoseconds time) {
        expires_at(simulation::Scheduler::current()->machine().now() +
                   std::max(time, std::chrono::nanoseconds::zero()));
    }
    void expires_at(nio::TimePoint time) { expiry_ = time; }
    nio::TimePoint expiry() const { return expiry_; }
    void async_wait(io_context::Handler handler) {
        context_.wait(*this, expiry_, std::move(handler));
    }
    void cancel() { context_.cancel(*this); }

  private:
    io_context& context_;
    nio::TimePoint expiry_{};
};

}  // namespace asio
