// A dispatcher as far as its queue is concerned, and the books about the tasks that it is given:
// each runs once or is refused, those of one producer in their order, none after the end.
//
// The loop is SelectorThread's: tasks, close?, select; and finish() as there.
//
// Thread: one.
#pragma once

#include "model/Instrument.h"

#include <nio/loop/Drain.h>
#include <nio/loop/IdleWait.h>
#include <nio/tasks/Invocation.h>

#include "model/KernelStandIn.h"

namespace model {

struct QueueLimits {
    std::size_t maximum = 100;
    std::size_t batch = 100;
    std::chrono::nanoseconds spin{0};
};

class Dispatcher {
  public:
    static constexpr std::size_t producers = 3;

    explicit Dispatcher(QueueLimits limits)
        : limits_(limits),
          queue_(std::make_shared<nio::TaskQueue>(selector_.wakeUp(), limits.maximum)),
          idle_(selector_, *queue_, nio::WaitPolicy(limits.spin)) {}

    // --- producers --------------------------------------------------------------------------

    // A producer's next task: whether it was accepted.
    bool post(std::size_t producer) {
        Books& books = books_[producer];
        Numbered task{*this, producer, books.posted++, std::make_unique<int>(0)};
        const nio::Result<void> pushed = queue_->push(std::move(task));
        books.accepted += pushed ? 1 : 0;
        if (pushed) return true;
        Explorer::require(task.whole != nullptr, "a task that was refused is whole");
        const bool isStopped = pushed.error().is(nio::Errc::stopped);
        Explorer::require(isStopped || pushed.error().is(nio::Errc::queueFull), "it says why");
        Explorer::require(!isStopped || hasClosed_, "refused as stopped only once it is closed");
        return false;
    }
    // Whether it ran; it has when this returns.
    bool postAndWait(std::size_t producer) {
        Books& books = books_[producer];
        const std::size_t number = books.posted++;
        bool ran = false;
        nio::Task task([&, this] {
            this->ran(producer, number);
            ran = true;
        });
        const bool accepted = nio::runAndWaitOn(*queue_, identity_, task, limits_.spin).ok();
        books.accepted += accepted ? 1 : 0;
        Explorer::require(ran == accepted, "invokeAndWait has run it, or was refused");
        return accepted;
    }
    // Says something new, which the visit that comes must see. Whether one comes.
    void postVisit(std::size_t producer) {
        isSaid_[producer] = true;
        isTaken_[producer] = queue_->pushPrepared(visit_).ok();
        Explorer::require(isTaken_[producer] || hasClosed_,
                          "a visit is refused only after the end");
    }
    void requestClose() {
        const bool taken =
            queue_->push([this] { isClosing_ = true, ++closes_; }, nio::TaskQueue::Post::exempt)
                .ok();
        Explorer::require(taken || hasClosed_, "an exempt post is refused only after the end");
    }
    // As requestClose() does where there is no memory for a task.
    void requestCloseWithoutATask() {
        closeRequest_.put({});
        isNudged_ = true;
        queue_->nudge();
    }
    // A channel becomes ready.
    void somethingReady() { nio::kernel::signalEvent(0); }

    // --- the dispatcher -----------------------------------------------------------------------

    // Until it is closed, or has run so many tasks.
    void run(std::size_t tasks) {
        for (;;) {
            runBatch(limits_.batch);
            if (isClosing_ || closeRequest_.isThere()) return finish();
            if (ran_ == tasks) return;
            (void)idle_.select(std::nullopt);
        }
    }

    // When all fibers are at their end.
    void checkEnd(std::size_t signalsOfOthers = 0) const {
        std::size_t accepted = 0;
        for (const Books& books : books_) {
            Explorer::require(books.ran == books.accepted, "what was accepted has run");
            accepted += books.accepted;
        }
        Explorer::require(ran_ == accepted, "nothing else has");
        for (std::size_t i = 0; i < producers; ++i) {
            Explorer::require(!isTaken_[i] || isSeen_[i], "a visit has seen what was said before");
        }
        // Nobody looks any more for what a nudge after the end may have meant.
        const bool nothingWaits = isNudged_ || !queue_->hasWork();
        Explorer::require(queue_->size() == 0 && nothingWaits, "nothing is left");
        Explorer::require(queue_->depth() == 0, "what is published says so");
        Explorer::require(queue_->tasksRun() == ran_ + closes_ + visits_,
                          "and counts those that have run");
        Explorer::require(theKernel().signals <= theKernel().sleeps + signalsOfOthers,
                          "at most one wake-up for each sleep");
    }

  private:
    struct Books {
        std::size_t posted = 0;
        std::size_t accepted = 0;
        std::size_t ran = 0;
        std::size_t next = 0;  // the least number that may come
    };
    struct Numbered {
        Dispatcher& dispatcher;
        std::size_t producer;
        std::size_t number;
        std::unique_ptr<int> whole;
        void operator()() { dispatcher.ran(producer, number); }
    };

    struct Visit final : nio::PreparedTask {
        explicit Visit(Dispatcher& of) : dispatcher(of) {}
        void perform() override {
            ++dispatcher.visits_;
            dispatcher.isSeen_ = dispatcher.isSaid_;
            Explorer::step("visit");
        }
        Dispatcher& dispatcher;
    };

    void ran(std::size_t producer, std::size_t number) {
        Books& books = books_[producer];
        Explorer::require(!isOver_, "no task runs after the end");
        Explorer::require(number >= books.next, "each task once, in its producer's order");
        books.next = number + 1;
        ++books.ran;
        ++ran_;
    }
    void runBatch(std::size_t most) {
        queue_->runBatch(most, [](nio::PostedTask& task) { task(); });
    }
    void finish() {
        hasClosed_ = true;
        Explorer::step("close");  // plain memory is no step
        queue_->close();
        while (queue_->hasWork()) runBatch(SIZE_MAX);
        isOver_ = true;
    }

    const QueueLimits limits_;
    const nio::DispatcherIdentity identity_{"model"};
    SleepingSelector selector_;
    const std::shared_ptr<nio::TaskQueue> queue_;
    nio::IdleWait idle_;
    std::array<Books, producers> books_{};
    std::size_t ran_ = 0;
    std::size_t closes_ = 0;  // requests, which are tasks too
    const std::shared_ptr<Visit> visit_ = std::make_shared<Visit>(*this);
    std::size_t visits_ = 0;
    std::array<bool, producers> isSaid_{}, isTaken_{}, isSeen_{};
    nio::CloseRequest closeRequest_;
    bool isNudged_ = false;
    bool isClosing_ = false;
    bool hasClosed_ = false;
    bool isOver_ = false;
};

}  // namespace model
