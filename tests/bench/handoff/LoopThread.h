// A loop on a thread and a CPU of its own, and what it has used.
//
// A Loop has run(), which returns after stop(), and post(callable): both Thread: any.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include <nio/sys/Kernel.h>

namespace handoff {

// The CPUs that this process may use: the first one is the loop's, the last one the producers'.
inline std::vector<int> usableCpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
    return cpus;
}

inline void stayOn(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    ::sched_setaffinity(0, sizeof set, &set);
}

struct Used {
    double nanoseconds = 0;
    double sleeps = 0;  // voluntary context switches

    // Of the calling thread, so far.
    static Used now() {
        rusage use{};
        ::getrusage(RUSAGE_THREAD, &use);
        return {static_cast<double>(nio::kernel::threadCpuTime().count()),
                static_cast<double>(use.ru_nvcsw)};
    }
    Used operator-(const Used& earlier) const {
        return {nanoseconds - earlier.nanoseconds, sleeps - earlier.sleeps};
    }
};

template <class Loop>
class LoopThread {
  public:
    template <class... Arguments>
    explicit LoopThread(int cpu, Arguments... arguments) : loop_(arguments...) {
        thread_ = std::thread([this, cpu] {
            stayOn(cpu);
            loop_.run();
        });
    }
    ~LoopThread() {
        loop_.stop();
        thread_.join();
    }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

    Loop& loop() { return loop_; }

    // By way of a task.
    Used used() {
        Used used;
        std::binary_semaphore done(0);
        loop_.post([&] {
            used = Used::now();
            done.release();
        });
        done.acquire();
        return used;
    }

  private:
    Loop loop_;
    std::thread thread_;
};

}  // namespace handoff
