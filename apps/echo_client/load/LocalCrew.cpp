#include "echo_client/load/LocalCrew.h"

namespace load {

namespace {

nio::SelectorThreadGroupOptions groupOptions(const LoadOptions& options, std::size_t crews) {
    nio::SelectorThreadGroupOptions group;
    const std::size_t mine = (options.connections + crews - 1) / crews;
    group.threads = std::min(options.dispatchers(), mine);
    group.thread.name = "load";
    group.thread.selector.kind = options.selector;
    group.thread.spin = options.answerSpin;
    return group;
}

}  // namespace

LocalCrew::LocalCrew(const LoadPlan& plan, std::size_t crew, std::size_t crews)
    : plan_(plan), crew_(crew), crews_(crews), group_(groupOptions(plan.options(), crews)) {}

LocalCrew::~LocalCrew() {
    end();
}

void LocalCrew::begin(LoadWorkerListener& listener) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
        const LocalWorker::Share share{i, crew_ + i * crews_, crews_ * group_.size()};
        workers_.push_back(std::make_unique<LocalWorker>(group_[i], plan_, listener, share));
    }
    group_.start();
}

void LocalCrew::end() {
    group_.requestClose(nio::DrainOptions::atOnce());
    group_.join();
}

}  // namespace load
