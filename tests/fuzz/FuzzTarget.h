// What a fuzzer does with one input. Each target is a file of its own that says its property and
// defines one of these; it is linked twice: with libFuzzer (FuzzMain.cpp), and with all the others
// into a program that replays files (replay.cpp).
//
//     const fuzz::FuzzTarget target("decoders", [](fuzz::FuzzInput input) { … });
//
// Thread: main's.
// Errors: a property that does not hold ends the process, by require() or by a sanitizer.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/FuzzInput.h"

namespace fuzz {

class FuzzTarget {
  public:
    using Run = void (*)(FuzzInput input);

    // `name` must outlive it, and it main().
    FuzzTarget(const char* name, Run run) : name_(name), run_(run), next_(first()) {
        first() = this;
    }
    FuzzTarget(const FuzzTarget&) = delete;
    FuzzTarget& operator=(const FuzzTarget&) = delete;

    // Those that are linked, in no order.
    static const FuzzTarget*& first() {
        static const FuzzTarget* target = nullptr;
        return target;
    }
    const FuzzTarget* next() const { return next_; }
    std::string_view name() const { return name_; }
    void operator()(std::string_view bytes) const { run_(FuzzInput(bytes)); }

  private:
    const char* name_;
    Run run_;
    const FuzzTarget* next_;
};

inline void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what.c_str());
    std::abort();
}

}  // namespace fuzz
