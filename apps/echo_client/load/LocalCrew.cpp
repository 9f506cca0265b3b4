#include "echo_client/load/LocalCrew.h"

#include <algorithm>

namespace load {

namespace {

// One dispatcher even without a connection: 0 would be one per CPU.
nio::SelectorThreadGroupOptions groupOptions(const LoadOptions& options, std::size_t crew,
                                             std::size_t crews) {
    nio::SelectorThreadGroupOptions group;
    const std::size_t mine = Share{crew, crews}.of(options.connections);
    group.threads = std::clamp<std::size_t>(mine, 1, options.dispatchers());
    group.thread.name = "load";
    group.thread.selector.kind = options.selector;
    if (!options.isOpenLoop()) group.thread.spin = options.spin;
    return group;
}

}  // namespace

LocalCrew::LocalCrew(const LoadPlan& plan, std::size_t crew, std::size_t crews)
    : plan_(plan), crew_(crew), crews_(crews), group_(groupOptions(plan.options(), crew, crews)) {}

LocalCrew::~LocalCrew() {
    end();
}

void LocalCrew::begin(LoadWorkerListener& listener) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
        const Share share{crew_ + i * crews_, crews_ * group_.size()};
        workers_.push_back(std::make_unique<LocalWorker>(group_[i], plan_, listener, i, share));
    }
    group_.start();
}

void LocalCrew::end() {
    group_.requestClose(nio::DrainOptions::atOnce());
    group_.join();
}

}  // namespace load
