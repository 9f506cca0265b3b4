#include "simulation/Runner.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <stdexcept>

#include "simulation/Memory.h"
#include "simulation/Simulation.h"

namespace simulation {

struct Runner::Shared {
    std::uint64_t seed;
    std::uint64_t done;
    std::uint64_t steps;
    std::uint64_t faults;
    std::uint64_t fingerprint;  // of all: one that differs shows
};

namespace {

constexpr unsigned hangSeconds = 20;
constexpr std::size_t mostFaults = 1 << 16;

std::string commit() {
    std::string text;
    FILE* git = ::popen("git -C '" NIO_SOURCE_DIR "' describe --always --dirty 2>/dev/null", "r");
    if (git == nullptr) return "unknown";
    for (int c = std::fgetc(git); c != EOF && c != '\n'; c = std::fgetc(git)) {
        text += static_cast<char>(c);
    }
    ::pclose(git);
    return text.empty() ? "unknown" : text;
}

// The exit code of `work` in a child; other than 0 where it crashed or hung.
template <class Work>
int inChild(Work work) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        const int code = work();
        std::fflush(stdout);
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void beQuiet() {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::perror("/dev/null");
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(1);
}

std::ptrdiff_t blocksLeftBy(std::uint64_t seed, const std::optional<FaultSet>& faults) {
    const std::size_t before = Memory::blocks();
    (void)Simulation::run(seed, faults, false);
    return static_cast<std::ptrdiff_t>(Memory::blocks() - before);
}

// No handler, task or timer is left: its memory would be. What is made once for all, or kept until
// the next run, is no leak: that is not more each time.
Outcome runAndCount(std::uint64_t seed, const std::optional<FaultSet>& faults, bool prints) {
    constexpr int repetitions = 3;
    const std::size_t before = Memory::blocks();
    Outcome outcome = Simulation::run(seed, faults, prints);
    const std::size_t ofOutcome = outcome.struck.empty() ? 0 : 1;
    if (!outcome.failure.empty() || Memory::blocks() == before + ofOutcome) return outcome;
    for (int i = 0; i < repetitions; ++i) {
        if (blocksLeftBy(seed, faults) <= 0) return outcome;
    }
    outcome.failure = "memory is left";
    return outcome;
}

}  // namespace

Runner::Runner(const Options& options)
    : options_(options),
      began_(std::time(nullptr)),
      shared_(static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (shared_ == MAP_FAILED) throw std::runtime_error("mmap");
}

Runner::~Runner() {
    ::munmap(shared_, sizeof(Shared));
}

int Runner::run() {
    std::size_t failed = 0;
    std::uint64_t from = options_.from;
    while (!runAll(from)) {
        ++failed;
        const std::uint64_t seed = shared_->seed;
        report(seed);
        if (!options_.keepsGoing) break;
        from = seed + 1;
    }
    std::printf("%llu seeds, %llu steps, %llu faults, fingerprint %016llx, %lld s: %zu failed\n",
                static_cast<unsigned long long>(shared_->done),
                static_cast<unsigned long long>(shared_->steps),
                static_cast<unsigned long long>(shared_->faults),
                static_cast<unsigned long long>(shared_->fingerprint),
                static_cast<long long>(std::time(nullptr) - began_), failed);
    return failed == 0 ? 0 : 1;
}

bool Runner::runAll(std::uint64_t from) {
    return inChild([&] {
               workThrough(from);
               return 0;
           }) == 0;
}

void Runner::workThrough(std::uint64_t from) {
    for (std::uint64_t seed = from;; ++seed) {
        const bool isLast = options_.seconds ? std::time(nullptr) - began_ >= *options_.seconds
                                             : seed > options_.to;
        if (isLast) return;
        shared_->seed = seed;
        ++shared_->done;
        ::alarm(hangSeconds);
        const Outcome outcome = runAndCount(seed, std::nullopt, false);
        shared_->steps += outcome.steps;
        shared_->faults += outcome.struck.size();
        shared_->fingerprint ^= outcome.fingerprint;
        if (!outcome.failure.empty()) ::_exit(1);
    }
}

bool Runner::replay(std::uint64_t seed, const std::optional<FaultSet>& faults, bool prints) {
    const Outcome outcome = runAndCount(seed, faults, prints);
    const bool failed = !outcome.failure.empty();
    std::printf("seed=%llu commit=%s fingerprint=%016llx steps=%zu faults=%zu: %s\n",
                static_cast<unsigned long long>(seed), commit().c_str(),
                static_cast<unsigned long long>(outcome.fingerprint), outcome.steps,
                outcome.struck.size(), failed ? outcome.failure.c_str() : "all is well");
    const std::size_t shown = failed ? std::min<std::size_t>(outcome.struck.size(), 20) : 0;
    for (std::size_t i = 0; i < shown; ++i) {
        const Faults::Struck& struck = outcome.struck[i];
        std::printf("  fault %zu: %s in step %zu\n", struck.number, nameOf(struck.fault),
                    struck.step);
    }
    return !failed;
}

void Runner::report(std::uint64_t seed) {
    std::printf("seed=%llu commit=%s has failed\n", static_cast<unsigned long long>(seed),
                commit().c_str());
    std::string command = program_invocation_short_name;
    command += " --seed " + std::to_string(seed);
    std::optional<FaultSet> faults;
    if (options_.shrinks) {
        faults = shrunk(seed);
        command += " --faults " + toString(*faults);
    }
    const int code = inChild([&] {
        ::alarm(hangSeconds);
        return replay(seed, faults, false) ? 0 : 1;
    });
    if (code > 128) std::printf("  ended by signal %d\n", code - 128);
    std::printf("  again: %s\n", command.c_str());
}

bool Runner::fails(std::uint64_t seed, const std::vector<std::size_t>& faults) {
    return inChild([&] {
               beQuiet();
               ::alarm(hangSeconds);
               const FaultSet only(faults.begin(), faults.end());
               return runAndCount(seed, only, false).failure.empty() ? 0 : 1;
           }) != 0;
}

// Delta debugging: leaves out one part after the other, in ever smaller parts. Without some of its
// faults a run takes another course: what is found is small, not the smallest there is.
FaultSet Runner::shrunk(std::uint64_t seed) {
    if (fails(seed, {})) return {};
    std::vector<std::size_t> left(mostFaults);
    std::iota(left.begin(), left.end(), std::size_t{1});
    for (std::size_t parts = 2; left.size() > 1;) {
        const std::size_t size = (left.size() + parts - 1) / parts;
        bool smaller = false;
        for (std::size_t end = left.size(); end > 0 && !smaller; end -= std::min(end, size)) {
            const auto first =
                left.begin() + static_cast<std::ptrdiff_t>(end - std::min(end, size));
            std::vector<std::size_t> rest(left.begin(), first);
            rest.insert(rest.end(), left.begin() + static_cast<std::ptrdiff_t>(end), left.end());
            if (!fails(seed, rest)) continue;
            left = std::move(rest);
            smaller = true;
        }
        if (!smaller && size == 1) break;
        parts = smaller ? std::max<std::size_t>(parts - 1, 2) : 2 * parts;
        parts = std::min(parts, left.size());
    }
    return {left.begin(), left.end()};
}

}  // namespace simulation
