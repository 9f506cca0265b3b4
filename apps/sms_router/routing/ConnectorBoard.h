// What every dispatcher may know of every connector without asking: a few numbers, written by the
// connector's own dispatcher, read by all. They may be a moment old; nothing is decided by them
// that the connector does not check again.
//
// Thread: the setters the connector's dispatcher; the rest any.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>

#include <nio/sys/Clock.h>

namespace router {

// Apart from each other: `live` is read for each message, `outstanding` written for each.
constexpr std::size_t cacheLine = 64;

struct ConnectorState {
    // It can send: a transmitting bind is up, and it is not stopped.
    alignas(cacheLine) std::atomic<bool> live{false};
    // It is live, or its binds are being made anew: what comes waits for them. True from the one
    // to the other, so that who finds it not live and looks here next misses neither.
    std::atomic<bool> takes{false};

    // Who has read `live` with acquire reads no older `takes` than was put with it.
    void put(bool isLive, bool takesMessages) {
        takes.store(takesMessages, std::memory_order_relaxed);
        live.store(isLive, std::memory_order_release);
    }

    // Its first tries are over, well or not.
    std::atomic<bool> settled{false};
    // Waiting for its answers, or for its window.
    alignas(cacheLine) std::atomic<std::size_t> outstanding{0};
    // Of those, for its window or its rate.
    std::atomic<std::size_t> queued{0};
    // Since when the first of them waits (a few milliseconds off); max(): none does.
    std::atomic<nio::TimePoint> queuedSince{nio::TimePoint::max()};
};

class ConnectorBoard {
  public:
    explicit ConnectorBoard(std::size_t connectors) : states_(connectors) {}

    std::size_t size() const { return states_.size(); }
    ConnectorState& operator[](std::size_t connector) { return states_[connector]; }
    const ConnectorState& operator[](std::size_t connector) const { return states_[connector]; }

  private:
    std::deque<ConnectorState> states_;
};

}  // namespace router
