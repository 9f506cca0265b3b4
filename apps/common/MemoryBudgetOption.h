// The memory budget of a program's dispatchers (nio/memory/MemoryBudget.h), as it is asked for.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <memory>
#include <optional>

#include <nio/memory/MemoryBudget.h>

namespace apps {

// What is asked for: absent: half of the memory that the process may use; 0: no budget.
using BudgetBytes = std::optional<std::size_t>;

// Less would not do for one connection's buffers.
constexpr std::size_t leastBudget = 1024 * 1024;

// --memory-budget.
void addMemoryBudget(CLI::App& app, BudgetBytes& bytes);

// Null: none.
std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes);

}  // namespace apps
