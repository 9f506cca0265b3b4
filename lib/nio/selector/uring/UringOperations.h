// What the io_uring engine knows of one key: which operations the kernel has, and what they
// brought. Completions find it by its address, so it outlives its key while something refers to it.
//
// Thread: the dispatcher's own.
// Lifetime: owned by the UringSelector; freed when its key is gone and `references` is 0.
#pragma once

#include <cstdint>
#include <system_error>

#include <nio/sys/UniqueFd.h>
#include <nio/sys/Uring.h>

namespace nio {

class SelectionKey;

struct alignas(8) UringOperations {
    using Buffer = kernel::UringBuffers::Id;
    static constexpr Buffer none = kernel::UringBuffers::none;

    explicit UringOperations(SelectionKey& of) : key(&of) {}

    SelectionKey* key;             // null when it is gone
    std::uint32_t index = 0;       // among all of the selector
    std::uint32_t references = 0;  // operations of the kernel, and lists of the selector

    // Buffers that were received and not handed out, oldest first.
    Buffer first = none;
    Buffer last = none;
    std::uint32_t inputBytes = 0;
    std::uint32_t inputBuffers = 0;
    // A received buffer that is sent from, before what the channel has queued.
    Buffer lent = none;
    std::uint32_t lentBegin = 0;
    std::uint32_t lentBytes = 0;

    std::uint32_t submitted = 0;  // bytes of the send that was handed to the kernel
    std::int32_t sendResult = 0;  // of one that fell short
    std::errc sendError{};
    std::errc receiveError{};

    // What the kernel has.
    bool receiving : 1 = false;
    bool standing : 1 = false;  // a receive that goes on
    bool pollingIn : 1 = false;
    bool pollingOut : 1 = false;
    bool cancelling : 1 = false;  // the receive: ends soon
    // What they brought.
    bool atEnd : 1 = false;     // the peer has finished
    bool readable : 1 = false;  // by poll
    bool writable : 1 = false;
    bool broken : 1 = false;
    bool calm : 1 = false;       // one buffer was enough for what there was
    bool fellShort : 1 = false;  // the send that was submitted
    bool stalled : 1 = false;    // the socket takes no more for now
    bool slow : 1 = false;       // it did not take all, and something is still queued
    // What is to be done.
    bool wishesToSend = false;
    bool hungry = false;      // waits for a buffer
    bool listed : 1 = false;  // perhaps ready
    bool closing : 1 = false;

    bool hasInput() const { return first != none; }
    bool hasFailed() const { return receiveError != std::errc{} || sendError != std::errc{}; }
    std::errc failure() const { return receiveError != std::errc{} ? receiveError : sendError; }
    bool isUnderWay() const { return receiving || pollingIn || pollingOut || submitted > 0; }
};

}  // namespace nio
