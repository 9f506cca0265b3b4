#include <nio/group/SelectorThreadGroup.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

namespace nio {

SelectorThreadGroup::SelectorThreadGroup(SelectorThreadGroupOptions options)
    : dealing_(std::move(options.dealing)) {
    std::size_t count = options.threads;
    if (count == 0) count = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i <= count; ++i) {
        threads_.push_back(made(options, i - 1, std::to_string(i)));
    }
    if (options.acceptorThread) acceptor_ = made(options, count, "acceptor");
    if (options.rebalance && count > 1) rebalancer_.emplace(threads_, *options.rebalance);
}

std::unique_ptr<SelectorThread> SelectorThreadGroup::made(const SelectorThreadGroupOptions& options,
                                                          std::size_t index,
                                                          const std::string& suffix) {
    SelectorThreadOptions each = options.thread;
    each.name += "-" + suffix;
    if (options.threadStarted) {
        each.threadStarted = [call = options.threadStarted, index] { call(index); };
    }
    auto thread = std::make_unique<SelectorThread>(std::move(each));
    all_.push_back(thread.get());
    return thread;
}

// All of them stop before the first one goes: they may still speak to each other until then.
SelectorThreadGroup::~SelectorThreadGroup() {
    end();
}

void SelectorThreadGroup::end() {
    // One whose turn this is says so, and aborts.
    const auto isCurrent = [](const auto& thread) { return thread->isCurrent(); };
    const auto current = std::find_if(threads_.begin(), threads_.end(), isCurrent);
    if (current != threads_.end()) current->reset();
    if (acceptor_ != nullptr && acceptor_->isCurrent()) acceptor_.reset();
    closeAtOnce();
    for (SelectorThread* thread : all_) {
        if (!thread->life().isLeftBehind()) thread->join();
    }
    for (SelectorThread* thread : all_) {
        while (!thread->life().isLeftBehind() && thread->turn(std::chrono::nanoseconds::zero())) {
        }
    }
}

void SelectorThreadGroup::start() {
    if (std::exchange(started_, true)) throw std::logic_error("group started twice");
    try {
        for (SelectorThread* thread : all_) thread->start();
        if (rebalancer_) rebalancer_->start();
    } catch (...) {
        // requestClose() waits for all of them, and one that has no thread does nothing.
        closeAtOnce();
        throw;
    }
}

void SelectorThreadGroup::closeAtOnce() {
    for (SelectorThread* thread : all_) thread->requestClose(DrainOptions::atOnce());
}

std::size_t SelectorThreadGroup::connectionCount() const {
    std::size_t count = 0;
    for (const auto& thread : threads_) count += thread->connectionCount();
    return count;
}

// A connection is posted to its dispatcher before its listener says that it is closed; so when all
// listeners have said so, the requests that follow find every connection in place. Without memory
// for that order all are asked at once, and so they are where nothing is to be drained: one that is
// stuck in a callback holds nobody else up then, and otherwise no longer than the deadline.
void SelectorThreadGroup::requestClose(const DrainOptions& options) try {
    if (options.deadline <= std::chrono::milliseconds::zero()) return closeAtOnce();
    auto left = std::make_shared<std::atomic<std::size_t>>(all_.size());
    const TimePoint end = Clock::after(options.deadline);
    for (SelectorThread* thread : all_) {
        auto closed = [this, left, options, end, &here = *thread] {
            if (left->fetch_sub(1) != 1) return waitForOthers(here, end, options);
            for (SelectorThread* each : all_) each->requestClose(options);
        };
        thread->draining().closeListenersLater(std::move(closed), options);
    }
    // One that has no thread says nothing, and holds nobody up.
    const auto isSilent = [](SelectorThread* each) { return each->life().isThreadMissing(); };
    if (std::none_of(all_.begin(), all_.end(), isSilent)) return;
    for (SelectorThread* each : all_) each->requestClose(options);
} catch (const std::bad_alloc&) {
    for (SelectorThread* each : all_) each->requestClose(options);
}

// Elsewhere: it has stopped, or there was no memory to let it speak.
void SelectorThreadGroup::waitForOthers(SelectorThread& here, TimePoint end,
                                        const DrainOptions& options) {
    if (!here.isCurrent()) return here.requestClose(options);
    onDispatcher.assertCurrent();
    here.draining().beginAt(end, options);
}

void SelectorThreadGroup::join() {
    for (SelectorThread* thread : all_) thread->join();
}

DrainReport SelectorThreadGroup::drainReport() const {
    DrainReport sum;
    for (SelectorThread* thread : all_) sum += thread->draining().report();
    return sum;
}

}  // namespace nio
