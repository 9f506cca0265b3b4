// Worker threads that serve actors: the tasks of one actor run one after the other, in the order of
// submission; those of different actors run at the same time. An actor is a connection here, and so
// its bytes stay in order without a lock in the code that handles them.
//
// After each task the actor goes to the end of the queue: a busy one does not starve the others.
//
// Thread: submit() any; stop() and destruction one at a time, not on a worker.
// Errors: a task must not throw.
// Source: BGU Reactor, ActorThreadPool. An actor is an object here instead of a key in a weak map;
// it lives as long as its owner or one of its tasks.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <queue>

#include "bench/models/WorkerPool.h"

namespace models {

class ActorThreadPool {
  public:
    using Task = WorkerPool::Task;

    class Actor {
        friend class ActorThreadPool;
        std::mutex mutex_;
        bool playing_ = false;  // one of its tasks runs, or waits for a worker
        std::queue<Task> pending_;
    };

    explicit ActorThreadPool(std::size_t workers) : workers_(workers) {}

    // Runs it once, after what this actor was given before; after stop() not at all.
    void submit(const std::shared_ptr<Actor>& actor, Task task);
    // Waits for the tasks that run; those that have not begun never will.
    void stop() { workers_.stop(); }

  private:
    void play(const std::shared_ptr<Actor>& actor, Task task);
    void complete(const std::shared_ptr<Actor>& actor);

    WorkerPool workers_;
};

}  // namespace models
