#include "sms_router/routing/RouteHash.h"

#include "sms_router/routing/Router.h"

namespace router {

// FNV-1a.
std::uint64_t hashOf(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return hash;
}

// The finalizer of SplitMix64.
std::uint64_t hashOf(std::uint64_t one, std::uint64_t other) {
    std::uint64_t hash = one * 0x9E3779B97F4A7C15 + other;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
    return hash ^ (hash >> 31);
}

std::uint64_t longMessageHash(const MessageFacts& facts) {
    std::uint64_t hash = hashOf(hashOf(facts.account), hashOf(facts.source));
    hash = hashOf(hash, hashOf(facts.destination));
    return hashOf(hash, facts.part->reference);
}

}  // namespace router
