#include <nio/tasks/Invocation.h>

#include <exception>
#include <memory>

#include <nio/base/Guarded.h>
#include <nio/tasks/WaitGraph.h>

namespace nio {

namespace {

template <class Done>
struct Finish {
    Done& completion;
    ~Finish() { completion.finish(); }
};

template <class Run>
Result<void> postAndWait(TaskQueue& queue, Run& run, std::chrono::nanoseconds spin) {
    Completion completion(spin);
    Result<void> posted = queue.push([&] {
        const Finish<Completion> finish{completion};
        run();
    });
    if (posted) completion.wait();
    return posted;
}

// What the caller lends is touched only while it waits: between begin() and finish().
template <class Run>
Result<void> postAndWait(TaskQueue& queue, Run& run, const WaitLimits& limits) {
    const auto completion = std::make_shared<LimitedCompletion>();
    Result<void> posted = queue.push([&run, completion] {
        if (!completion->begin()) return;
        const Finish<LimitedCompletion> finish{*completion};
        run();
    });
    return posted ? completion->wait(limits) : posted;
}

}  // namespace

Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task,
                          std::chrono::nanoseconds spin, const WaitLimits& limits) {
    const WaitGraph::Edge waits(DispatcherIdentity::current(), target);
    if (waits.refused()) return Errc::waitCycle;
    std::exception_ptr thrown;
    bool ended = false;  // else the task has ended its thread
    const auto run = [&] {
        guarded(task, [&](std::exception_ptr caught) { thrown = std::move(caught); });
        ended = true;
    };
    const Result<void> waited =
        limits.any() ? postAndWait(queue, run, limits) : postAndWait(queue, run, spin);
    if (!waited) return waited;
    if (!ended) return Errc::threadEnded;
    if (thrown) std::rethrow_exception(thrown);
    return {};
}

}  // namespace nio
