#include <nio/tasks/Invocation.h>

#include <exception>

#include <nio/base/Guarded.h>
#include <nio/tasks/Completion.h>
#include <nio/tasks/WaitGraph.h>

namespace nio {

namespace {

struct Finish {
    Completion& completion;
    ~Finish() { completion.finish(); }
};

}  // namespace

Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task,
                          std::chrono::nanoseconds spin) {
    const WaitGraph::Edge waits(DispatcherIdentity::current(), target);
    if (waits.refused()) return Errc::waitCycle;
    Completion completion(spin);
    std::exception_ptr thrown;
    bool ended = false;  // else the task has ended its thread
    Result<void> posted = queue.push([&] {
        const Finish finish{completion};
        guarded(task, [&](std::exception_ptr caught) { thrown = std::move(caught); });
        ended = true;
    });
    if (!posted) return posted;
    completion.wait();
    if (!ended) return Errc::threadEnded;
    if (thrown) std::rethrow_exception(thrown);
    return {};
}

}  // namespace nio
