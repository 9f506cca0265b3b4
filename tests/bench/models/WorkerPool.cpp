#include "bench/models/WorkerPool.h"

namespace models {

WorkerPool::WorkerPool(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) {
        workers_.emplace_back([this] { work(); });
    }
}

void WorkerPool::submit(Task task) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push(std::move(task));
    }
    changed_.notify_one();
}

void WorkerPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
        if (stopped_) return;
        Task task = std::move(waiting_.front());
        waiting_.pop();
        lock.unlock();
        task();
        // What it captured goes here, not under the lock.
        task = Task();
        lock.lock();
    }
}

}  // namespace models
