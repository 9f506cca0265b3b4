// Workers on dispatchers of this process.
#pragma once

#include <memory>

#include <nio/group/SelectorThreadGroup.h>

#include "echo_client/load/LoadCrew.h"
#include "echo_client/load/LocalWorker.h"

namespace load {

class LocalCrew final : public LoadCrew {
  public:
    // Serves every `crews`-th connection of the plan, beginning with the `crew`-th.
    explicit LocalCrew(const LoadPlan& plan, std::size_t crew = 0, std::size_t crews = 1);
    ~LocalCrew() override;

    void begin(LoadWorkerListener& listener) override;
    void end() override;
    std::size_t size() const override { return group_.size(); }
    LoadWorker& operator[](std::size_t index) override { return *workers_[index]; }
    nio::Clock::duration notice() const override { return std::chrono::milliseconds(1); }

  private:
    const LoadPlan& plan_;
    const std::size_t crew_;
    const std::size_t crews_;
    std::vector<std::unique_ptr<LocalWorker>> workers_;
    nio::SelectorThreadGroup group_;
};

}  // namespace load
