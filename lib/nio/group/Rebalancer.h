// Keeps the dispatchers of a group evenly busy: every `interval` it compares their load, and while
// the busiest exceeds the least busy by `difference` or more, the busiest gives connections away
// (movable ones only, see SelectorHandlers.h).
//
// It acts only on what two looks in a row have shown, and never moves more than half the difference
// at once. So two dispatchers never swap ranks, and the only connection of a dispatcher stays. The
// giving dispatcher chooses the connections, by how often each was ready since the last look.
//
// Thread: start() any, once; the rest the first dispatcher's own.
// Lifetime: must outlive the dispatchers' turns, not the dispatchers. It ends by itself when the
// first dispatcher drains or stops, and keeps no dispatcher alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nio/group/LoadMeter.h>
#include <nio/timers/Deadline.h>

namespace nio {

struct RebalanceOptions {
    std::chrono::milliseconds interval{100};  // at least 1
    // Between the busiest and the least busy, as a share of a CPU.
    double difference = 0.10;
    // Maximum connections that one dispatcher gives away per look.
    std::size_t maxMoves = 100;
};

class Rebalancer {
  public:
    struct Transfer {
        std::size_t from = 0;
        std::size_t to = 0;
        double share = 0;  // of what `from` does
        bool operator==(const Transfer&) const = default;
    };

    Rebalancer(DealingRule::Threads threads, RebalanceOptions options)
        : threads_(threads), options_(options), wasHot_(threads.size()) {}

    void start();

    // The transfers for these shares: the busiest gives to the least busy, the second busiest to
    // the second least busy, and so on while they differ by `difference`. Skips dispatchers that do
    // not take connections (`takes` empty: all do).
    static std::vector<Transfer> transfers(std::span<const double> shares, double difference,
                                           const std::vector<bool>& takes = {});
    // The indexes of the movable connections to give away, by their activities: the most active
    // that fit into `share` of `total`, at most `most`.
    static std::vector<std::size_t> chosen(std::span<const std::uint32_t> activities,
                                           std::uint64_t total, double share, std::size_t most);
    // Moves connections that make up at most `share` (0 to 1) of what `from` has dispatched since
    // the last call, at most `most`; returns how many. Thread: `from`'s own.
    static std::size_t giveAway(SelectorThread& from, SelectorThread& to, double share,
                                std::size_t most) NIO_REQUIRES(onDispatcher);

  private:
    void look() NIO_REQUIRES(onDispatcher);

    const DealingRule::Threads threads_;
    const RebalanceOptions options_;
    LoadMeter meter_;
    std::vector<bool> wasHot_;
    std::optional<Deadline> next_;
};

}  // namespace nio
