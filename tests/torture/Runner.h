// Makes the list of all cases and goes through it, in a process of its own, so that a crash or a
// hang (5 seconds) is a failure like any other; and so is a fault that does not strike: what would
// fail then is not known.
//
// Thread: the main one of a program without others.
#pragma once

#include <string>
#include <vector>

#include "torture/Options.h"

namespace torture {

class Runner {
  public:
    explicit Runner(const Options& options);
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner();

    // The exit code of the program.
    int run();

    // In this process. Prints what has failed. The exit code of the program.
    static int replay(const Options& options);

  private:
    // Of the two one is there.
    struct Case {
        const Scenario* scenario;
        Fault fault{};
        std::size_t allocation = 0;
    };
    struct Shared;

    // What the cases are made of.
    std::string extent() const;
    void addCases(const Scenario& scenario);
    // In one child, from that case on; false: the case shared_->at has failed.
    bool workThrough(std::size_t from);
    void report(std::size_t index, int status);

    const Options options_;
    std::vector<Case> cases_;
    Shared* shared_;  // with the child
};

}  // namespace torture
