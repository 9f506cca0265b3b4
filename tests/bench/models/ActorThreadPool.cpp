#include "bench/models/ActorThreadPool.h"

namespace models {

void ActorThreadPool::submit(const std::shared_ptr<Actor>& actor, Task task) {
    const std::lock_guard lock(actor->mutex_);
    if (actor->playing_) return actor->pending_.push(std::move(task));
    actor->playing_ = true;
    play(actor, std::move(task));
}

void ActorThreadPool::play(const std::shared_ptr<Actor>& actor, Task task) {
    workers_.submit([this, actor, task = std::move(task)]() mutable {
        task();
        complete(actor);
    });
}

void ActorThreadPool::complete(const std::shared_ptr<Actor>& actor) {
    const std::lock_guard lock(actor->mutex_);
    if (actor->pending_.empty()) return static_cast<void>(actor->playing_ = false);
    Task next = std::move(actor->pending_.front());
    actor->pending_.pop();
    play(actor, std::move(next));
}

}  // namespace models
