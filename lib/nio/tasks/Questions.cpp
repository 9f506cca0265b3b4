#include <nio/tasks/Questions.h>

#include <algorithm>
#include <utility>

namespace nio {

void Questions::ask(TaskQueue& other, const std::shared_ptr<Question>& question) {
    question->asker_ = asker_;
    question->late_ = late_;
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
    question->isAnswered_.store(true, std::memory_order_release);
    const Result<void> posted = question->asker_->pushOrRefuse([question] { tellOnce(*question); });
    if (posted || !posted.error().is(std::errc::not_enough_memory)) return;
    question->late_->store(true, std::memory_order_release);
    question->asker_->nudge();
}

std::shared_ptr<Question> Questions::firstAnswered() const {
    const auto found = std::find_if(open_.begin(), open_.end(), [](const auto& question) {
        return question->isAnswered_.load(std::memory_order_acquire);
    });
    return found == open_.end() ? nullptr : *found;
}

void Questions::tellOnce(Question& question) {
    if (question.open_ == nullptr) return;
    const std::shared_ptr<Question> keeps = *question.place_;
    question.open_->forget(question);
    question.tell();
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
