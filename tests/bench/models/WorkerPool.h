// A fixed number of threads that run tasks: first come, first served, several at the same time.
//
// Thread: submit() any; stop() and destruction one at a time, not on a worker.
// Errors: a task must not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include <nio/base/UniqueFunction.h>

namespace models {

class WorkerPool {
  public:
    using Task = nio::UniqueFunction<void()>;

    explicit WorkerPool(std::size_t workers);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    ~WorkerPool() { stop(); }

    // Runs it once, on some worker; after stop() not at all.
    void submit(Task task);
    // Waits for the tasks that run; those that have not begun never will.
    void stop();

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::queue<Task> waiting_;
    bool stopped_ = false;
    std::vector<std::thread> workers_;
};

}  // namespace models
