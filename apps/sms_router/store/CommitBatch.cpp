#include "sms_router/store/CommitBatch.h"

#include <algorithm>
#include <exception>

namespace router {

namespace {

struct Answers {
    std::vector<Store::Done> dones;
    bool committed;

    void operator()() {
        std::exception_ptr thrown;
        for (Store::Done& done : dones) {
            try {
                done(committed);
            } catch (...) {
                if (!thrown) thrown = std::current_exception();
            }
        }
        if (thrown) std::rethrow_exception(thrown);
    }
};

void post(nio::SelectorThread& thread, nio::Task task) {
    (void)thread.queue()->push(std::move(task), nio::TaskQueue::Post::exempt).ok();
}

}  // namespace

void CommitBatch::add(nio::SelectorThread& thread, Store::Done done) {
    if (done) waitingOn(thread).dones.push_back(std::move(done));
}

void CommitBatch::answer(bool committed) {
    for (Waiting& waiting : waiting_) {
        post(*waiting.thread, Answers{std::move(waiting.dones), committed});
    }
    waiting_.clear();
    last_ = 0;
}

void CommitBatch::answerOne(nio::SelectorThread& thread, Store::Done done, bool committed) {
    if (!done) return;
    if (thread.isCurrent()) return done(committed);
    post(thread, [done = std::move(done), committed]() mutable { done(committed); });
}

CommitBatch::Waiting& CommitBatch::waitingOn(nio::SelectorThread& thread) {
    if (last_ < waiting_.size() && waiting_[last_].thread == &thread) return waiting_[last_];
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& waiting) {
        return waiting.thread == &thread;
    });
    last_ = static_cast<std::size_t>(found - waiting_.begin());
    if (found == waiting_.end()) waiting_.push_back({&thread, {}});
    return waiting_[last_];
}

}  // namespace router
