// When a load had lost connections, and had not yet reconnected: what many connections lose at the
// same time is one outage.
//
// Thread: one at a time; a value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>

namespace load {

struct Outage {
    nio::Clock::duration from{0};  // since the load began
    nio::Clock::duration to{0};
    std::uint64_t connections = 0;  // that were lost, each time
    std::uint64_t lost = 0;         // messages in flight on them
    std::uint64_t late = 0;         // messages that fell due meanwhile and were sent afterwards

    bool operator==(const Outage&) const = default;
};

class Outages {
  public:
    // Those that are closer together are one.
    static constexpr std::chrono::milliseconds gap{100};
    // Beyond that number the last two become one.
    static constexpr std::size_t most = 100;

    void add(const Outage& outage);
    void merge(const Outages& other);
    // By time; no two overlap.
    const std::vector<Outage>& all() const { return all_; }

  private:
    std::vector<Outage> all_;
};

// "from 2.01 s for 1.52 s, 50 connections: 12 messages unanswered, 4560 sent late"
std::string toString(const Outage& outage);

}  // namespace load
