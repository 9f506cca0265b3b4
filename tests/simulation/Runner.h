// Runs seeds in processes of their own, so that a crash or a hang is a failure like any other, and
// finds the fewest faults that make a seed fail.
//
// Thread: the main one of a program without others.
#pragma once

#include <cstdint>
#include <optional>

#include "simulation/Options.h"

namespace simulation {

class Runner {
  public:
    explicit Runner(const Options& options);
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner();

    // The exit code of the program.
    int run();

    // In this process. Prints what has failed.
    static bool replay(std::uint64_t seed, const std::optional<FaultSet>& faults, bool prints);

  private:
    struct Shared;

    // Runs the seeds one by one in one child. Its exit code: 0 all is well, else shared_->seed has
    // failed.
    int runAll(std::uint64_t from);
    void workThrough(std::uint64_t from);
    bool isLast(std::uint64_t seed) const;
    // `from` to shared_->seed is what the child ran that ended with `code`.
    void report(std::uint64_t from, int code);
    // Prints what it was; false: this time it was none.
    bool failsOnceMore(std::uint64_t seed);
    bool fails(std::uint64_t seed, const std::optional<FaultSet>& faults);
    FaultSet shrunk(std::uint64_t seed);

    const Options options_;
    const std::int64_t began_;
    Shared* shared_;  // with the children
};

}  // namespace simulation
