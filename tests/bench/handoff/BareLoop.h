// What one would write first: a mutex, two vectors of std::function that are swapped, an eventfd in
// an epoll set that is written when the vector was empty.
#pragma once

#include <functional>
#include <mutex>
#include <semaphore>
#include <utility>
#include <vector>

#include <nio/sys/Kernel.h>

namespace handoff {

class BareLoop {
  public:
    BareLoop() {
        nio::kernel::changeEpoll(epoll_.get(), nio::kernel::EpollChange::add, event_.get(), EPOLLIN,
                                 nullptr)
            .orThrow();
    }

    template <class F>
    void post(F&& task) {
        bool first = false;
        {
            const std::lock_guard lock(mutex_);
            first = waiting_.empty();
            waiting_.emplace_back(std::forward<F>(task));
        }
        if (first) nio::kernel::signalEvent(event_.get());
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
    void run() {
        epoll_event events[8];
        while (goesOn_) {
            nio::kernel::waitEpoll(epoll_.get(), events, std::nullopt).orThrow();
            nio::kernel::clearEvent(event_.get());
            {
                const std::lock_guard lock(mutex_);
                running_.swap(waiting_);
            }
            for (auto& task : running_) task();
            running_.clear();
        }
    }
    void stop() {
        post([this] { goesOn_ = false; });
    }

  private:
    const nio::UniqueFd epoll_ = nio::kernel::createEpoll().orThrow();
    const nio::UniqueFd event_ = nio::kernel::createEvent().orThrow();
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_, running_;
    bool goesOn_ = true;
};

}  // namespace handoff
