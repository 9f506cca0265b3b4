// An exception that escaped from a callback, as the dispatcher reports it.
//
// Thread: a value.
#pragma once

#include <exception>
#include <string>

#include <nio/base/Cpp20.h>

namespace nio {

struct Failure {
    std::string dispatcher;
    std::string handler;   // its name(); "task", "deadline" or "loop" where there is none
    std::string callback;  // "handleRead", "invokeLater", …
    std::exception_ptr exception;

    // The exception's own words; "unknown exception" of one that is not of C++.
    std::string what() const;
    // "dispatcher nio-1: EchoHandler::handleRead: what".
    std::string toString() const;
};

}  // namespace nio
