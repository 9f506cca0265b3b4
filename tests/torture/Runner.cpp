#include "torture/Runner.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <stdexcept>

#include "simulation/Memory.h"
#include "torture/World.h"

namespace torture {

struct Runner::Shared {
    std::size_t at;
    std::size_t done;
    std::size_t struck;
    std::size_t refused;
    char failure[400];
};

namespace {

constexpr unsigned hangSeconds = 5;

std::string commandOf(const Scenario& scenario, const Fault& fault, std::size_t allocation) {
    std::string command = program_invocation_name;
    command += " --scenario " + scenario.name;
    if (allocation > 0) return command + " --allocation " + std::to_string(allocation);
    return command + " --call " + nameOf(fault.call) + " --nth " + std::to_string(fault.nth) +
           " --error " + std::to_string(fault.error);
}

std::string failureOf(const Outcome& outcome) {
    if (!outcome.failure.empty() || outcome.hasStruck) return outcome.failure;
    return "the fault did not strike";
}

std::string whatThereIs(const Options& options, const Outcome& outcome) {
    const std::string& name = options.scenario->name;
    const std::string allocations = std::to_string(outcome.allocations) + " allocations";
    if (!options.fault) return name + " makes " + allocations;
    const Call call = options.fault->call;
    const std::size_t count = outcome.calls[static_cast<std::size_t>(call)];
    return name + " calls " + nameOf(call) + " " + std::to_string(count) + " times";
}

// Of the child: nothing here is to be destroyed. Where lines are counted the counts are written.
[[noreturn]] void leave(int code) {
#ifdef NIO_COUNTS_COVERAGE
    std::exit(code);
#else
    ::_exit(code);
#endif
}

}  // namespace

Runner::Runner(const Options& options)
    : options_(options),
      shared_(static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (shared_ == MAP_FAILED) throw std::runtime_error("mmap");
    for (const Scenario& scenario : scenarios()) {
        if (options.scenario == nullptr || options.scenario == &scenario) addCases(scenario);
    }
}

Runner::~Runner() {
    ::munmap(shared_, sizeof(Shared));
}

void Runner::addCases(const Scenario& scenario) {
    (void)World::run(scenario, {}, 0, false);  // what is made once and kept is made here
    const Outcome counted = World::run(scenario, {}, 0, false);
    if (!counted.failure.empty()) {
        throw std::runtime_error(scenario.name + ": " + counted.failure);
    }
    for (std::size_t i = 0; i < callCount; ++i) {
        const auto call = static_cast<Call>(i);
        for (std::size_t n = 1; n <= std::min(counted.calls[i], options_.most); ++n) {
            for (const int error : errorsOf(call)) cases_.push_back({&scenario, {call, n, error}});
        }
    }
    const std::size_t allocations = std::min(counted.allocations, options_.mostAllocations);
    for (std::size_t n = 1; n <= allocations; ++n) cases_.push_back({&scenario, {}, n});
}

std::string Runner::extent() const {
    std::set<const Scenario*> scenarios;
    std::set<Call> calls;
    std::set<int> errors;
    std::size_t allocations = 0;
    for (const Case& each : cases_) {
        scenarios.insert(each.scenario);
        if (each.allocation > 0) {
            ++allocations;
            continue;
        }
        calls.insert(each.fault.call);
        errors.insert(each.fault.error);
    }
    return std::to_string(scenarios.size()) + " scenarios, " + std::to_string(calls.size()) +
           " calls, " + std::to_string(errors.size()) + " errors, " + std::to_string(allocations) +
           " allocations";
}

int Runner::run() {
    const std::time_t began = std::time(nullptr);
    std::size_t failed = 0;
    for (std::size_t from = 0; !workThrough(from); from = shared_->at + options_.every) ++failed;
    std::printf(
        "%s: %zu cases, %zu of them struck, %zu times the server was not set up, %lld s: "
        "%zu failed\n",
        extent().c_str(), shared_->done, shared_->struck, shared_->refused,
        static_cast<long long>(std::time(nullptr) - began), failed);
    return failed == 0 ? 0 : 1;
}

bool Runner::workThrough(std::size_t from) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) {
        for (std::size_t i = from; i < cases_.size(); i += options_.every) {
            shared_->at = i;
            ++shared_->done;
            shared_->failure[0] = 0;
            ::alarm(hangSeconds);
            const Case& each = cases_[i];
            const Outcome outcome = World::run(*each.scenario, each.fault, each.allocation, false);
            shared_->struck += outcome.hasStruck;
            shared_->refused += outcome.wasRefused;
            const std::string failure = failureOf(outcome);
            if (failure.empty()) continue;
            std::snprintf(shared_->failure, sizeof shared_->failure, "%s", failure.c_str());
            leave(1);
        }
        leave(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status == 0) return true;
    report(shared_->at, status);
    return false;
}

void Runner::report(std::size_t index, int status) {
    const Case& failed = cases_[index];
    const std::string command = commandOf(*failed.scenario, failed.fault, failed.allocation);
    std::printf("%s\n", command.c_str());
    if (failed.allocation == 0) std::printf("  %s\n", std::strerror(failed.fault.error));
    if (WIFSIGNALED(status)) {
        const bool hung = WTERMSIG(status) == SIGALRM;
        std::printf("  %s (signal %d)\n", hung ? "hangs" : "crashed", WTERMSIG(status));
    } else {
        std::printf("  %s\n", shared_->failure[0] != 0 ? shared_->failure : "ended by itself");
    }
}

int Runner::replay(const Options& options) {
    const Fault fault = options.fault.value_or(Fault{});
    (void)World::run(*options.scenario, {}, 0, false);
    const Outcome outcome =
        World::run(*options.scenario, fault, options.allocation, options.prints);
    const bool isMeantToStrike = options.fault || options.allocation > 0;
    if (isMeantToStrike && !outcome.hasStruck && outcome.failure.empty()) {
        throw std::runtime_error("the fault did not strike: " + whatThereIs(options, outcome));
    }
    std::printf("%s: %s%s\n", options.scenario->name.c_str(),
                outcome.failure.empty() ? "all is well" : outcome.failure.c_str(),
                outcome.wasRefused ? " (the server was not set up)" : "");
    for (std::size_t i = 0; options.prints && i < callCount; ++i) {
        if (outcome.calls[i] == 0) continue;
        std::printf("  %zu times %s\n", outcome.calls[i], nameOf(static_cast<Call>(i)));
    }
    if (options.prints) std::printf("  %zu allocations\n", outcome.allocations);
    return outcome.failure.empty() ? 0 : 1;
}

}  // namespace torture
