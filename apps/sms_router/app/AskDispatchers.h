// Asks several dispatchers the same question, and gives the answers together.
//
// Thread: any. `done` runs once, in a turn of `asker`, with the answers in the order of the
// dispatchers. One that has stopped answers T(), and so does one that has not answered after
// `patience`, as it hangs in a callback: it is among the `silent`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <nio/loop/SelectorThread.h>
#include <nio/timers/Deadline.h>

#include "sms_router/model/Post.h"

namespace router {

// A dispatcher, to the administrator: less than who probes is ready to wait.
constexpr std::chrono::seconds answersWithin{2};

// Their numbers.
using Silent = std::vector<std::size_t>;

// All but the question belongs to the asker. Those who are asked keep it alive.
template <class T>
struct Inquiry {
    using Question = std::function<T(std::size_t index)>;
    using Done = nio::UniqueFunction<void(std::vector<T> answers, Silent silent)>;

    void take(std::size_t index, T answer) {
        if (missing == 0) return;
        answers[index] = std::move(answer);
        if (--missing == 0) finish();
    }
    void finish() {
        std::vector<T> all;
        Silent silent;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!answers[i]) silent.push_back(i);
            all.push_back(answers[i] ? std::move(*answers[i]) : T());
        }
        missing = 0;
        limit.reset();
        done(std::move(all), std::move(silent));
    }

    const Question question;
    Done done;
    std::vector<std::optional<T>> answers;
    std::size_t missing;
    std::optional<nio::Deadline> limit{};
};

// Ends an Inquiry on the asker's dispatcher, wherever the last reference to it was dropped. A
// dispatcher whose question or answer failed counts as silent.
template <class T>
struct EndsAtAsker {
    struct Last {
        void operator()() {
            if (all->missing > 0) all->finish();
        }
        std::unique_ptr<Inquiry<T>> all;
    };

    void operator()(Inquiry<T>* inquiry) const {
        Last last{std::unique_ptr<Inquiry<T>>(inquiry)};
        if (asker->isCurrent() && inquiry->missing == 0) return;
        const auto posted = asker->queue()->pushOrRefuse(std::move(last));
        if (posted) return;
        // It was not moved from. A queue that is closed is that of a dispatcher in its last steps.
        const bool isClosed = posted.error().code() == nio::Errc::stopped;
        while (isClosed && !asker->isCurrent() && !asker->isStopped()) std::this_thread::yield();
        // Without memory there is no task, and only the asker may delete it: it stays.
        if (!isClosed) (void)last.all.release();
    }

    nio::SelectorThread* asker;
};

template <class T>
void askDispatchers(const std::vector<nio::SelectorThread*>& threads, nio::SelectorThread& asker,
                    std::chrono::nanoseconds patience, typename Inquiry<T>::Question question,
                    typename Inquiry<T>::Done done) {
    std::shared_ptr<Inquiry<T>> all(
        new Inquiry<T>{std::move(question), std::move(done),
                       std::vector<std::optional<T>>(threads.size()), threads.size()},
        EndsAtAsker<T>{&asker});
    (void)postLater(asker, [left = std::weak_ptr(all), &asker, patience] {
        nio::onDispatcher.assertCurrent();
        const auto asked = left.lock();
        if (asked == nullptr || asked->missing == 0) return;
        asked->limit.emplace(asker.deadlines(), [left] {
            if (const auto still = left.lock()) still->finish();
        });
        asked->limit->wakeAfter(patience);
    });
    const auto answer = [all, &asker](std::size_t index, T given) {
        (void)postLater(asker, [all, index, given = std::move(given)]() mutable {
            all->take(index, std::move(given));
        });
    };
    for (std::size_t i = 0; i < threads.size(); ++i) {
        auto ask = [all, answer, i] { answer(i, all->question(i)); };
        if (!postLater(*threads[i], ask)) answer(i, T());
    }
}

// Waits until each of several dispatchers has run what was posted to it, and what one of them
// posted to another thereby: a new configuration goes by way of the shards to the connectors.
//
// `done` runs once, in a turn of `asker`, with the dispatchers that did not answer: within twice
// `patience` at most, as there are two ways to go.
// Lifetime: `asker` must outlive what the others still have to do.
void afterPosted(std::vector<nio::SelectorThread*> threads, nio::SelectorThread& asker,
                 std::chrono::nanoseconds patience, nio::UniqueFunction<void(Silent silent)> done);

}  // namespace router
