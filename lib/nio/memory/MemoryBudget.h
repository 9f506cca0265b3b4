// How much memory all dispatchers of a process may hold for bytes that are buffered, and what they
// do before there is more: pause reading, refuse connections, evict those that hold the most. Where
// some are marked (StreamHandler::setEvictFirst), they go before all others.
//
//     auto budget = std::make_shared<nio::MemoryBudget>(nio::MemoryBudgetOptions{512 << 20});
//     options.group.thread.memoryBudget = budget;
//
// What counts: of each StreamHandler, the memory of the output that the kernel has not taken (with
// TLS, also what is not encoded yet, and OpenSSL's buffers) and that of input kept for
// later; a few bytes of an incomplete packet are not counted (StreamHandler::countedInput); packets
// from other threads that have not reached their connection (ItemHandle::send); and what the
// program says that it keeps (MemoryAccount::addElsewhere). What does not: what costs
// the same for any number of connections (receive buffers, free chunks, see docs/limits.md), the
// handlers themselves, other tasks that wait, and the kernel's own buffers.
//
// How exact: each dispatcher publishes what it holds whenever that changes, and adds up all of them
// whenever it holds `step` more than when it looked last; the actions follow between two callbacks.
// So an action begins at most `step` x dispatchers after its mark, and on top comes, of each
// dispatcher, what one callback adds to its own connection (the output of what was received at
// once, say) and what one turn adds to others: that is counted when the turn ends. To send a line
// to 100,000 connections from one task takes a chunk of output (16 KiB) for each, until they are
// flushed. That is why the most that is used is dropAt + easeBy, and so much more.
//
// Each dispatcher writes a cache line of its own; only packets from other threads share a counter.
//
// Thread: any. Lifetime: shared by the dispatchers (SelectorThreadOptions::memoryBudget) and
// whoever reads its figures. Errors: the constructor throws std::system_error (invalid_argument):
// no bytes, a fraction out of range.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <nio/base/UniqueFunction.h>

namespace nio {

// Which actions are due.
struct Overload {
    bool pauses = false;
    bool refuses = false;
    bool drops = false;

    bool any() const { return pauses || refuses || drops; }
    bool operator==(const Overload&) const = default;
};

struct MemoryBudgetOptions {
    std::size_t bytes = 256 * 1024 * 1024;

    // The fractions of `bytes` from which on…
    // … a connection is not read while output of it waits, however little. 0: never.
    double pauseAt = 0.80;
    // … an accepted connection is closed at once; and those that are evicted first are. 0: never.
    double refuseAt = 0.90;
    // … the connections that hold the most are reset, with Errc::memoryBudget. A dispatcher resets
    // its own where it holds at least the mean of the dispatchers that hold any bytes; where
    // `easeBy` more is used, each one does. While connections are marked (setEvictFirst) and hold
    // bytes, the mean is that of the marked bytes, and a dispatcher without any resets others only
    // where the unmarked bytes alone are `easeBy` above this mark. 0: never.
    double dropAt = 1.0;
    // Each of the three ends when so much less is used: this fraction of `bytes` below its mark.
    double easeBy = 0.05;

    // A dispatcher drops so many of its connections before it serves others.
    std::size_t maxDropsAtOnce = 8;
    // While somebody was refused and this time is over connections are dropped too, until nobody
    // need be refused: those that hold memory and never read do not lock all others out. 0: never.
    std::chrono::milliseconds dropAfter{5000};
    // How often a dispatcher looks again while an action lasts: what pauses goes on so soon after
    // another dispatcher has freed memory. At least 1 ms.
    std::chrono::milliseconds lookInterval{10};
};

// Counts since the budget was made, but for `bytes` and `overload`, which are of now.
struct MemoryBudgetFigures {
    std::size_t bytes = 0;
    Overload overload;         // what any of the dispatchers does
    std::uint64_t paused = 0;  // times that a connection was no longer read
    std::uint64_t refused = 0;
    std::uint64_t dropped = 0;
};

class MemoryBudget {
  public:
    static constexpr std::size_t step = 64 * 1024;

    explicit MemoryBudget(const MemoryBudgetOptions& options = {});
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    const MemoryBudgetOptions& options() const { return options_; }
    // No lock.
    MemoryBudgetFigures figures() const;

    // --- for packets in flight to a connection; thread: any ---------------------------------

    void addPosted(std::ptrdiff_t change) noexcept {
        posted_.fetch_add(static_cast<std::size_t>(change), std::memory_order_relaxed);
    }
    // They must wait: what is used now would pause reads.
    bool pausesPosts() const { return judge(sum(), {}).pauses; }

    // --- for the dispatchers ----------------------------------------------------------------

    // One dispatcher's part, on a cache line of its own. Thread: written by the dispatcher's own;
    // the counts are read by any.
    struct alignas(64) Share {
        std::atomic<std::size_t> bytes{0};
        std::atomic<std::size_t> evictFirst{0};  // of these
        std::atomic<std::uint64_t> paused{0};
        std::atomic<std::uint64_t> refused{0};
        std::atomic<std::uint64_t> dropped{0};

        void act(const Overload& overload) {
            const int bits = overload.pauses + 2 * overload.refuses + 4 * overload.drops;
            overload_.store(static_cast<std::uint8_t>(bits), std::memory_order_relaxed);
        }
        Overload acts() const {
            const int bits = overload_.load(std::memory_order_relaxed);
            return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
        }

        // It is the only writer: no locked instruction.
        static void increment(std::atomic<std::uint64_t>& count) {
            count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }

        // For the budget.
        const Share* next = nullptr;
        UniqueFunction<bool()> alarm{};  // empty: free; under the budget's lock

      private:
        std::atomic<std::uint8_t> overload_{0};
    };

    struct Sum {
        std::size_t bytes = 0;
        std::size_t posted = 0;   // packets in flight, which no eviction frees
        std::size_t holders = 0;  // dispatchers that hold any of it
        // The same of those connections that are evicted first.
        std::size_t evictFirst = 0;
        std::size_t evictFirstHolders = 0;
    };
    Sum sum() const;
    std::uint64_t refused() const { return figures().refused; }
    // What follows from that, after `before`.
    Overload judge(const Sum& sum, const Overload& before) const;
    bool isOverdrawn(std::size_t bytes) const {
        if (options_.dropAt == 0) return false;
        const double most = options_.dropAt + options_.easeBy;
        return static_cast<double>(bytes) >= most * static_cast<double>(options_.bytes);
    }

    // `alarm` is called from any thread, under a lock, until leave(). It says false where it has
    // not come through, and is to be called again.
    Share& join(UniqueFunction<bool()> alarm);
    void leave(Share& share);
    // Calls the alarm of all others. False: one of them is to be called again.
    [[nodiscard]] bool alert(const Share& from);

  private:
    bool isOn(double fraction, std::size_t bytes, bool before) const;
    template <class Visit>
    void visit(Visit&& visit) const {
        const Share* share = first_.load(std::memory_order_acquire);
        for (; share != nullptr; share = share->next) visit(*share);
    }

    const MemoryBudgetOptions options_;
    // Shares are added in front and never go, so that readers need no lock; a dispatcher takes one
    // that another has left.
    std::atomic<const Share*> first_{nullptr};
    alignas(64) std::atomic<std::size_t> posted_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Share>> shares_;  // under mutex_
};

}  // namespace nio
