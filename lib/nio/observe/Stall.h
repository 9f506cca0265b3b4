// A callback that runs for too long, as the watchdog reports it: while it runs, nobody else of that
// dispatcher is served.
//
// Thread: a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Cpp20.h>

namespace nio {

struct Stall {
    std::string dispatcher;
    std::string handler;     // its type; "task" or "deadline" where there is none
    std::string callback;    // "handleRead", "invokeLater", …
    std::string connection;  // "127.0.0.1:4242 (slot 3, descriptor 9)"; empty where there is none
    std::chrono::milliseconds lasts{0};  // so far, at least

    // "dispatcher nio-1: Echo::handleRead of 127.0.0.1:4242 (slot 3, descriptor 9) has been running
    // for 104 ms".
    std::string toString() const;
};

}  // namespace nio
