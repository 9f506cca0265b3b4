// The outstanding questions of one dispatcher to others, see Ask.h.
//
// Thread: the asking dispatcher's own, unless stated otherwise.
// Lifetime: a question is shared by the asker and the task on the other dispatcher. The answer
// callback belongs to the asker: it is called there, or destroyed there when the asker stops.
#pragma once

#include <list>
#include <memory>

#include <nio/base/ThreadRole.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class Questions;

// One question. It is posted back to the asker with its result.
class Question : public PreparedTask {
  public:
    // Computes the result. Thread: the dispatcher that was asked.
    virtual void run() = 0;
    // Makes this error the result.
    virtual void refuse(Error why) = 0;
    // Calls the answer callback with the result.
    virtual void tell() = 0;
    // Destroys the answer callback uncalled.
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

    // The answer, or a refusal (stopped, queueFull, not_enough_memory), comes in a later turn. If
    // this throws std::bad_alloc, nothing was asked.
    void ask(TaskQueue& other, const std::shared_ptr<Question>& question)
        NIO_REQUIRES(onDispatcher);
    // Drops all questions: the asker stops.
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
