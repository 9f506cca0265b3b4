// The figures of a misbehaviour, and its result.
//
// Thread: one at a time; values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <nio/base/Error.h>
#include <nio/sys/Clock.h>

#include "common/LatencyHistogram.h"

namespace load {

using apps::LatencyHistogram;

// What one worker has counted since it last handed its figures over, or a sum of such.
struct MisbehaviourFigures {
    LatencyHistogram connect;  // one for each connection made
    // How long the server kept a connection: to its FIN or RST, or to our end. Not of the storm.
    LatencyHistogram kept;

    std::uint64_t connectsFailed = 0;
    std::uint64_t over = 0;            // connections that are no more
    std::uint64_t closedByServer = 0;  // it has finished first
    std::uint64_t resetByServer = 0;
    std::uint64_t keptToTheEnd = 0;

    std::uint64_t bytesSent = 0;  // taken by the kernel
    std::uint64_t bytesReceived = 0;
    std::uint64_t largestQueue = 0;  // bytes that waited in our own memory, of one connection

    // one-byte, in messages
    std::uint64_t echoes = 0;  // right
    std::uint64_t wrongAnswers = 0;
    std::uint64_t unanswered = 0;  // not in time

    std::map<std::string, std::uint64_t> errors;  // by reason, failed connects too
    std::string wrongAnswerExample;
    std::string errorExample;  // in full

    std::uint64_t made() const { return connect.count(); }
    std::uint64_t open() const { return made() - over; }

    void connectFailed(const nio::Error& error);
    void failed(const std::string& reason);
    void merge(const MisbehaviourFigures& other);
};

// What a misbehaviour came to.
struct MisbehaviourResult {
    MisbehaviourFigures total;
    nio::Clock::duration took{0};  // from the first connect to the last close
    bool interrupted = false;
    std::size_t dispatchers = 0;
    std::string server;    // the address
    std::string selector;  // "epoll"

    double seconds() const { return std::chrono::duration<double>(took).count(); }
    double connectsPerSecond() const {
        return seconds() > 0 ? static_cast<double>(total.made()) / seconds() : 0;
    }
};

}  // namespace load
