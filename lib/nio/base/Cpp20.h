// Included by every header: one clear error, instead of hundreds, if C++20 or exceptions are not
// enabled.
//
// Thread: none; nothing is declared here.
#pragma once

#if __cplusplus < 202002L
#error nio needs C++20 or later: -std=c++20, or CMAKE_CXX_STANDARD 20
#include <C++20>  // does not exist: stops the compiler here
#elif !defined(__cpp_exceptions)
#error nio needs exceptions: compile without -fno-exceptions
#include <exceptions>  // the same
#endif
