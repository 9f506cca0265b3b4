#include <nio/dispatch/Invocation.h>

#include <exception>

#include <nio/dispatch/Completion.h>
#include <nio/dispatch/WaitGraph.h>

namespace nio {

Result<void> runAndWaitOn(TaskQueue& queue, const DispatcherIdentity& target, Task& task,
                          std::chrono::nanoseconds spin) {
    const WaitGraph::Edge waits(DispatcherIdentity::current(), target);
    if (waits.refused()) return Errc::waitCycle;
    Completion completion(spin);
    std::exception_ptr thrown;
    Result<void> posted = queue.push([&] {
        try {
            task();
        } catch (...) {
            thrown = std::current_exception();
        }
        completion.finish();
    });
    if (!posted) return posted;
    completion.wait();
    if (thrown) std::rethrow_exception(thrown);
    return {};
}

}  // namespace nio
