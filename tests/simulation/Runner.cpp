#include "simulation/Runner.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <stdexcept>

#include "simulation/Memory.h"
#include "simulation/Shrinker.h"
#include "simulation/Simulation.h"

namespace simulation {

struct Runner::Shared {
    std::uint64_t seed;
    std::uint64_t done;
    std::uint64_t steps;
    std::uint64_t faults;
    std::uint64_t fingerprint;  // of all: one that differs shows
    std::size_t struck;         // in the last run of a child
    char failure[400];          // of the last of runAll(), if it was told
};

namespace {

constexpr unsigned hangSeconds = 60;  // a machine may stand still for a while
constexpr std::time_t patienceSeconds = 60;

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

std::string signalIn(int code) {
    return code > 128 ? "ended by signal " + std::to_string(code - 128) : "";
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
    Faults::countIn(shared_->struck);
}

Runner::~Runner() {
    ::munmap(shared_, sizeof(Shared));
}

int Runner::run() {
    std::size_t failed = 0;
    for (std::uint64_t from = options_.from; const int code = runAll(from);) {
        ++failed;
        report(from, code);
        if (!options_.keepsGoing || isLast(shared_->seed)) break;
        from = shared_->seed + 1;
    }
    std::printf("%llu seeds, %llu steps, %llu faults, fingerprint %016llx, %lld s: %zu failed\n",
                static_cast<unsigned long long>(shared_->done),
                static_cast<unsigned long long>(shared_->steps),
                static_cast<unsigned long long>(shared_->faults),
                static_cast<unsigned long long>(shared_->fingerprint),
                static_cast<long long>(std::time(nullptr) - began_), failed);
    return failed == 0 ? 0 : 1;
}

int Runner::runAll(std::uint64_t from) {
    return inChild([&] {
        workThrough(from);
        return 0;
    });
}

bool Runner::isLast(std::uint64_t seed) const {
    return !options_.seconds && seed == options_.to;
}

void Runner::workThrough(std::uint64_t from) {
    for (std::uint64_t seed = from;; ++seed) {
        if (options_.seconds && std::time(nullptr) - began_ >= *options_.seconds) return;
        shared_->seed = seed;
        shared_->failure[0] = 0;
        ++shared_->done;
        ::alarm(hangSeconds);
        const Outcome outcome = runAndCount(seed, std::nullopt, false);
        shared_->steps += outcome.steps;
        shared_->faults += outcome.struck.size();
        shared_->fingerprint ^= outcome.fingerprint;
        if (!outcome.failure.empty()) {
            std::snprintf(shared_->failure, sizeof shared_->failure, "%s", outcome.failure.c_str());
            ::_exit(1);
        }
        if (isLast(seed)) return;
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

void Runner::report(std::uint64_t from, int code) {
    const std::uint64_t seed = shared_->seed;
    std::printf("seed=%llu commit=%s has failed\n", static_cast<unsigned long long>(seed),
                commit().c_str());
    if (fails(seed, std::nullopt) && failsOnceMore(seed)) return;
    const std::string signal = signalIn(code);
    std::printf("  did not fail again by itself; the run was %s --seeds %llu-%llu: %s\n",
                program_invocation_name, static_cast<unsigned long long>(from),
                static_cast<unsigned long long>(seed),
                signal.empty() ? shared_->failure : signal.c_str());
}

bool Runner::failsOnceMore(std::uint64_t seed) {
    std::string command = program_invocation_name;
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
    if (code == 0) return false;
    if (code > 128) std::printf("  %s\n", signalIn(code).c_str());
    std::printf("  again: %s\n", command.c_str());
    return true;
}

bool Runner::fails(std::uint64_t seed, const std::optional<FaultSet>& faults) {
    shared_->struck = 0;
    return inChild([&] {
               beQuiet();
               ::alarm(hangSeconds);
               return runAndCount(seed, faults, false).failure.empty() ? 0 : 1;
           }) != 0;
}

// Right after a run with all of them, which has counted them.
FaultSet Runner::shrunk(std::uint64_t seed) {
    Shrinker shrinker([&](const FaultSet& only) { return fails(seed, only); }, patienceSeconds);
    const FaultSet faults = shrinker.shrink(shared_->struck);
    if (shrinker.hasGivenUp()) {
        std::printf("  after %lld s of looking for fewer faults: there may be fewer still\n",
                    static_cast<long long>(patienceSeconds));
    }
    return faults;
}

}  // namespace simulation
