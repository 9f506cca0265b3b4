// Keeps the dispatchers of a group evenly busy: every so often it compares how busy they are, and
// while the busiest exceeds the least busy by `difference` or more, the busiest gives connections
// away (those that can be moved, see SelectorHandlers.h).
//
// It acts on what it saw in two looks in a row, and never moves more than half the difference at
// once: the order of two dispatchers is not turned round, and the only connection of a
// dispatcher stays where it is. Which connections go is decided where they are, by how often each
// was found ready since the look before.
//
// Thread: start() any, once; the rest the first dispatcher's own.
// Lifetime: must outlive the dispatchers' turns, not the dispatchers. It ends by itself when the
// first dispatcher drains or stops, and keeps nobody alive.
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
    // Connections that one dispatcher gives away at one look.
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

    // What to do about these shares: the busiest gives to the least busy, the next to the next, as
    // long as they differ enough. Those that take no connections (empty: all do) are left out.
    static std::vector<Transfer> transfers(std::span<const double> shares, double difference,
                                           const std::vector<bool>& takes = {});
    // Which of the movable connections, whose activities these are, go, so that at most `share` of
    // `total` goes: the most active that fit, at most `most`.
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
