#include "sms_router/accounts/PasswordDesk.h"

namespace router {

namespace {

using AskerQueue = std::shared_ptr<nio::TaskQueue>;

// Exempt from the asker's limit: it has asked, so the answers are no more than its questions.
void answerLater(const AskerQueue& asker, PasswordDesk::Answer answer, bool right) {
    auto task = [answer = std::move(answer), right]() mutable {
        nio::onDispatcher.assertCurrent();
        answer(right);
    };
    (void)asker->push(std::move(task), nio::TaskQueue::Post::exempt);
}

nio::SelectorThreadOptions threadOptions(PasswordDesk::GivingUp onGivingUp) {
    nio::SelectorThreadOptions options;
    options.name = "passwords";
    options.onGivingUp = std::move(onGivingUp);
    return options;
}

}  // namespace

struct PasswordDesk::Question {
    PasswordHash hash;
    std::string password;
    AskerQueue asker;
    Answer answer;
};

PasswordDesk::PasswordDesk(Limits limits, GivingUp onGivingUp)
    : limits_(limits), cache_(limits.cached), thread_(threadOptions(std::move(onGivingUp))) {
    thread_.start();
}

PasswordDesk::~PasswordDesk() {
    closing_ = true;
}

void PasswordDesk::check(PasswordHash hash, std::string password, nio::SelectorThread& asker,
                         Answer answer) {
    if (cache_.knows(hash.text(), password)) {
        return answerLater(asker.queue(), std::move(answer), true);
    }
    if (!take()) return answerLater(asker.queue(), std::move(answer), false);
    auto question = std::make_unique<Question>(
        Question{std::move(hash), std::move(password), asker.queue(), std::move(answer)});
    auto task = [this, question = std::move(question)] {
        nio::onDispatcher.assertCurrent();
        serve(*question);
    };
    // What its own dispatcher could refuse beyond our limit is our end.
    (void)thread_.queue()->push(std::move(task), nio::TaskQueue::Post::exempt);
}

bool PasswordDesk::take() {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) < limits_.queued) return true;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
}

void PasswordDesk::serve(Question& question) {
    // Hashing for all who wait would hold up the end for minutes.
    if (closing_) return;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    const bool right = isRight(question);
    answerLater(question.asker, std::move(question.answer), right);
}

bool PasswordDesk::isRight(const Question& question) {
    // Those before it may have asked the same.
    if (cache_.knows(question.hash.text(), question.password)) return true;
    hashed_.fetch_add(1, std::memory_order_relaxed);
    const bool right = question.hash.check(question.password);
    if (right) cache_.wasRight(question.hash.text(), question.password);
    return right;
}

}  // namespace router
