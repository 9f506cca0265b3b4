// Which connector the parts of a long message took: a table of fixed size.
//
// A message is known by a hash of 64 bits. It has eight places in which it may stand; if they are
// all taken, it displaces the oldest of them.
//
// Thread: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace router {

class PartTable {
  public:
    static constexpr std::size_t places = 16'384;
    static constexpr std::chrono::seconds keptFor{600};  // after it was put last

    using Time = std::chrono::system_clock::time_point;

    PartTable() : entries_(places) {}

    std::optional<std::size_t> find(std::uint64_t message, Time now) const;
    void put(std::uint64_t message, std::size_t connector, Time now);
    // Connectors have new numbers; nothing: it is gone, and so are its entries.
    void renumber(std::span<const std::optional<std::size_t>> newNumbers);

  private:
    static constexpr std::size_t ways = 8;
    static constexpr std::uint32_t nobody = 0xFFFFFFFF;

    struct Entry {
        std::uint64_t message = 0;
        std::int64_t time = 0;  // seconds since 1970
        std::uint32_t connector = nobody;
    };

    static std::size_t firstPlace(std::uint64_t message) {
        return message % (places / ways) * ways;
    }
    static bool isBetterToLose(const Entry& one, const Entry& other);

    std::vector<Entry> entries_;
};

}  // namespace router
