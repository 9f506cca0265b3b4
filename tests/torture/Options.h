// The command line of nio-torture.
//
// Thread: a value.
#pragma once

#include <cstddef>
#include <optional>

#include "torture/Injection.h"
#include "torture/Scenario.h"

namespace torture {

struct Options {
    const Scenario* scenario = nullptr;  // null: all
    std::optional<Fault> fault{};        // only this one, in this process
    std::size_t allocation = 0;          // only this one, in this process
    bool replays = false;
    bool prints = false;
    // Every so many-th case only.
    std::size_t every = 1;
    // Of each call and each scenario the first so many are let fail, and the first so many
    // allocations.
    std::size_t most = 200;
    std::size_t mostAllocations = 5000;
};

std::optional<Options> parseOptions(int argc, char** argv, int& exitCode);

}  // namespace torture
