// Options that both subcommands have: times and rates as people write them ("50ms", "2k").
#pragma once

#include <chrono>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace smppbench {

CLI::Option* addTime(CLI::App& app, const std::string& option, std::chrono::nanoseconds& target,
                     const std::string& help);
// Per second.
CLI::Option* addRate(CLI::App& app, const std::string& option, double& target,
                     const std::string& help);
CLI::Option* addCount(CLI::App& app, const std::string& option, std::size_t& target,
                      const std::string& help);

}  // namespace smppbench
