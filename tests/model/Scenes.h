// The invocation queue at work: its producers, its dispatcher's loop, its end.
//
// Thread: one.
#pragma once

#include <vector>

#include "model/Explorer.h"

namespace model {

struct NamedScene {
    const char* name;
    Explorer::Scene scene;
    std::size_t preemptions;  // what is explored in seconds
};

std::vector<NamedScene> allScenes();

}  // namespace model
