// What the linker puts in the place of threads and of the clocks that are not the library's own
// (--wrap, see CMakeLists.txt), and of the wait inside invokeAndWait.
#include <pthread.h>

#include <chrono>
#include <random>

#include <nio/loop/SelectorThread.h>
#include <nio/tasks/Completion.h>

#include "simulation/threads/Scheduler.h"

using simulation::Scheduler;

// --- threads --------------------------------------------------------------------------------

void wrappedStart(nio::SelectorThread* thread) __asm__("__wrap__ZN3nio14SelectorThread5startEv");
void wrappedStart(nio::SelectorThread* thread) {
    Scheduler::current()->start(*thread);
}

void wrappedRun(nio::SelectorThread* thread) __asm__("__wrap__ZN3nio14SelectorThread3runEv");
void wrappedRun(nio::SelectorThread* thread) {
    Scheduler::current()->run(*thread);
}

void wrappedJoin(nio::SelectorThread* thread) __asm__("__wrap__ZN3nio14SelectorThread4joinEv");
void wrappedJoin(nio::SelectorThread* thread) {
    Scheduler::current()->join(*thread);
}

void realEnd(nio::SelectorThread* thread) __asm__("__real__ZN3nio14SelectorThreadD1Ev");
void wrappedEnd(nio::SelectorThread* thread) __asm__("__wrap__ZN3nio14SelectorThreadD1Ev");
void wrappedEnd(nio::SelectorThread* thread) {
    if (Scheduler::current() != nullptr) Scheduler::current()->forget(*thread);
    realEnd(thread);
}

pthread_t wrappedSelf() __asm__("__wrap_pthread_self");
pthread_t wrappedSelf() {
    return static_cast<pthread_t>(0x1000 + Scheduler::threadNumber());
}

std::uint64_t wrappedNumber() __asm__("__wrap__ZN3nio6kernel12threadNumberEv");
std::uint64_t wrappedNumber() {
    return 1 + static_cast<std::uint64_t>(Scheduler::threadNumber());
}

// --- clocks and chance ----------------------------------------------------------------------

namespace {

std::chrono::nanoseconds simulatedTime() {
    Scheduler* scheduler = Scheduler::current();
    if (scheduler == nullptr) return std::chrono::hours(1000);
    return scheduler->machine().now().time_since_epoch();
}

}  // namespace

std::chrono::system_clock::time_point wrappedCalendar() __asm__(
    "__wrap__ZNSt6chrono3_V212system_clock3nowEv");
std::chrono::system_clock::time_point wrappedCalendar() {
    constexpr std::chrono::seconds in2023{1'700'000'000};
    return std::chrono::system_clock::time_point(in2023 + simulatedTime());
}

std::chrono::steady_clock::time_point wrappedSteady() __asm__(
    "__wrap__ZNSt6chrono3_V212steady_clock3nowEv");
std::chrono::steady_clock::time_point wrappedSteady() {
    return std::chrono::steady_clock::time_point(simulatedTime());
}

unsigned wrappedChance(std::random_device*) __asm__("__wrap__ZNSt13random_device9_M_getvalEv");
unsigned wrappedChance(std::random_device*) {
    return static_cast<unsigned>(Scheduler::current()->machine().random().next());
}

// --- the wait inside invokeAndWait ----------------------------------------------------------

namespace nio {

void Completion::finish() {
    state_.store(State::done);
}

void Completion::wait() {
    Scheduler::current()->stepUntil([this] { return state_.load() == State::done; });
}

// Whose turns are made one by one has a time limit; here it is never reached.
bool LimitedCompletion::begin() {
    return true;
}

void LimitedCompletion::finish() {
    state_ = State::done;
}

Result<void> LimitedCompletion::wait(const WaitLimits&) {
    Scheduler::current()->stepUntil([this] { return state_ == State::done; });
    return {};
}

}  // namespace nio
