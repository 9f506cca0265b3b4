// Why a peer was not bound: an ESME, or at the end an SMSC that connected to us.
//
// Thread: any; values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace router {

enum class BindRefusal {
    account,
    password,
    address,
    kind,
    limit,
    busy,
    throttled,
    draining,
    failure,
    outbind
};
constexpr std::size_t bindRefusals = 10;

// The peer may be guessing names and passwords.
constexpr bool isGuess(BindRefusal why) {
    return why <= BindRefusal::kind;
}

// The label in metrics: "password".
constexpr std::string_view labelOf(BindRefusal why) {
    constexpr std::array<std::string_view, bindRefusals> labels{
        "account", "password",  "address",  "kind",    "limit",
        "busy",    "throttled", "draining", "failure", "outbind"};
    return labels[static_cast<std::size_t>(why)];
}

// For the log.
constexpr std::string_view textOf(BindRefusal why) {
    constexpr std::array<std::string_view, bindRefusals> texts{
        "unknown account",
        "wrong password",
        "source address not allowed",
        "bind type not allowed",
        "max_binds reached",
        "password check queue is full",
        "login throttled: too many binds of this source are waiting",
        "the router is stopping",
        "a dispatcher has stopped",
        "not expected at outbind_listen"};
    return texts[static_cast<std::size_t>(why)];
}

struct BindRefusalCounts {
    std::array<std::uint64_t, bindRefusals> counts{};

    std::uint64_t& operator[](BindRefusal why) { return counts[static_cast<std::size_t>(why)]; }
    std::uint64_t operator[](BindRefusal why) const {
        return counts[static_cast<std::size_t>(why)];
    }
    std::uint64_t total() const {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    }
    BindRefusalCounts& operator+=(const BindRefusalCounts& other) {
        for (std::size_t i = 0; i < bindRefusals; ++i) counts[i] += other.counts[i];
        return *this;
    }
};

}  // namespace router
