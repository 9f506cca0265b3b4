// Rows that are to leave: nobody waits for it, and none may come back.
//
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sms_router/store/StoreTables.h"

namespace router {

struct Removals {
    std::vector<std::uint64_t> ids{};
    std::vector<std::uint64_t> kept{};

    bool isEmpty() const { return ids.empty() && kept.empty(); }
    std::size_t size() const { return ids.size() + kept.size(); }
    void apply(StoreTables& tables) const;
    void add(const Removals& more);
    // Some of them, the last ones.
    Removals tail(std::size_t most) const;
    void removeTail(const Removals& tail);
};

}  // namespace router
