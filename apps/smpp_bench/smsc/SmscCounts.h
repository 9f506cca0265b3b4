// What an SMSC has seen and done, as one line of JSON.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>

namespace smppbench {

struct SmscCounts {
    std::uint64_t connections = 0;
    std::uint64_t binds = 0;
    std::uint64_t bindsRefused = 0;
    std::uint64_t unbinds = 0;
    std::uint64_t enquireLinks = 0;
    std::uint64_t submits = 0;  // submit_sm, data_sm and submit_multi, whatever became of them
    std::uint64_t dataSm = 0;
    std::uint64_t submitMulti = 0;
    std::uint64_t accepted = 0;
    std::uint64_t throttled = 0;
    std::uint64_t duplicateSubmits = 0;  // a stamp that was accepted before
    std::uint64_t queries = 0;
    std::uint64_t cancels = 0;
    std::uint64_t replaces = 0;
    std::uint64_t receipts = 0;      // messages that get one
    std::uint64_t receiptsSent = 0;  // deliver_sm with one, repeated ones too
    std::uint64_t receiptsAcknowledged = 0;
    std::uint64_t receiptsResent = 0;
    std::uint64_t receiptsRefused = 0;  // answered with a permanent error
    std::uint64_t mo = 0;
    std::uint64_t moSent = 0;
    std::uint64_t moAcknowledged = 0;
    std::uint64_t moRefused = 0;
    std::uint64_t droppedLinks = 0;
    std::uint64_t malformed = 0;
    std::uint64_t outbinds = 0;

    // `waiting`: deliver_sm that nobody acknowledged.
    std::string toJson(std::size_t waiting) const;
};

}  // namespace smppbench
