// Limits the memory that all dispatchers of a process hold in buffers. As usage rises they pause
// reads, then refuse connections, then evict the largest buffer holders. Connections marked with
// StreamHandler::setEvictFirst are evicted before all others.
//
//     auto budget = std::make_shared<nio::MemoryBudget>(nio::MemoryBudgetOptions{512 << 20});
//     options.group.thread.memoryBudget = budget;
//
// Counted, in bytes:
//  - of each StreamHandler its pending output (with TLS, also unencoded output and OpenSSL's
//    buffers) and the input it keeps for later, except a few bytes of an incomplete packet
//    (StreamHandler::countedInput);
//  - packets from other threads in flight to their connection (ItemHandle::send);
//  - what the program reports (MemoryAccount::addElsewhere).
// Not counted: what does not grow with the number of connections (receive buffers, free chunks, see
// docs/limits.md), the handlers themselves, other waiting tasks, and the kernel's buffers.
//
// Precision: each dispatcher publishes every change, compares the sum of all with the budget when
// it holds `step` more than at its last comparison, and acts between two callbacks. So an action
// begins at most `step` x dispatchers past its mark. Each dispatcher may overshoot that by what one
// callback adds to its own connection and by what one turn adds to other connections, which is
// counted when the turn ends: sending a line to 100,000 connections from one task takes a 16 KiB
// chunk for each until they are flushed. Packets in flight aside, peak usage is dropAt + easeBy
// plus these overshoots.
//
// Each dispatcher writes a cache line of its own; only packets from other threads share a counter.
//
// Thread: any.
// Lifetime: shared by the dispatchers (SelectorThreadOptions::memoryBudget) and the readers of its
// figures.
// Errors: the constructor throws std::system_error (invalid_argument) for 0 bytes, a fraction
// outside 0 to 1, and any other option out of range.
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

    // The marks of the actions, as fractions of `bytes`. 0: never.
    // Pauses reads of connections with pending output, however little.
    double pauseAt = 0.80;
    // Closes accepted connections at once, and evicts marked ones (setEvictFirst).
    double refuseAt = 0.90;
    // Evicts the largest buffer holders: resets them, with Errc::memoryBudget. A dispatcher evicts
    // its own if it holds at least the mean of the dispatchers that hold any bytes; `easeBy` above
    // this mark every dispatcher does. While marked connections hold bytes, the mean is that of the
    // marked bytes, and a dispatcher without any evicts unmarked ones only if the unmarked bytes
    // alone are `easeBy` above this mark.
    double dropAt = 1.0;
    // Each action ends this fraction of `bytes` below its mark.
    double easeBy = 0.05;

    // Connections that a dispatcher evicts before it serves others. At least 1.
    std::size_t maxDropsAtOnce = 8;
    // If connections have been refused for longer than this, evicts as well until none need be
    // refused: holders that never read must not lock out all others. 0: never.
    std::chrono::milliseconds dropAfter{5000};
    // How often a dispatcher compares again while an action lasts: reads resume this soon after
    // another dispatcher has freed memory. At least 1 ms.
    std::chrono::milliseconds lookInterval{10};
};

// `bytes` and `overload` are current; the others count from construction.
struct MemoryBudgetFigures {
    std::size_t bytes = 0;
    Overload overload;         // actions in force on any dispatcher
    std::uint64_t paused = 0;  // times that reads of a connection were paused
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
    // Takes no lock.
    MemoryBudgetFigures figures() const;

    // --- for packets in flight to a connection; thread: any ---------------------------------

    void addPosted(std::ptrdiff_t change) noexcept {
        posted_.fetch_add(static_cast<std::size_t>(change), std::memory_order_relaxed);
    }
    // Whether new packets must wait: usage has reached pauseAt.
    bool pausesPosts() const { return judge(sum(), {}).pauses; }

    // --- for the dispatchers ----------------------------------------------------------------

    // One dispatcher's figures, on a cache line of their own. Thread: that dispatcher writes, any
    // reads.
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

        // The dispatcher is the only writer, so this needs no locked instruction.
        static void increment(std::atomic<std::uint64_t>& count) {
            count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }

        // For the budget.
        const Share* next = nullptr;
        UniqueFunction<bool()> alarm{};  // empty: a free share; guarded by mutex_

      private:
        std::atomic<std::uint8_t> overload_{0};
    };

    struct Sum {
        std::size_t bytes = 0;
        std::size_t posted = 0;   // packets in flight, which no eviction frees
        std::size_t holders = 0;  // dispatchers that hold any of it
        // The same for connections marked evictFirst.
        std::size_t evictFirst = 0;
        std::size_t evictFirstHolders = 0;
    };
    Sum sum() const;
    std::uint64_t refused() const { return figures().refused; }
    // The actions due at this sum. Those in force (`before`) last until `easeBy` below their marks.
    Overload judge(const Sum& sum, const Overload& before) const;
    bool isOverdrawn(std::size_t bytes) const {
        if (options_.dropAt == 0) return false;
        const double most = options_.dropAt + options_.easeBy;
        return static_cast<double>(bytes) >= most * static_cast<double>(options_.bytes);
    }

    // Until leave(), `alarm` is called from any thread, under a lock. It returns false if it did
    // not reach its dispatcher and must be called again.
    Share& join(UniqueFunction<bool()> alarm);
    void leave(Share& share);
    // Calls the alarms of all other dispatchers. False: one of them must be called again.
    [[nodiscard]] bool alert(const Share& from);

  private:
    bool isOn(double fraction, std::size_t bytes, bool before) const;
    template <class Visit>
    void visit(Visit&& visit) const {
        const Share* share = first_.load(std::memory_order_acquire);
        for (; share != nullptr; share = share->next) visit(*share);
    }

    const MemoryBudgetOptions options_;
    // Shares are added in front and never removed, so readers need no lock; a dispatcher reuses one
    // that another has left.
    std::atomic<const Share*> first_{nullptr};
    alignas(64) std::atomic<std::size_t> posted_{0};
    std::mutex mutex_;
    std::vector<std::unique_ptr<Share>> shares_;  // under mutex_
};

}  // namespace nio
