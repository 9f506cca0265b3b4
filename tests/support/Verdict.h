// For what must run in a process of its own (a limit, a signal): the body of an EXPECT_EXIT that
// ends with verdict(), in tests that set the "threadsafe" style.
//
//     void body() { …; if (wrong) support::verdict("what is wrong"); support::verdict(""); }
//     EXPECT_EXIT(body(), ::testing::ExitedWithCode(0), "");
//
// Thread: the child's only one.
#pragma once

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace support {

[[noreturn]] inline void verdict(const std::string& trouble) {
    if (!trouble.empty()) std::fprintf(stderr, "%s\n", trouble.c_str());
    std::_Exit(trouble.empty() ? 0 : 1);
}

inline void limitDescriptors(rlim_t count) {
    const rlimit limit{count, count};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) verdict("setrlimit");
}

// What this process has used so far.
inline double processorSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace support
