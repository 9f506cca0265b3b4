// What a result was made on: without it, figures can't be compared.
//
// Thread: any.
#pragma once

#include <cstddef>
#include <string>

namespace load {

struct HostFacts {
    std::string kernel;    // "Linux 6.1.0"
    std::string machine;   // "x86_64"
    std::string cpu;       // its model
    std::size_t cpus = 0;  // that this process may use
    std::size_t descriptors = 0;
    std::string somaxconn;  // as the kernel shows them; empty where it does not
    std::string governor;

    static HostFacts ofThisMachine();
};

}  // namespace load
