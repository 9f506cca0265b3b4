// asio::post to an io_context with one thread.
#pragma once

#include <asio.hpp>
#include <semaphore>
#include <utility>

namespace handoff {

class AsioLoop {
  public:
    template <class F>
    void post(F&& task) {
        asio::post(context_, std::forward<F>(task));
    }
    template <class F>
    void call(F&& task) {
        std::binary_semaphore done(0);
        post([&] {
            task();
            done.release();
        });
        done.acquire();
    }
    void run() { context_.run(); }
    void stop() {
        post([this] { context_.stop(); });
    }

  private:
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> stays_{context_.get_executor()};
};

}  // namespace handoff
