// What chooses another connector of its group for a message that waits and was not sent.
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace router {

struct Rerouting {
    std::uint64_t group = 0;        // a hash of its name; 0: there is no other connector
    std::uint64_t longMessage = 0;  // of a part: a hash of what its parts have in common; 0: none
    std::string number{};  // that has the price, where the group is the cheapest; else empty
};

struct MessageFacts;

// Hashes that are the same on every dispatcher and in every run. Thread: any; pure.
std::uint64_t hashOf(std::string_view text);
// Two into one, well mixed.
std::uint64_t hashOf(std::uint64_t one, std::uint64_t other);

// Of what the parts of one long message have in common; facts.part is there.
std::uint64_t longMessageHash(const MessageFacts& facts);

}  // namespace router
