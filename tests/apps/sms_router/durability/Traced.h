// The router under strace, and what it did in which order.
//
//     const Traced traced("trace=fdatasync,sendto");
//     RouterProcess router({…, .prefix = traced.prefix()});
//     … router.kill();
//     for (const std::string& line : traced.lines()) …
//
// The tracer is no parent of the router: what is sent to the process is sent to the router.
//
// Thread: one at a time.
#pragma once

#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/Process.h"
#include "support/Required.h"

namespace router::scenarios {

class Traced {
  public:
    // Whether there is strace, and it may do what it wants to.
    static bool isPossible() {
        try {
            support::Process probe({"strace", "-D", "-f", "-o", "/dev/null", "true"});
            return probe.wait() == 0;
        } catch (const std::exception&) {
            return false;
        }
    }

    // Of strace's -e, any number.
    explicit Traced(std::vector<std::string> expressions) : expressions_(std::move(expressions)) {}

    std::vector<std::string> prefix() const {
        std::vector<std::string> words{"strace", "-D", "-f", "-y", "-xx", "-s", "64"};
        for (const std::string& expression : expressions_) {
            words.insert(words.end(), {"-e", expression});
        }
        words.insert(words.end(), {"-o", folder_.file("trace")});
        return words;
    }
    // All of them, once the process is gone.
    std::vector<std::string> lines() const {
        std::ifstream file(folder_.file("trace"));
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }

  private:
    nio::kerneltest::TemporaryFolder folder_;
    const std::vector<std::string> expressions_;
};

// In the body of a test that needs it.
#define NIO_NEEDS_STRACE()                        \
    if (!router::scenarios::Traced::isPossible()) \
    NIO_SKIP_OR_FAIL("strace is missing, or may not trace")

}  // namespace router::scenarios
