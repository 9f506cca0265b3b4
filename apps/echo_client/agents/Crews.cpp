#include "echo_client/agents/Crews.h"

#include "echo_client/agents/RemoteCrew.h"
#include "echo_client/load/LocalCrew.h"

namespace load {

std::unique_ptr<LoadCrew> makeCrew(const LoadPlan& plan) {
    if (plan.options().agents.empty()) return std::make_unique<LocalCrew>(plan);
    return std::make_unique<RemoteCrew>(plan);
}

}  // namespace load
