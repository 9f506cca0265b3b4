#include "model/Explorer.h"

#include <exception>
#include <utility>

#include "model/Fiber.h"

namespace model {

namespace {

// One decision: which of so many was taken.
struct Choice {
    std::size_t count;
    std::size_t taken;
};

struct Run {
    std::vector<Choice>& choices;  // made so far, and those to be made again
    const Explorer::Bounds& bounds;
    std::vector<std::unique_ptr<Fiber>> fibers{};
    std::size_t current = 0;
    std::size_t next = 0;  // choice
    std::size_t preemptions = 0;
    std::size_t steps = 0;
    std::size_t changes = 0;
    bool isInFiber = false;
    bool goesOn = true;
    std::vector<std::size_t> candidates{};
    std::optional<std::string> failure{};
    std::vector<std::pair<const Fiber*, const char*>> history{};
};

Run* theRun = nullptr;

bool canGoOn(const Fiber& fiber) {
    return !fiber.isAtEnd() && (!fiber.waitsFor || fiber.waitsFor());
}

std::size_t choose(Run& run, std::size_t count) {
    if (count == 1) return 0;
    if (run.next == run.choices.size()) run.choices.push_back({count, 0});
    return run.choices[run.next++].taken;
}

// The one that has its turn comes first: the first run preempts nobody.
void findCandidates(Run& run) {
    run.candidates.clear();
    const bool goesOn = canGoOn(*run.fibers[run.current]);
    if (goesOn) run.candidates.push_back(run.current);
    if (goesOn && run.preemptions == run.bounds.preemptions) return;
    for (std::size_t i = 0; i < run.fibers.size(); ++i) {
        if (i != run.current && canGoOn(*run.fibers[i])) run.candidates.push_back(i);
    }
}

std::string namesOfThoseLeft(const Run& run) {
    std::string names;
    for (const auto& fiber : run.fibers) {
        if (!fiber->isAtEnd()) names += std::string(" ") + fiber->name();
    }
    return names;
}

// Whose turn it is now. False: the run is over.
bool pickNext(Run& run) {
    if (run.failure) return false;
    if (++run.steps > run.bounds.steps) run.failure = "it goes on without end";
    findCandidates(run);
    if (run.candidates.empty()) {
        const std::string left = namesOfThoseLeft(run);
        if (!left.empty()) run.failure = "nobody can go on, but these have not ended:" + left;
        return false;
    }
    const std::size_t taken = run.candidates[choose(run, run.candidates.size())];
    if (taken != run.current && run.candidates.front() == run.current) ++run.preemptions;
    run.current = taken;
    run.fibers[taken]->waitsFor = nullptr;
    return !run.failure;
}

void perform(Run& run) {
    run.goesOn = pickNext(run);
    while (run.goesOn) {
        Fiber& fiber = *run.fibers[run.current];
        run.isInFiber = true;
        fiber.goOn();
        run.isInFiber = false;
        if (fiber.isAtEnd()) run.goesOn = pickNext(run);
    }
}

// From within a fiber: somebody's turn, maybe its own.
void passTurn(Run& run, const char* what) {
    Fiber& fiber = *run.fibers[run.current];
    run.goesOn = pickNext(run);
    if (!run.goesOn || run.fibers[run.current].get() != &fiber) fiber.leave();
    run.history.emplace_back(&fiber, what);
}

// The next path, depth first; false: there is none.
bool advance(std::vector<Choice>& choices) {
    while (!choices.empty() && choices.back().taken + 1 == choices.back().count) choices.pop_back();
    if (choices.empty()) return false;
    ++choices.back().taken;
    return true;
}

std::string told(const Run& run) {
    std::string text = *run.failure;
    const Fiber* last = nullptr;
    for (const auto& [fiber, what] : run.history) {
        text += fiber == last ? ", " : std::string("\n    ") + fiber->name() + ": ";
        text += what;
        last = fiber;
    }
    return text;
}

struct Failed {};

}  // namespace

Explorer::Outcome Explorer::explore(const Scene& scene, const Bounds& bounds) {
    Outcome outcome;
    std::vector<Choice> choices;
    do {
        Run run{choices, bounds};
        theRun = &run;
        const std::function<void()> checkEnd = scene();
        perform(run);
        if (!run.failure) {
            try {
                checkEnd();
            } catch (const Failed&) {
            }
        }
        theRun = nullptr;
        ++outcome.runs;
        if (run.failure) outcome.failure = told(run);
        if (run.failure || outcome.runs == bounds.runs) return outcome;
    } while (advance(choices));
    outcome.isComplete = true;
    return outcome;
}

void Explorer::spawn(const char* name, std::function<void()> body) {
    theRun->fibers.push_back(std::make_unique<Fiber>(name, std::move(body)));
}

// A fiber is left where it stands: it may be in a function that must not throw.
void Explorer::require(bool holds, const std::string& what) {
    if (holds) return;
    if (!theRun->failure) theRun->failure = what;
    if (!theRun->isInFiber) throw Failed();
    theRun->goesOn = false;
    theRun->fibers[theRun->current]->leave();
}

void Explorer::step(const char* what) {
    if (theRun != nullptr && theRun->isInFiber) passTurn(*theRun, what);
}

void Explorer::waitUntil(const char* what, std::function<bool()> holds) {
    theRun->fibers[theRun->current]->waitsFor = std::move(holds);
    passTurn(*theRun, what);
}

std::size_t Explorer::changes() {
    return theRun == nullptr ? 0 : theRun->changes;
}

void Explorer::changed() {
    if (theRun != nullptr) ++theRun->changes;
}

}  // namespace model
