// What a run has done: the first violation of a promise, and a fingerprint of all steps (the same
// seed must give the same one, every time).
//
// Thread: the one of the run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace simulation {

class Journal {
  public:
    explicit Journal(bool prints) : prints_(prints) {}

    // Only the first one counts: what comes after it may be its consequence.
    void fail(std::string what) {
        if (failure_.empty()) failure_ = std::move(what);
        if (prints_) std::fprintf(stderr, "FAILED %s\n", failure_.c_str());
    }
    bool hasFailed() const { return !failure_.empty(); }
    const std::string& failure() const { return failure_; }

    void note(const char* what, std::uint64_t subject = 0, std::uint64_t amount = 0) {
        for (const char* at = what; *at != 0; ++at) mix(static_cast<unsigned char>(*at));
        mix(subject);
        mix(amount);
        ++steps_;
        if (!prints_) return;
        std::fprintf(stderr, "%s %llu %llu\n", what, static_cast<unsigned long long>(subject),
                     static_cast<unsigned long long>(amount));
    }
    std::uint64_t fingerprint() const { return hash_; }
    std::uint64_t steps() const { return steps_; }

  private:
    void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3; }

    const bool prints_;
    std::string failure_;
    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::uint64_t steps_ = 0;
};

}  // namespace simulation
