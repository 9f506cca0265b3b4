#include <nio/observe/Watchdog.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <nio/base/Log.h>
#include <nio/sys/Process.h>
#include <nio/sys/Signals.h>

namespace nio {

namespace {

class WatchThread {
  public:
    // Never destroyed: a dispatcher may end later than everything static. A process that was forked
    // has one of its own: the other one's thread is not here, and its locks may be taken.
    static WatchThread& only() {
        static std::atomic<WatchThread*> current{nullptr};
        WatchThread* found = current.load();
        if (found != nullptr && found->forks_ == kernel::forkCount()) return *found;
        auto fresh = std::make_unique<WatchThread>();
        if (!current.compare_exchange_strong(found, fresh.get())) return *found;
        return *fresh.release();
    }

    void add(Watchdog::Watch& watch) {
        const std::lock_guard lifeLock(life_);
        {
            const std::lock_guard lock(watchedLock_);
            watched_.push_back(&watch);
        }
        if (thread_.joinable()) return wake();
        ends_ = false;
        try {
            thread_ = std::thread([this] { run(); });
        } catch (...) {
            watched_.clear();
            throw;
        }
    }

    void remove(Watchdog::Watch& watch) {
        const std::lock_guard lifeLock(life_);
        {
            const std::lock_guard lock(watchedLock_);
            std::erase(watched_, &watch);
            if (!watched_.empty() || !thread_.joinable()) return;
        }
        ends_ = true;
        wake();
        thread_.join();
        thread_ = {};
    }

    void wake() {
        const std::lock_guard lock(sleepLock_);
        woken_ = true;
        changed_.notify_one();
    }

  private:
    void run() {
        kernel::blockAllSignals();
        while (!ends_) sleep(lookAtAll());
    }

    std::optional<TimePoint> lookAtAll() {
        const std::lock_guard lock(watchedLock_);
        std::optional<TimePoint> next;
        for (Watchdog::Watch* watch : watched_) {
            const std::optional<TimePoint> its = watch->look(Clock::now());
            if (its) next = std::min(next.value_or(*its), *its);
        }
        return next;
    }

    void sleep(std::optional<TimePoint> until) {
        std::unique_lock lock(sleepLock_);
        const auto isWoken = [this] { return woken_; };
        if (until) {
            changed_.wait_until(lock, *until, isWoken);
        } else {
            changed_.wait(lock, isWoken);
        }
        woken_ = false;
    }

    const std::uint32_t forks_ = kernel::forkCount();
    std::mutex life_;         // of the thread
    std::mutex watchedLock_;  // held while it looks, and reports
    std::vector<Watchdog::Watch*> watched_;
    std::mutex sleepLock_;  // a dispatcher may wait for it: held for a moment only
    std::condition_variable changed_;
    bool woken_ = false;
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

// The last attempt to make the thread has failed: said once, not for each dispatcher.
std::atomic<bool> isThreadMissing{false};

// Where there is no memory for a thread there may be none for the line either.
void sayWhyThereIsNone(const char* why) try {
    log(LogLevel::warning, std::string("no watchdog: ") + why);
} catch (const std::bad_alloc&) {
    log(LogLevel::warning, "no watchdog: out of memory");
}

}  // namespace

Watchdog::Duty::Duty(Watch& watch) : watch_(watch) {
    if (!watch_.isOn()) return;
    try {
        WatchThread::only().add(watch_);
        begun_ = true;
        isThreadMissing = false;
    } catch (const std::exception& error) {
        if (!isThreadMissing.exchange(true)) sayWhyThereIsNone(error.what());
    }
}

Watchdog::Duty::~Duty() {
    if (begun_) WatchThread::only().remove(watch_);
}

void Watchdog::Watch::wake() {
    asleep_.store(false, std::memory_order_relaxed);
    WatchThread::only().wake();
}

std::string Stall::toString() const {
    const std::string whose = connection.empty() ? "" : " of " + connection;
    return "dispatcher " + dispatcher + ": " + handler + "::" + callback + whose +
           " has been running for " + std::to_string(lasts.count()) + " ms";
}

}  // namespace nio
