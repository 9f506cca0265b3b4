// What one dispatcher has asked others and is not answered yet: see Ask.h.
//
// Thread: the asker's own, except what says so.
// Lifetime: a question is shared by its asker and the task that it is elsewhere. Its answer belongs
// to the asker: it is called there, or destroyed there when the asker stops.
#pragma once

#include <list>
#include <memory>

#include <nio/base/ThreadRole.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class Questions;

// Posted back with its answer.
class Question : public PreparedTask {
  public:
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

    void perform() override;

    std::shared_ptr<TaskQueue> asker_{};
    Questions* open_ = nullptr;  // null: told, or dropped
    std::list<std::shared_ptr<Question>>::iterator place_{};
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
    // The asker stops.
    void drop() noexcept NIO_REQUIRES(onDispatcher);
    std::size_t size() const { return open_.size(); }

  private:
    friend class Question;

    static void answered(const std::shared_ptr<Question>& question);
    void forget(Question& question);

    const std::shared_ptr<TaskQueue> asker_;
    std::list<std::shared_ptr<Question>> open_;
};

}  // namespace nio
