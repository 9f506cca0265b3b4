#include "sms_router/app/AskDispatchers.h"

namespace router {

namespace {

struct Heard {};

// Tasks keep their order: behind what was posted stands the question.
struct Waiting {
    std::vector<nio::SelectorThread*> threads;
    nio::SelectorThread& asker;
    std::chrono::nanoseconds patience;
    nio::UniqueFunction<void(Silent silent)> done;
};

void ask(Waiting waiting, int rounds) {
    const std::vector<nio::SelectorThread*> threads = waiting.threads;
    nio::SelectorThread& asker = waiting.asker;
    const std::chrono::nanoseconds patience = waiting.patience;
    auto next = [waiting = std::move(waiting), rounds](const std::vector<Heard>&,
                                                       Silent silent) mutable {
        if (rounds == 1 || !silent.empty()) return waiting.done(std::move(silent));
        ask(std::move(waiting), rounds - 1);
    };
    askDispatchers<Heard>(
        threads, asker, patience, [](std::size_t) { return Heard(); }, std::move(next));
}

}  // namespace

void afterPosted(std::vector<nio::SelectorThread*> threads, nio::SelectorThread& asker,
                 std::chrono::nanoseconds patience, nio::UniqueFunction<void(Silent silent)> done) {
    ask({std::move(threads), asker, patience, std::move(done)}, 2);
}

}  // namespace router
