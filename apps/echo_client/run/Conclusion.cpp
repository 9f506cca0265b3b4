#include "echo_client/run/Conclusion.h"

#include "common/CommandLine.h"
#include "echo_client/verdict/Verdict.h"

namespace load {

int conclude(int exitCode, const std::string& complaint, bool written) {
    if (!complaint.empty()) apps::fail(clientProgram, complaint, exitCode);
    if (written) return exitCode;
    apps::fail(clientProgram, "cannot write the report", exitIo);
    return isGraver(exitIo, exitCode) ? int{exitIo} : exitCode;
}

}  // namespace load
