#include "sms_router/ingress/PasswordDesk.h"

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
    nio::SelectorThreadOptions options = nio::SelectorThreadOptions::forBlocking("passwords");
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
      questions_({limits.queued, limits.queuedOfOne}),
      thread_(threadOptions(std::move(onGivingUp))) {
    thread_.start();
}

PasswordDesk::~PasswordDesk() {
    closing_ = true;
}

void PasswordDesk::check(Attempt attempt, nio::SelectorThread& asker, Answer answer) {
    if (!hasWaiting(attempt) && cache_.knows(attempt.hash.text(), attempt.password)) {
        return answerLater(asker.queue(), std::move(answer), Verdict::right);
    }
    const std::unique_ptr<Question> left = queue(
        std::make_unique<Question>(Question{std::move(attempt), asker.queue(), std::move(answer)}));
    if (left == nullptr) return;
    refused_.fetch_add(1, std::memory_order_relaxed);
    answerLater(left->asker, std::move(left->answer), Verdict::busy);
}

bool PasswordDesk::hasWaiting(const Attempt& attempt) {
    const std::lock_guard lock(mutex_);
    return questions_.waiting(attempt.account, attempt.network) > 0;
}

// In place, not in a turn of the dispatcher: it would hear of a flood only between two hashes.
std::unique_ptr<PasswordDesk::Question> PasswordDesk::queue(std::unique_ptr<Question> question) {
    const std::string account = question->attempt.account;
    const std::string network = question->attempt.network;
    const std::lock_guard lock(mutex_);
    auto left = questions_.push(account, network, std::move(question));
    if (!works_ && !questions_.empty()) workLater();
    return std::move(left).value_or(nullptr);
}

// One after the other, so that those who have asked meanwhile are in the queue.
void PasswordDesk::workLater() {
    auto task = [this] {
        nio::onDispatcher.assertCurrent();
        work();
    };
    // What its own dispatcher could refuse beyond our limit is our end.
    (void)thread_.queue()->push(std::move(task), nio::TaskQueue::Post::exempt);
    works_ = true;
}

void PasswordDesk::work() {
    // Hashing for all who wait would hold up the end for minutes.
    if (closing_) return;
    const std::unique_ptr<Question> question = next();
    if (question->attempt.asks.expired()) return;
    answerLater(question->asker, std::move(question->answer), verdictOn(question->attempt));
}

std::unique_ptr<PasswordDesk::Question> PasswordDesk::next() {
    const std::lock_guard lock(mutex_);
    works_ = false;
    std::unique_ptr<Question> question = questions_.pop();
    // First, since what follows may throw.
    if (!questions_.empty()) workLater();
    return question;
}

PasswordDesk::Verdict PasswordDesk::verdictOn(const Attempt& attempt) try {
    return isRight(attempt) ? Verdict::right : Verdict::wrong;
} catch (const std::exception& error) {
    nio::log(nio::LogLevel::error, std::string("password check failed: ") + error.what());
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
