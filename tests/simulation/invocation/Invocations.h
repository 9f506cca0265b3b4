// Everything that was asked of the dispatchers by other threads, or by each other: tasks,
// invocations that are waited for, questions, timers; and what has become of it.
//
// Thread: the one of the run.
#pragma once

#include <deque>
#include <vector>

#include <nio/group/Ask.h>
#include <nio/loop/SelectorThread.h>
#include <nio/timers/Timers.h>

#include "simulation/threads/Scheduler.h"

namespace simulation {

class Invocations {
  public:
    struct Limits {
        std::size_t dispatchers = 1;
        std::size_t maxQueuedTasks = 1000;
        std::size_t maxTasksPerTurn = 100;
        std::size_t operations = 100;  // in all
    };

    Invocations(std::uint64_t seed, const Limits& limits, Scheduler& scheduler);
    ~Invocations();

    // One operation of a thread: 0 is the first of those outside, behind the dispatchers.
    void operate(std::size_t outsider);
    bool hasMore() const { return operations_ < limits_.operations; }
    // All that must come has come.
    bool isSettled() const;
    // One dispatcher, or all; what it has not run by then it runs now, or refuses.
    void closeOne();
    void closeAll();
    bool isOver() const;
    void check();

  private:
    struct Job {
        std::size_t target = 0;
        bool accepted = false;
        bool refused = false;
        std::size_t runs = 0;
    };
    struct Question {
        std::size_t from = 0;
        std::size_t runs = 0;
        std::size_t answers = 0;
    };
    // The last number that ran of those posted by one thread to one dispatcher.
    struct Line {
        std::size_t posted = 0;
        std::size_t ran = 0;
    };
    struct Alarm {
        std::size_t target = 0;
        nio::Timer timer{};
        nio::TimePoint set{};
        nio::TimePoint firstRun{};
        std::chrono::nanoseconds time{};
        bool periodic = false;
        bool cancelled = false;
        std::size_t runs = 0;
    };
    class MyError {};

    void operate(std::size_t from, bool isDispatcher);
    void invokeLater(std::size_t from, std::size_t target);
    void invokeAndWait(std::size_t target);
    void ask(std::size_t from, std::size_t target);
    void ran(std::size_t job);
    void setTimer(std::size_t target);
    void cancelTimer();
    void expired(std::size_t alarm);
    // What a task may do in its turn.
    void inside(std::size_t self);
    nio::SelectorThread& thread(std::size_t index) { return *threads_[index]; }
    void fail(const std::string& what) { scheduler_.machine().journal().fail(what); }

    const Limits limits_;
    Scheduler& scheduler_;
    Random random_;
    std::deque<Job> jobs_;
    std::deque<Question> questions_;
    std::deque<Alarm> alarms_;
    std::vector<std::vector<Line>> lines_;  // by sender, by target
    std::vector<std::unique_ptr<nio::SelectorThread>> threads_;
    std::vector<bool> closed_;
    std::unique_ptr<nio::Timers> timers_;
    std::size_t operations_ = 0;
};

}  // namespace simulation
