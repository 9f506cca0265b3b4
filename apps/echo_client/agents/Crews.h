// Who makes a load: this machine, or the agents that its plan names.
#pragma once

#include <memory>

#include "echo_client/load/LoadCrew.h"
#include "echo_client/load/LoadPlan.h"

namespace load {

// For one run. Lifetime: the plan lives longer.
std::unique_ptr<LoadCrew> makeCrew(const LoadPlan& plan);

}  // namespace load
