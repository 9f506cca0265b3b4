// The engines that the same tests run on. Where the kernel refuses one it is left out, with a line;
// with NIO_REQUIRE_ALL=1 it stays in, and its tests fail.
#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <nio/loop/SelectorThreadOptions.h>
#include <nio/selector/Selector.h>

#include "support/Required.h"

namespace support {

// Asked in a child: a ring that is taken down interrupts the waits of the thread that made it.
inline bool opensInAChild(const nio::SelectorOptions& options) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(nio::Selector::open(options) ? 0 : 1);
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

inline bool isEngineHere(nio::SelectorKind kind) {
    nio::SelectorOptions options;
    options.kind = kind;
    if (opensInAChild(options)) return true;
    const auto refused = nio::Selector::open(options);
    if (refused) return true;
    std::cerr << "no tests on " << nameOf(kind) << ": " << refused.error().message() << "\n";
    return isEverythingRequired();
}

// Until the kernel has taken down the rings that this thread made: it interrupts the thread's waits
// once for each, which others would take for a spurious wake-up.
inline void awaitEndOfRing() {
    const timespec patience{0, 300'000'000};
    while (::ppoll(nullptr, 0, &patience, nullptr) < 0 && errno == EINTR) {
    }
}

inline const std::vector<nio::SelectorKind>& everyEngine() {
    using nio::SelectorKind;
    static const std::vector<SelectorKind> engines = [] {
        std::vector<SelectorKind> found{SelectorKind::epoll, SelectorKind::poll,
                                        SelectorKind::select};
        if (isEngineHere(SelectorKind::uring)) found.push_back(SelectorKind::uring);
        if (nio::selectorKindFrom("kqueue")) found.push_back(SelectorKind::kqueue);
        return found;
    }();
    return engines;
}

inline nio::SelectorThreadOptions with(nio::SelectorKind kind) {
    nio::SelectorThreadOptions options;
    options.selector.kind = kind;
    return options;
}

// What `automatic` is for this process and those that it starts.
inline std::string usualEngine() {
    const char* name = std::getenv("NIO_SELECTOR");
    return name == nullptr || *name == '\0' || name == std::string_view("auto") ? "epoll" : name;
}

// Names for the tests of a suite that has engines as its parameter.
struct EngineName {
    template <class Info>
    std::string operator()(const Info& info) const {
        return std::string(nameOf(info.param));
    }
};

}  // namespace support
