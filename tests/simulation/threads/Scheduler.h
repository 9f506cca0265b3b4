// Threads that are none: what would run on a thread of its own (SelectorThread::start) is stepped
// here, one turn at a time, in an order drawn from a seed, and so are those who are outside of the
// process, the network and the clock. Whoever would wait (SelectorThread::join and run,
// invokeAndWait) makes steps of the others until it need not wait any more: see StandIns.cpp.
//
// Thread: the one of the run. One scheduler is current at a time.
// Errors: a run that fails or does not come to an end is told on standard output, and ends the
// process: it may be deep inside of the code under test.
#pragma once

#include <functional>
#include <list>
#include <vector>

#include <nio/loop/SelectorThread.h>

#include "simulation/Machine.h"

namespace simulation {

// Who is outside: a peer, another thread.
class Actor {
  public:
    virtual ~Actor() = default;
    // One thing that it does now, if there is any; all that it can do if it is `eager`.
    virtual void step(bool eager) = 0;
    // It does nothing until then.
    virtual std::optional<nio::TimePoint> wakesAt() const { return std::nullopt; }
    // It may wait for a dispatcher: then it acts only where no turn is on the stack.
    virtual bool blocks() const { return false; }
    // For the report of a run that hangs.
    virtual std::string toString() const = 0;
};

class Scheduler {
  public:
    struct Options {
        std::uint64_t seed = 0;
        std::size_t calmAt = 0;  // the step after which no fault strikes any more
        unsigned stepsWhileAsleepPerMille = 0;
        unsigned wakeUpsForNothingPerMille = 0;
    };

    Scheduler(Machine& machine, const Options& options);
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;
    ~Scheduler();

    // Null: none is.
    static Scheduler* current();
    // Which thread this would be: 0 is the first one.
    static std::uintptr_t threadNumber();

    void add(Actor& actor) { actors_.push_back({&actor}); }
    // Not in its own step.
    void remove(const Actor& actor) {
        std::erase_if(actors_, [&](const Part& part) { return part.actor == &actor; });
    }
    // Before each step.
    void setBeforeStep(std::function<void()> hook) { beforeStep_ = std::move(hook); }
    void stepUntil(const std::function<bool()>& over);
    std::size_t steps() const { return steps_; }
    Machine& machine() { return machine_; }
    // The clock has jumped so far once.
    bool clockHasJumped() const { return clockHasJumped_; }
    // Its turn is on the stack: it waits for another, or runs.
    bool isBusy(const nio::SelectorThread& thread) const;
    [[noreturn]] void giveUp(const std::string& why);

    // --- for the stand-ins ------------------------------------------------------------------

    void start(nio::SelectorThread& thread);
    void forget(nio::SelectorThread& thread);
    void run(nio::SelectorThread& thread);
    void join(nio::SelectorThread& thread);

  private:
    struct Entry {
        nio::SelectorThread* thread;
        std::uintptr_t number;
        std::optional<int> epoll{};
        bool busy = false;
    };
    struct Part {
        Actor* actor;
        bool busy = false;
    };

    void step();
    void act();
    void foreignStep();
    bool fairRound();
    void settle();
    void letTimePass();
    void strikeClock();
    void whileAsleep(int epoll);
    Entry* find(const nio::SelectorThread& thread);
    Entry* anyEntry();
    bool isAwake(const Entry& entry) const;
    void turn(Entry& entry);
    void step(Part& part, bool eager);

    Machine& machine_;
    const Options options_;
    Random random_;
    std::list<Entry> entries_;
    std::list<Part> actors_;
    std::vector<Entry*> turning_;
    std::function<void()> beforeStep_;
    std::uintptr_t numbers_ = 0;
    std::size_t steps_ = 0;
    std::size_t quietSteps_ = 0;
    std::size_t quietJumps_ = 0;
    std::uint64_t seenProgress_ = 0;
    bool clockHasJumped_ = false;
};

}  // namespace simulation
