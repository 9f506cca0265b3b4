#include "sms_router/accounts/PasswordDesk.h"

#include <nio/base/Log.h>

namespace router {

namespace {

using AskerQueue = std::shared_ptr<nio::TaskQueue>;

// Exempt from the asker's limit: it has asked, so the answers are no more than its questions.
void answerLater(const AskerQueue& asker, PasswordDesk::Answer answer,
                 PasswordDesk::Verdict verdict) {
    auto task = [answer = std::move(answer), verdict]() mutable {
        nio::onDispatcher.assertCurrent();
        answer(verdict);
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
    Attempt attempt;
    AskerQueue asker;
    Answer answer;
};

PasswordDesk::PasswordDesk(Limits limits, GivingUp onGivingUp)
    : limits_(limits),
      cache_(limits.cached),
      questions_(limits.queuedOfOne),
      thread_(threadOptions(std::move(onGivingUp))) {
    thread_.start();
}

PasswordDesk::~PasswordDesk() {
    closing_ = true;
}

void PasswordDesk::check(Attempt attempt, nio::SelectorThread& asker, Answer answer) {
    if (cache_.knows(attempt.hash.text(), attempt.password)) {
        return answerLater(asker.queue(), std::move(answer), Verdict::right);
    }
    if (!take()) return answerLater(asker.queue(), std::move(answer), Verdict::busy);
    auto question =
        std::make_unique<Question>(Question{std::move(attempt), asker.queue(), std::move(answer)});
    auto task = [this, question = std::move(question)]() mutable {
        nio::onDispatcher.assertCurrent();
        queue(std::move(question));
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

void PasswordDesk::queue(std::unique_ptr<Question> question) {
    const std::string reason = question->attempt.reason;
    if (!questions_.push(reason, std::move(question))) {
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        refused_.fetch_add(1, std::memory_order_relaxed);
        return answerLater(question->asker, std::move(question->answer), Verdict::busy);
    }
    if (!works_) workLater();
}

// One after the other, so that those who have asked meanwhile are in the queue.
void PasswordDesk::workLater() {
    auto task = [this] {
        nio::onDispatcher.assertCurrent();
        work();
    };
    (void)thread_.queue()->push(std::move(task), nio::TaskQueue::Post::exempt);
    works_ = true;
}

void PasswordDesk::work() {
    works_ = false;
    // Hashing for all who wait would hold up the end for minutes.
    if (closing_) return;
    const std::unique_ptr<Question> question = questions_.pop();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    // First, since what follows may throw.
    if (!questions_.empty()) workLater();
    answerLater(question->asker, std::move(question->answer), verdictOn(question->attempt));
}

PasswordDesk::Verdict PasswordDesk::verdictOn(const Attempt& attempt) try {
    return isRight(attempt) ? Verdict::right : Verdict::wrong;
} catch (const std::exception& error) {
    nio::log(nio::LogLevel::error, std::string("a password was not checked: ") + error.what());
    return Verdict::busy;
}

bool PasswordDesk::isRight(const Attempt& attempt) {
    // Those before it may have asked the same.
    if (cache_.knows(attempt.hash.text(), attempt.password)) return true;
    hashed_.fetch_add(1, std::memory_order_relaxed);
    const bool right = attempt.hash.check(attempt.password);
    if (right) cache_.wasRight(attempt.hash.text(), attempt.password);
    return right;
}

}  // namespace router
