#include "model/Dispatcher.h"

#include "model/Scenes.h"

namespace model {

namespace {

using nio::TaskQueue;

std::shared_ptr<Dispatcher> freshDispatcher(QueueLimits limits = {}) {
    theKernel() = {};
    return std::make_shared<Dispatcher>(limits);
}

void spawnProducer(const std::shared_ptr<Dispatcher>& dispatcher, const char* name,
                   std::size_t producer, std::size_t tasks) {
    Explorer::spawn(name, [=] {
        for (std::size_t i = 0; i < tasks; ++i) dispatcher->post(producer);
    });
}

// 2 producers of 2 tasks each; the dispatcher ends when it has run them all: one that sleeps while
// tasks wait sleeps for ever.
std::function<void()> posts(QueueLimits limits) {
    const auto dispatcher = freshDispatcher(limits);
    Explorer::spawn("dispatcher", [=] { dispatcher->run(4); });
    spawnProducer(dispatcher, "first", 0, 2);
    spawnProducer(dispatcher, "second", 1, 2);
    return [=] { dispatcher->checkEnd(); };
}

// A channel becomes ready meanwhile: it wakes the dispatcher, for another reason.
std::function<void()> postsAndEvents() {
    const auto dispatcher = freshDispatcher();
    Explorer::spawn("dispatcher", [=] { dispatcher->run(2); });
    spawnProducer(dispatcher, "first", 0, 1);
    spawnProducer(dispatcher, "second", 1, 1);
    Explorer::spawn("peer", [=] { dispatcher->somethingReady(); });
    return [=] { dispatcher->checkEnd(1); };
}

// Closed at any time; with a limit of the queue some are refused as full, too.
std::function<void()> closing(QueueLimits limits, std::size_t producers) {
    const auto dispatcher = freshDispatcher(limits);
    Explorer::spawn("dispatcher", [=] { dispatcher->run(SIZE_MAX); });
    spawnProducer(dispatcher, "first", 0, 2);
    if (producers > 1) spawnProducer(dispatcher, "second", 1, 2);
    Explorer::spawn("closer", [=] { dispatcher->requestClose(); });
    return [=] { dispatcher->checkEnd(); };
}

// A prepared task that two post.
std::function<void()> visits() {
    const auto dispatcher = freshDispatcher();
    Explorer::spawn("dispatcher", [=] { dispatcher->run(SIZE_MAX); });
    Explorer::spawn("first", [=] { dispatcher->postVisit(0); });
    Explorer::spawn("second", [=] { dispatcher->postVisit(1); });
    Explorer::spawn("closer", [=] { dispatcher->requestClose(); });
    return [=] { dispatcher->checkEnd(); };
}

// Two closers: what the second one has posted is run or refused like any task.
std::function<void()> closingTwice() {
    const auto dispatcher = freshDispatcher();
    Explorer::spawn("dispatcher", [=] { dispatcher->run(SIZE_MAX); });
    spawnProducer(dispatcher, "first", 0, 2);
    Explorer::spawn("closer", [=] { dispatcher->requestClose(); });
    Explorer::spawn("other closer", [=] { dispatcher->requestClose(); });
    return [=] { dispatcher->checkEnd(); };
}

// Closed without memory for the task that says so.
std::function<void()> closingWithoutATask(QueueLimits limits) {
    const auto dispatcher = freshDispatcher(limits);
    Explorer::spawn("dispatcher", [=] { dispatcher->run(SIZE_MAX); });
    spawnProducer(dispatcher, "first", 0, 1);
    Explorer::spawn("closer", [=] { dispatcher->requestCloseWithoutATask(); });
    return [=] { dispatcher->checkEnd(); };
}

std::function<void()> waiting(QueueLimits limits) {
    const auto dispatcher = freshDispatcher(limits);
    Explorer::spawn("dispatcher", [=] { dispatcher->run(3); });
    spawnProducer(dispatcher, "poster", 0, 1);
    Explorer::spawn("waiter", [=] {
        Explorer::require(dispatcher->postAndWait(1), "nobody closes");
        Explorer::require(dispatcher->postAndWait(1), "nobody closes");
    });
    return [=] { dispatcher->checkEnd(); };
}

std::function<void()> waitingAndClosing(std::size_t waiters) {
    const auto dispatcher = freshDispatcher();
    Explorer::spawn("dispatcher", [=] { dispatcher->run(SIZE_MAX); });
    Explorer::spawn("waiter", [=] {
        if (dispatcher->postAndWait(0)) dispatcher->postAndWait(0);
    });
    if (waiters > 1) Explorer::spawn("other waiter", [=] { dispatcher->postAndWait(1); });
    Explorer::spawn("closer", [=] { dispatcher->requestClose(); });
    return [=] { dispatcher->checkEnd(); };
}

constexpr std::chrono::nanoseconds edge{40};

}  // namespace

std::vector<NamedScene> allScenes() {
    return {
        {"2 producers", [] { return posts({}); }, 3},
        {"2 producers, one task per turn", [] { return posts({.batch = 1}); }, 3},
        {"2 producers, a busy edge", [] { return posts({.spin = edge}); }, 2},
        {"2 producers, a channel that is ready", postsAndEvents, 2},
        {"1 producer, closing", [] { return closing({}, 1); }, 3},
        {"1 producer, a full queue, closing", [] { return closing({.maximum = 1}, 1); }, 3},
        {"2 producers, closing", [] { return closing({}, 2); }, 1},
        {"2 producers, a full queue, closing", [] { return closing({.maximum = 1}, 2); }, 1},
        {"1 producer, closing twice", closingTwice, 1},
        {"a prepared task of 2, closing", visits, 1},
        {"1 producer, closing without a task", [] { return closingWithoutATask({}); }, 3},
        {"1 producer, closing without a task, a busy edge",
         [] { return closingWithoutATask({.spin = edge}); }, 2},
        {"invokeAndWait beside a producer", [] { return waiting({}); }, 2},
        {"invokeAndWait that looks first", [] { return waiting({.spin = edge}); }, 1},
        {"invokeAndWait, closing", [] { return waitingAndClosing(1); }, 2},
        {"2 invokeAndWait, closing", [] { return waitingAndClosing(2); }, 1},
    };
}

}  // namespace model
