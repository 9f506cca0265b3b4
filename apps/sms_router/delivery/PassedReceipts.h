// The receipts of one message that were passed on, by what they mean, so that a repetition is
// known.
//
// Thread: one at a time.
// Limit: `most`; of more, the earliest that is safe is forgotten. One more than are in flight has
// no place, and no repetition of it is known.
#pragma once

#include <array>
#include <cstdint>

namespace router {

class PassedReceipts {
  public:
    using Place = unsigned;
    static constexpr Place most = 4;
    static constexpr Place none = most;

    // Where one with this meaning is, in flight or safe; or none.
    Place find(std::uint32_t meaning) const;
    // In flight from now on.
    Place add(std::uint32_t meaning);
    // It is safe; or it was refused, and is passed on if it comes again. `place` may be none.
    void ended(Place place, bool safe);
    bool isSafe(Place place) const { return (safe_ & bitOf(place)) != 0; }

  private:
    static constexpr std::uint8_t bitOf(Place place) {
        return place < most ? static_cast<std::uint8_t>(1u << place) : std::uint8_t{0};
    }
    bool isTaken(Place place) const { return ((safe_ | inFlight_) & bitOf(place)) != 0; }
    Place freePlace() const;

    std::array<std::uint32_t, most> meanings_{};
    std::uint8_t inFlight_ = 0;
    std::uint8_t safe_ = 0;
    std::uint8_t next_ = 0;  // where to look first for a place
};

}  // namespace router
