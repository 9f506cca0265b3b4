// How echo-client ends: each trouble is a line on standard error, the gravest is the exit code.
//
// Thread: any.
#pragma once

#include <string>

namespace load {

inline constexpr const char* clientProgram = "echo-client";

// `complaint` is empty where there is none; `written`: the report could be.
int conclude(int exitCode, const std::string& complaint, bool written);

}  // namespace load
