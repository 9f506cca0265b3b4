// Deals to the least busy dispatcher: the one that used the smallest share of a CPU in the last
// window, plus an estimate for the connections dealt to it since. Among those within 5 percentage
// points of it the fewest connections decide. Skips dispatchers that drain or have stopped, unless
// all have.
//
// The caller of choose() measures the load, at most once per window (LoadMeter.h).
//
// Thread: choose() any, also concurrently.
// Source: ONJava article 2004 ("other factors such as the activity going on in each thread").
#pragma once

#include <mutex>
#include <vector>

#include <nio/group/LoadMeter.h>

namespace nio {

class LeastBusy final : public DealingRule {
  public:
    // What is known of one dispatcher.
    struct Load {
        double share = 0;                 // of a CPU, when it was measured
        std::size_t connectionsThen = 0;  // when that was
        std::size_t connections = 0;      // now
        bool takes = true;                // connections
    };

    explicit LeastBusy(std::chrono::milliseconds window = std::chrono::milliseconds(100))
        : window_(window) {}

    std::size_t choose(Threads threads) override;
    // The rule itself. Among equals the first from `start` on.
    static std::size_t leastBusy(std::span<const Load> loads, std::size_t start);

  private:
    const std::chrono::milliseconds window_;
    std::mutex mutex_;
    LoadMeter meter_;  // under mutex_, like the rest
    std::vector<Load> loads_;
    std::size_t start_ = 0;
};

}  // namespace nio
