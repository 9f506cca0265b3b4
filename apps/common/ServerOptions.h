// Options that the programs share beyond the command line itself: --keepalive, --memory-budget and
// --flight-file. The router reads the first two from its configuration, within the same bounds.
//
// Thread: any, one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <nio/memory/MemoryBudget.h>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace apps {

// --- TCP keep-alive, see nio::ListenOptions::keepAlive --------------------------------------

constexpr std::chrono::seconds leastKeepAlive{1};
constexpr std::chrono::hours mostKeepAlive{9};
// The default of long-running programs: a vanished peer is closed within two minutes.
constexpr std::chrono::seconds usualKeepAlive{60};

CLI::Option* addKeepAlive(CLI::App& app, std::chrono::seconds& target);

// --- the memory budget of the dispatchers, see nio::MemoryBudget ----------------------------

// As requested. Absent: half of the memory that the process may use. 0: no budget.
using BudgetBytes = std::optional<std::size_t>;

// Less than this does not hold the buffers of one connection.
constexpr std::size_t leastBudget = 1024 * 1024;

void addMemoryBudget(CLI::App& app, BudgetBytes& bytes);

// Null: no budget.
std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes);

// --- the file that flight recorders are dumped to, see nio::FlightDump ----------------------

// `without` ends the help text: when else the records are written, and where without the option.
CLI::Option* addFlightFile(CLI::App& app, std::string& file, const char* without);

// Why the file cannot be appended to, in one line; absent: it can, or the name is empty. Call it at
// the start, so that the mistake does not wait for the crash. It creates nothing. A symbolic link
// and a pipe without a reader are refused; a pipe with a reader is kept open, because its reader
// would leave otherwise.
std::optional<std::string> flightFileMistake(const std::string& file);

}  // namespace apps
