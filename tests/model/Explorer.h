// Runs a few fibers through all orders of their shared steps, up to a bound.
//
// A scene makes some fibers and what they share anew for each run. Before every step on something
// shared (see SharedAtomic.h) a fiber comes to step(), where the explorer may go on with another
// one. Which one is a choice; the explorer goes through all choices depth first, running the scene
// from its beginning for each. Taking the turn from a fiber that could go on is a preemption, of
// which a run has at most so many as the bound says; a fiber that has to wait gives its turn away
// for nothing.
//
// Memory is sequentially consistent here: orders of memory (relaxed, acquire) are not explored.
//
// A run fails where a fiber calls require() in vain, throws, or where nobody can go on and somebody
// is not at its end.
//
// Thread: one; one explorer at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace model {

class Fiber;

class Explorer {
  public:
    struct Bounds {
        std::size_t preemptions = 2;
        std::size_t steps = 5000;     // of one run: more is a loop without end
        std::size_t runs = SIZE_MAX;  // then it gives up
    };
    struct Outcome {
        std::size_t runs = 0;
        std::optional<std::string> failure{};  // of the last run, and how it came to it
        bool isComplete = false;               // all orders within the bounds, and no failure
    };
    // Spawns its fibers, and returns what holds at the end of each run.
    using Scene = std::function<std::function<void()>()>;

    static Outcome explore(const Scene& scene, const Bounds& bounds);

    // --- for a scene --------------------------------------------------------------------------
    static void spawn(const char* name, std::function<void()> body);
    // Ends the run, as a failure, where it does not hold.
    static void require(bool holds, const std::string& what);

    // --- for what fibers share; outside a run nothing happens -----------------------------------
    // Somebody else may go on first. `what` is shown where a run fails.
    static void step(const char* what);
    // Waits until it holds. It is looked at between the steps of others.
    static void waitUntil(const char* what, std::function<bool()> holds);
    // Steps that have changed something, of all fibers.
    static std::size_t changes();
    static void changed();
};

}  // namespace model
