// libuv: a mutex, two vectors that are swapped, and uv_async_send for each post, which writes to
// its eventfd when none is under way.
#pragma once

#include <uv.h>

#include <functional>
#include <mutex>
#include <semaphore>
#include <utility>
#include <vector>

namespace handoff {

class UvLoop {
  public:
    UvLoop() {
        uv_loop_init(&loop_);
        async_.data = this;
        uv_async_init(&loop_, &async_,
                      [](uv_async_t* async) { static_cast<UvLoop*>(async->data)->runTasks(); });
    }
    ~UvLoop() {
        uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
    }
    UvLoop(const UvLoop&) = delete;
    UvLoop& operator=(const UvLoop&) = delete;

    template <class F>
    void post(F&& task) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.emplace_back(std::forward<F>(task));
        }
        uv_async_send(&async_);
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
    void run() { uv_run(&loop_, UV_RUN_DEFAULT); }
    void stop() {
        post([this] { uv_stop(&loop_); });
    }

  private:
    void runTasks() {
        {
            const std::lock_guard lock(mutex_);
            running_.swap(waiting_);
        }
        for (auto& task : running_) task();
        running_.clear();
    }

    uv_loop_t loop_;
    uv_async_t async_;
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_, running_;
};

}  // namespace handoff
