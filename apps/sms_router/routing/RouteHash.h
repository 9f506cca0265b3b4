// Hashes that are the same on every dispatcher and in every run.
//
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace router {

struct MessageFacts;

std::uint64_t hashOf(std::string_view text);
// Two into one, well mixed.
std::uint64_t hashOf(std::uint64_t one, std::uint64_t other);
// Of what the parts of one long message have in common. facts.part is there.
std::uint64_t longMessageHash(const MessageFacts& facts);

}  // namespace router
