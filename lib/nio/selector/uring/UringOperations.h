// The state of one key in the io_uring engine: its operations in flight and their results.
// Completions find it by its address, so it outlives its key while anything refers to it.
//
// Thread: the dispatcher's own.
// Lifetime: owned by the UringSelector; freed when its key is gone and `references` is 0.
#pragma once

#include <cstdint>
#include <system_error>

#include <nio/sys/UniqueFd.h>
#include <nio/sys/uring/Uring.h>

namespace nio {

class SelectionKey;

struct alignas(8) UringOperations {
    using Buffer = kernel::UringBuffers::Id;
    static constexpr Buffer none = kernel::UringBuffers::none;

    explicit UringOperations(SelectionKey& of) : key(&of) {}

    SelectionKey* key;             // null after the key was removed
    std::uint32_t index = 0;       // in the selector's list of all
    std::uint32_t references = 0;  // operations of the kernel, and lists of the selector

    // Received buffers that receive() has not shown yet, oldest first.
    Buffer first = none;
    Buffer last = none;
    std::uint32_t inputBytes = 0;
    std::uint32_t inputBuffers = 0;
    // A received buffer that is being sent, ahead of the channel's queue.
    Buffer lent = none;
    std::uint32_t lentBegin = 0;
    std::uint32_t lentBytes = 0;

    std::uint32_t submitted = 0;  // bytes of the send in flight
    std::int32_t sendResult = 0;  // of a short send
    std::errc sendError{};
    std::errc receiveError{};

    // Operations in flight.
    bool receiving : 1 = false;
    bool standing : 1 = false;  // a multishot receive
    bool pollingIn : 1 = false;
    bool pollingOut : 1 = false;
    bool cancelling : 1 = false;  // the receive is being cancelled
    // Results.
    bool atEnd : 1 = false;     // EOF
    bool readable : 1 = false;  // by poll
    bool writable : 1 = false;
    bool broken : 1 = false;
    bool calm : 1 = false;       // one buffer held all input of the last receive
    bool fellShort : 1 = false;  // the last send was short
    bool stalled : 1 = false;    // the socket's send buffer is full
    bool slow : 1 = false;       // after a short send, until the queue is empty
    // Pending work.
    bool wishesToSend = false;
    bool awaitsBuffer = false;  // on the list of waiters
    bool listed : 1 = false;    // may be ready
    bool closing : 1 = false;

    bool hasInput() const { return first != none; }
    bool hasFailed() const { return receiveError != std::errc{} || sendError != std::errc{}; }
    std::errc failure() const { return receiveError != std::errc{} ? receiveError : sendError; }
    bool isUnderWay() const { return receiving || pollingIn || pollingOut || submitted > 0; }
};

}  // namespace nio
