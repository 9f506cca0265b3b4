// What went wrong in a load, by kind.
//
// Thread: one at a time; a value.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <nio/base/Error.h>

namespace load {

struct LoadErrors {
    std::map<std::string, std::size_t> connect;  // connections not made, by reason
    std::size_t reset = 0;                       // connections
    std::size_t closedEarly = 0;                 // connections that the server finished
    std::size_t timedOut = 0;                    // messages not answered in time
    std::map<std::string, std::size_t> other;    // connections, by reason

    // Wrong answers, in messages.
    std::size_t lost = 0;        // a later one was answered, this one never
    std::size_t duplicated = 0;  // answered more than once
    std::size_t reordered = 0;   // answered after a later one
    std::size_t corrupted = 0;   // an answer that nobody can have asked for

    // One of each, in full.
    std::string connectExample;
    std::string wrongAnswerExample;
    std::string badFrame;  // the first wrong answer, as a hex dump

    void connectFailed(const nio::Error& error);
    // A connection ended for a reason of its own.
    void ended(const nio::Error& error);

    // So many reasons of a kind are kept; what else there is counts as "other reasons".
    static constexpr std::size_t mostReasons = 256;
    void merge(const LoadErrors& other);
    std::size_t connectsFailed() const;
    std::size_t wrongAnswers() const { return lost + duplicated + reordered + corrupted; }
    std::size_t total() const;
    // "none", or e.g. "2 connect: Connection refused, 1 reset".
    std::string toString() const;
};

}  // namespace load
