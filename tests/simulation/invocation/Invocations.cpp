#include "simulation/invocation/Invocations.h"

#include <algorithm>

namespace simulation {

namespace {

constexpr std::size_t outsiders = 4;

}  // namespace

Invocations::Invocations(std::uint64_t seed, const Limits& limits, Scheduler& scheduler)
    : limits_(limits),
      scheduler_(scheduler),
      random_(seed ^ 0x14c0),
      lines_(limits.dispatchers + outsiders, std::vector<Line>(limits.dispatchers)),
      closed_(limits.dispatchers),
      timers_(std::make_unique<nio::Timers>()) {
    nio::SelectorThreadOptions options;
    options.selector.kind = nio::SelectorKind::epoll;
    options.maxQueuedTasks = limits.maxQueuedTasks;
    options.maxTasksPerTurn = limits.maxTasksPerTurn;
    options.onMisuse = [this](const nio::Failure& failure) { fail(failure.toString()); };
    options.onFailure = [this](const nio::Failure& failure) { fail(failure.toString()); };
    for (std::size_t i = 0; i < limits.dispatchers; ++i) {
        options.name = "d" + std::to_string(i);
        threads_.push_back(std::make_unique<nio::SelectorThread>(options));
        threads_.back()->start();
    }
}

Invocations::~Invocations() = default;

// --- what is asked --------------------------------------------------------------------------

void Invocations::operate(std::size_t outsider) {
    if (hasMore()) operate(limits_.dispatchers + outsider, false);
}

void Invocations::operate(std::size_t from, bool isDispatcher) {
    ++operations_;
    scheduler_.machine().countProgress();
    const std::size_t target = random_.below(limits_.dispatchers);
    const std::size_t choice = random_.below(100);
    if (choice < 45) return invokeLater(from, target);
    if (choice < 52 && isDispatcher) return ask(from, target);
    if (choice < 75) return invokeAndWait(target);
    if (choice < 90) return setTimer(target);
    if (choice < 97) return cancelTimer();
    if (!isDispatcher && random_.chance(100)) closeOne();
}

void Invocations::invokeLater(std::size_t from, std::size_t target) {
    const std::size_t job = jobs_.size();
    jobs_.push_back({target});
    Line& line = lines_[from][target];
    const std::size_t number = line.posted + 1;
    jobs_[job].accepted = thread(target).invokeLater([this, job, &line, number] {
        nio::onDispatcher.assertCurrent();
        if (line.ran + 1 != number) fail("tasks of one thread have changed their order");
        line.ran = number;
        ran(job);
        inside(jobs_[job].target);
    });
    jobs_[job].refused = !jobs_[job].accepted;
    if (jobs_[job].accepted) line.posted = number;
}

// Refused for a cycle only where the other waits indeed, or seems to: its turn is on the stack.
void Invocations::invokeAndWait(std::size_t target) {
    const std::size_t job = jobs_.size();
    jobs_.push_back({target, true});
    const bool throws = random_.chance(200);
    const bool isBusy = scheduler_.isBusy(thread(target)) && !thread(target).isCurrent();
    bool thrown = false;
    bool done = false;
    try {
        const nio::Result<void> result = thread(target).invokeAndWait([this, job, throws] {
            nio::onDispatcher.assertCurrent();
            ran(job);
            inside(jobs_[job].target);
            if (throws) throw MyError();
        });
        done = result.ok();
        jobs_[job].refused = !done;
        const bool cycle = !done && result.error().is(nio::Errc::waitCycle);
        if (cycle != isBusy && !closed_[target]) {
            fail(cycle ? "a wait is called a cycle" : "a cycle of waits is not noticed");
        }
        const bool mayRefuse =
            cycle || closed_[target] || result.ok() || result.error().is(nio::Errc::queueFull);
        if (!mayRefuse) fail("invokeAndWait: " + result.error().message());
    } catch (const MyError&) {
        thrown = true;
    }
    if ((thrown || done) && jobs_[job].runs != 1) fail("what was waited for has not run");
    if (thrown != (throws && jobs_[job].runs > 0)) fail("an exception was lost, or made up");
}

void Invocations::ask(std::size_t from, std::size_t target) {
    nio::onDispatcher.assertCurrent();
    const std::size_t index = questions_.size();
    questions_.push_back({from});
    const bool throws = random_.chance(200);
    const auto function = [this, index, target, throws] {
        if (!thread(target).isCurrent()) fail("a question runs on another dispatcher");
        if (++questions_[index].runs > 1) fail("a question runs twice");
        if (throws) throw MyError();
    };
    nio::ask(thread(target), function, [this, index, target, throws](nio::Result<void> answer) {
        Question& question = questions_[index];
        if (!thread(question.from).isCurrent()) fail("an answer is not for its asker");
        if (++question.answers > 1) fail("a question is answered twice");
        const bool hasThrown = !answer && answer.error().is(nio::Errc::handlerFailed);
        if (hasThrown != (throws && question.runs > 0)) fail("an answer hides an exception");
        if (answer.ok() && question.runs != 1) fail("an answer to what was not asked");
        const bool mayRefuse =
            closed_[target] || answer.ok() || hasThrown || answer.error().is(nio::Errc::queueFull);
        if (!mayRefuse) fail("ask: " + answer.error().message());
    });
}

void Invocations::ran(std::size_t job) {
    Job& found = jobs_[job];
    ++found.runs;
    if (!thread(found.target).isCurrent()) fail("a task runs on another dispatcher");
    if (found.runs > 1) fail("a task runs twice");
    if (found.refused) fail("a task runs that was refused");
}

void Invocations::inside(std::size_t self) {
    if (hasMore() && random_.chance(300)) operate(self, true);
}

// --- timers ---------------------------------------------------------------------------------

void Invocations::setTimer(std::size_t target) {
    const std::size_t index = alarms_.size();
    alarms_.push_back({target});
    Alarm& alarm = alarms_.back();
    alarm.periodic = random_.chance(300);
    alarm.set = scheduler_.machine().now();
    alarm.time = std::chrono::milliseconds(random_.below(300) + (alarm.periodic ? 1 : 0));
    const auto task = [this, index] {
        nio::onDispatcher.assertCurrent();
        expired(index);
    };
    alarm.timer = alarm.periodic ? timers_->every(alarm.time, thread(target), task)
                                 : timers_->after(alarm.time, thread(target), task);
}

void Invocations::expired(std::size_t index) {
    Alarm& alarm = alarms_[index];
    ++alarm.runs;
    if (!thread(alarm.target).isCurrent()) fail("a timer runs on another dispatcher");
    if (alarm.cancelled) fail("a timer runs that was cancelled");
    if (!alarm.periodic && alarm.runs > 1) fail("a timer runs twice");
    const auto passed = scheduler_.machine().now() - alarm.set;
    if (passed < alarm.time * static_cast<std::int64_t>(alarm.runs)) fail("a timer is early");
    if (alarm.runs == 1) alarm.firstRun = scheduler_.machine().now();
    // Of the others only the second may have been due before the first has run.
    const auto lasts = scheduler_.machine().now() - alarm.firstRun;
    if (alarm.runs == 4 && lasts < alarm.time) fail("a timer makes up for what it has missed");
    // In the end all of them must go.
    if (alarm.periodic && alarm.runs >= 4) alarm.cancelled = alarm.timer.cancel();
    inside(alarm.target);
}

void Invocations::cancelTimer() {
    if (alarms_.empty()) return;
    Alarm& alarm = alarms_[random_.below(alarms_.size())];
    const bool cancelled = alarm.timer.cancel();
    if (cancelled && !alarm.periodic && alarm.runs > 0) fail("a timer is cancelled that has run");
    alarm.cancelled = alarm.cancelled || cancelled;
    if (alarm.timer.isPending()) fail("a timer is pending that was cancelled");
}

// --- the end --------------------------------------------------------------------------------

bool Invocations::isSettled() const {
    if (hasMore()) return false;
    for (const Question& question : questions_) {
        if (question.answers == 0 && !closed_[question.from]) return false;
    }
    return std::all_of(alarms_.begin(), alarms_.end(), [this](const Alarm& alarm) {
        return alarm.cancelled || closed_[alarm.target] || (!alarm.periodic && alarm.runs > 0);
    });
}

void Invocations::closeOne() {
    const std::size_t index = random_.below(limits_.dispatchers);
    closed_[index] = true;
    thread(index).requestClose({std::chrono::milliseconds(random_.below(100))});
}

void Invocations::closeAll() {
    for (std::size_t i = 0; i < limits_.dispatchers; ++i) {
        closed_[i] = true;
        thread(i).requestClose({std::chrono::milliseconds(random_.below(100))});
    }
}

bool Invocations::isOver() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [](const auto& each) { return each->isStopped(); });
}

void Invocations::check() {
    for (const Job& job : jobs_) {
        const std::size_t due = job.accepted && !job.refused ? 1 : 0;
        if (job.runs != due) fail("a task that was accepted has not run");
    }
    timers_.reset();
    for (const auto& each : threads_) {
        if (each->queue()->size() > 0) fail("tasks are left");
    }
    // A timer's handle keeps the queue that it was to be posted to.
    alarms_.clear();
    threads_.clear();
    const std::size_t left = scheduler_.machine().openDescriptors();
    if (left > 0) fail(std::to_string(left) + " descriptors are left");
}

}  // namespace simulation
