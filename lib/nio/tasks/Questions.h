// What one dispatcher has asked others and is not answered yet: see Ask.h.
//
// Thread: the asker's own, except what says so.
// Lifetime: a question is shared by its asker and the task that it is elsewhere. Its answer belongs
// to the asker: it is called there, or destroyed there when the asker stops.
#pragma once

#include <atomic>
#include <list>
#include <memory>

#include <nio/base/ThreadRole.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class Questions;

class Question {
  public:
    Question() = default;
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    virtual ~Question() = default;

    // Finds the answer. Thread: the one that was asked.
    virtual void run() = 0;
    // The answer is this error.
    virtual void refuse(Error why) = 0;
    // Passes the answer on.
    virtual void tell() = 0;
    // There will be none.
    virtual void drop() noexcept = 0;

  private:
    friend class Questions;

    std::shared_ptr<TaskQueue> asker_{};
    std::shared_ptr<std::atomic<bool>> late_{};
    Questions* open_ = nullptr;  // null: told, or dropped
    std::list<std::shared_ptr<Question>>::iterator place_{};
    std::atomic<bool> isAnswered_{false};
};

class Questions {
  public:
    explicit Questions(std::shared_ptr<TaskQueue> asker) : asker_(std::move(asker)) {}
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    // The answer comes in a later turn, also a refusal (stopped, queueFull, not_enough_memory).
    // Throws std::bad_alloc, and has asked nothing then.
    void ask(TaskQueue& other, const std::shared_ptr<Question>& question)
        NIO_REQUIRES(onDispatcher);
    // Calls `tell` with each answer for which there was no memory to be posted.
    template <class Tell>
    void answerLate(Tell&& tell) NIO_REQUIRES(onDispatcher) {
        if (!late_->load(std::memory_order_relaxed)) return;
        // Also orders it before the answers: one that comes after this look raises it again.
        if (!late_->exchange(false, std::memory_order_acq_rel)) return;
        for (std::size_t left = open_.size(); left > 0; --left) {
            const std::shared_ptr<Question> late = firstAnswered();
            if (late == nullptr) return;
            auto answer = [&late] { tellOnce(*late); };
            tell(answer);
        }
    }
    // The asker stops.
    void drop() noexcept NIO_REQUIRES(onDispatcher);
    std::size_t size() const { return open_.size(); }

  private:
    static void answered(const std::shared_ptr<Question>& question);
    std::shared_ptr<Question> firstAnswered() const;
    static void tellOnce(Question& question);
    void forget(Question& question);

    const std::shared_ptr<TaskQueue> asker_;
    const std::shared_ptr<std::atomic<bool>> late_ = std::make_shared<std::atomic<bool>>(false);
    std::list<std::shared_ptr<Question>> open_;
};

}  // namespace nio
