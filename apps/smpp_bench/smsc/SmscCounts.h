// What an SMSC has seen and done, as one line of JSON.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>

namespace smppbench {

// Of receipts, or of MO.
struct DeliveryCounts {
    std::uint64_t messages = 0;  // that are MO, or get a receipt
    std::uint64_t sent = 0;      // deliver_sm, repeated ones too
    std::uint64_t acknowledged = 0;
    std::uint64_t resent = 0;
    std::uint64_t refused = 0;  // answered with a permanent error
};

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
    DeliveryCounts receipts;
    DeliveryCounts mo;
    std::uint64_t droppedLinks = 0;
    std::uint64_t malformed = 0;
    std::uint64_t outbinds = 0;

    // `waiting`: deliver_sm that nobody acknowledged.
    std::string toJson(std::size_t waiting) const;
};

}  // namespace smppbench
