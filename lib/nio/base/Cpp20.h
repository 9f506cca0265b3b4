// What every header begins with: one sentence instead of hundreds of errors.
//
// Thread: none; nothing is declared here.
#pragma once

#if __cplusplus < 202002L
#error nio needs C++20 or later: -std=c++20, or CMAKE_CXX_STANDARD 20
#include <C++20>  // there is none: the compiler stops here
#endif
