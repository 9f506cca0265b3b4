// A dump of flight recorders (nio/observe/FlightDump.h), read back: for each dispatcher what its
// connections went through, turn by turn.
//
// A turn whose beginning the dump does not have (the first one of a ring that went round) is left
// out; the last one of a dispatcher at work is there as far as it went.
//
// Thread: a value.
// Errors: std::runtime_error names the line that is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace simulation {

// A callback, with what it moved, or the end of a connection.
struct FlightEvent {
    static constexpr std::size_t nobody = SIZE_MAX;

    std::size_t connection = nobody;  // of accepting: none
    std::string what{};    // "handleAccept", "handleRegistered", "handleRead", …, "ended"
    std::string reason{};  // of an end
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    std::uint64_t record = 0;  // its number in the dump

    bool isLike(const FlightEvent& other) const;
    std::string toString() const;
};

struct FlightTurn {
    std::uint64_t number = 0;           // as the dispatcher counts; 0: it has not selected
    std::chrono::nanoseconds time{};    // when it began, after the dispatcher's first record
    std::vector<FlightEvent> tasks{};   // in tasks and deadlines, before select
    std::vector<FlightEvent> events{};  // after it

    std::vector<FlightEvent> all() const;
};

struct Flight {
    std::string dispatcher{};
    // Numbered in the order in which they were seen, first those that were there before.
    std::size_t connections = 0;
    std::size_t before = 0;
    // Were there before, with output that waited already: nothing is told about them.
    std::size_t leftOut = 0;
    // Other dispatchers of the dump have such connections, too: it may have accepted for them.
    bool isOneOfMany = false;
    // It has connections that make packets of bytes, which a dump does not have.
    bool hasPackets = false;
    std::string handler{};
    std::vector<FlightTurn> turns{};
    // The last one was under way, with something in it: its last event, too.
    bool isCut = false;
};

// Connections are those with a handler whose type's name has `handler` in it.
std::vector<Flight> readFlights(std::istream& dump, const std::string& handler);

}  // namespace simulation
