#include <nio/tasks/Questions.h>

#include <utility>

namespace nio {

void Questions::ask(TaskQueue& other, const std::shared_ptr<Question>& question) {
    question->asker_ = asker_;
    question->place_ = open_.insert(open_.end(), question);
    question->open_ = this;
    auto run = [question] {
        // Also when run() ends its thread.
        struct Answered {
            const std::shared_ptr<Question>& question;
            ~Answered() { answered(question); }
        } const answers{question};
        question->run();
    };
    const Result<void> asked = other.pushOrRefuse(run, TaskQueue::Post::limited);
    if (asked) return;
    question->refuse(asked.error());
    answered(question);
}

// Thread: any. What is refused by an asker that has stopped, or is about to, drop() is for.
void Questions::answered(const std::shared_ptr<Question>& question) {
    (void)question->asker_->pushPrepared(question);
}

void Question::perform() {
    if (open_ == nullptr) return;
    open_->forget(*this);
    tell();
}

void Questions::forget(Question& question) {
    question.open_ = nullptr;
    open_.erase(question.place_);
}

void Questions::drop() noexcept {
    while (!open_.empty()) {
        const std::shared_ptr<Question> first = open_.front();
        forget(*first);
        first->drop();
    }
}

}  // namespace nio
