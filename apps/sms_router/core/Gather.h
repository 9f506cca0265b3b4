// Asks several dispatchers the same question, and gives the answers together.
//
// Thread: any. `done` runs once, in a turn of `asker`, with the answers in the order of the
// dispatchers; one that has stopped answers T().
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <nio/dispatch/SelectorThread.h>

#include "sms_router/flow/Post.h"

namespace router {

template <class T>
void gather(const std::vector<nio::SelectorThread*>& threads, nio::SelectorThread& asker,
            std::function<T(std::size_t)> question,
            nio::UniqueFunction<void(std::vector<T>)> done) {
    struct Gathering {
        std::vector<T> answers;
        std::atomic<std::size_t> missing;
        std::function<T(std::size_t)> question;
        nio::UniqueFunction<void(std::vector<T>)> done;
    };
    auto all = std::make_shared<Gathering>();
    all->answers.resize(threads.size());
    all->missing = threads.size();
    all->question = std::move(question);
    all->done = std::move(done);
    auto answered = [all, &asker] {
        if (all->missing.fetch_sub(1) > 1) return;
        // Nobody is left to hear it, if it is refused.
        (void)postLater(asker, [all] { all->done(std::move(all->answers)); });
    };
    for (std::size_t i = 0; i < threads.size(); ++i) {
        auto ask = [all, answered, i] {
            all->answers[i] = all->question(i);
            answered();
        };
        if (!postLater(*threads[i], ask)) answered();
    }
}

}  // namespace router
