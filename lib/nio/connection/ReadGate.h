// Why a connection is not read. Each reason comes and goes by itself; reads resume when the last
// one goes.
//
// One byte without padding: StreamState compares it together with its other rare states.
//
// Thread: its connection's.
#pragma once

#include <cstdint>

#include <nio/base/Cpp20.h>

namespace nio {

class ReadGate {
  public:
    enum class Reason : std::uint8_t {
        application = 1,   // pauseReading()
        highMark = 2,      // output above the high-water mark
        memoryBudget = 4,  // output is pending while the memory budget is exhausted
        revisit = 8,       // kept input goes first
        readBudget = 16,   // a drain has read all that it may read
        stage = 32,        // a stage of the pipeline
        keptEnd = 64,      // the peer's end of stream waits behind kept input
        shut = 128,        // shutdownRead(): what still comes is discarded
    };

    bool isOpen() const { return reasons_ == 0; }
    bool has(Reason reason) const { return (reasons_ & bitOf(reason)) != 0; }
    bool isPausedByProtocol() const { return has(Reason::application) || has(Reason::stage); }
    bool isPausedByOutput() const { return has(Reason::highMark) || has(Reason::memoryBudget); }
    // Whether input that was received already may be delivered.
    bool allowsDelivery() const {
        return !isPausedByProtocol() && !isPausedByOutput() && !has(Reason::shut);
    }

    void set(Reason reason, bool on) {
        const unsigned others = reasons_ & ~unsigned{bitOf(reason)};
        reasons_ = static_cast<std::uint8_t>(on ? others | bitOf(reason) : others);
    }

  private:
    static constexpr std::uint8_t bitOf(Reason reason) { return static_cast<std::uint8_t>(reason); }

    std::uint8_t reasons_ = 0;
};

}  // namespace nio
