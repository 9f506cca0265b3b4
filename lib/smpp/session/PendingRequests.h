// Outstanding requests, by sequence number and in the order sent, so that the first to time out is
// at the front.
//
// Room grows by doubling up to what the window needs and holds nothing before the first request.
// add() and take() then cost a few steps each and allocate nothing.
//
// Thread: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <smpp/pdu/Command.h>
#include <smpp/session/SessionEvents.h>

namespace smpp {

struct PendingRequest {
    std::uint32_t sequence = 0;
    Command command{};
    Cookie cookie = 0;
    std::chrono::nanoseconds deadline{};
};

class PendingRequests {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool contains(std::uint32_t sequence) const { return size_ != 0 && !isFree(find(sequence)); }
    // Sequence numbers that wait are unique and not 0. Deadlines do not decrease from one add() to
    // the next.
    void add(const PendingRequest& request);
    // Removes and returns it.
    std::optional<PendingRequest> take(std::uint32_t sequence);
    // The one sent first; null if there is none. Valid until the next change.
    const PendingRequest* oldest() const;
    std::optional<PendingRequest> takeOldest();
    // Postpones earlier deadlines to this one.
    void postponeAll(std::chrono::nanoseconds deadline);

  private:
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    // Open addressing, at most half full; places that are taken form a list in the order of add().
    struct Place {
        PendingRequest request{};  // sequence 0: free
        std::uint32_t before = none;
        std::uint32_t after = none;
    };

    std::size_t mask() const { return places_.size() - 1; }
    std::size_t homeOf(std::uint32_t sequence) const;
    // The place of the request, or the free place where it would be.
    std::size_t find(std::uint32_t sequence) const;
    bool isFree(std::size_t place) const { return places_[place].request.sequence == 0; }
    void grow();
    void append(std::size_t place);
    void unlink(const Place& place);
    void closeGap(std::size_t gap);
    void move(std::size_t from, std::size_t to);
    std::uint32_t& afterOf(std::uint32_t place);
    std::uint32_t& beforeOf(std::uint32_t place);
    PendingRequest takeFrom(std::size_t place);

    std::vector<Place> places_;
    std::uint32_t oldest_ = none;
    std::uint32_t newest_ = none;
    std::uint32_t size_ = 0;
};

}  // namespace smpp
