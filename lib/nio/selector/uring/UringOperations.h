// The state of one key in the io_uring engine: its operations in flight and their results.
// Completions find it by its address, so it outlives its key while anything refers to it.
//
// Thread: the dispatcher's own.
// Lifetime: owned by a UringTable; freed when its key is gone and nothing refers to it.
#pragma once

#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <nio/channel/SocketChannel.h>
#include <nio/selector/SelectionKey.h>
#include <nio/sys/uring/Uring.h>

namespace nio {

struct alignas(8) UringOperations {
    using Buffer = kernel::UringBuffers::Id;
    static constexpr Buffer none = kernel::UringBuffers::none;

    // The kind of an operation: the low bits of its tag.
    enum class Kind : std::uint8_t { receive = 1, pollIn, pollOut, pollPriority, send, wakeUp };

    explicit UringOperations(SelectionKey& of) : key(&of) {}

    SelectionKey* key;             // null after the key was removed
    std::uint32_t index = 0;       // in the table
    std::uint32_t references = 0;  // operations of the kernel, and lists of the selector

    struct Input {
        // Received buffers that receive() has not shown yet, oldest first.
        Buffer first = none;
        Buffer last = none;
        std::uint32_t bytes = 0;
        std::uint32_t buffers = 0;
        std::errc error{};
        bool receiving : 1 = false;   // in flight
        bool standing : 1 = false;    // of it: a multishot receive
        bool cancelling : 1 = false;  // of it: is being cancelled
        bool atEnd : 1 = false;       // EOF
        bool calm : 1 = false;        // one buffer held all input of the last receive
        bool awaitsBuffer : 1 = false;
    } input;

    struct Output {
        // A received buffer that is being sent, ahead of the channel's queue.
        Buffer lent = none;
        std::uint32_t lentBegin = 0;
        std::uint32_t lentBytes = 0;
        std::uint32_t submitted = 0;  // bytes of the send in flight
        std::int32_t result = 0;      // of a short send
        std::errc error{};
        bool fellShort : 1 = false;  // the last send was short
        bool stalled : 1 = false;    // the socket's send buffer is full
        bool slow : 1 = false;       // after a short send, until the queue is empty
        bool wished = false;         // is to be submitted
    } output;

    // Polls in flight, and what they have found.
    bool pollingIn : 1 = false;
    bool pollingOut : 1 = false;
    bool pollingPriority : 1 = false;
    bool readable : 1 = false;
    bool writable : 1 = false;
    bool exceptional : 1 = false;
    bool broken : 1 = false;
    bool listed : 1 = false;  // may be ready
    bool closing : 1 = false;

    bool hasInput() const { return input.first != none; }
    bool hasFailed() const { return input.error != std::errc{} || output.error != std::errc{}; }
    std::errc failure() const { return input.error != std::errc{} ? input.error : output.error; }
    bool isUnderWay() const {
        return input.receiving || pollingIn || pollingOut || pollingPriority ||
               output.submitted > 0;
    }

    // What the key's channel can do now. Not asked once the key is gone.
    [[gnu::hot]] Interest available() const {
        Interest found = exceptional ? Interest::exceptional : Interest::none;
        switch (key->channel().nature()) {
            case SelectableChannel::Nature::stream: {
                const auto& channel = static_cast<const SocketChannel&>(key->channel());
                if (hasInput() || input.atEnd || channel.hasUnread())
                    found = found | Interest::read;
                if (!output.stalled) found = found | Interest::write;
                if (writable) found = found | Interest::connect;
                return found;
            }
            case SelectableChannel::Nature::listener: return readable ? Interest::accept : found;
            case SelectableChannel::Nature::other: break;
        }
        if (readable) found = found | Interest::read;
        if (writable) found = found | Interest::write;
        return found;
    }

    // What a completion carries: the address of the UringOperations, and the kind.
    std::uint64_t tag(Kind kind) {
        return reinterpret_cast<std::uint64_t>(this) | static_cast<std::uint64_t>(kind);
    }
    static Kind kindOf(std::uint64_t tag) { return static_cast<Kind>(tag & kindBits); }
    static UringOperations& of(std::uint64_t tag) {
        return *reinterpret_cast<UringOperations*>(tag & ~kindBits);
    }

    void poll(kernel::Uring& ring, int fd, Kind kind);
    // Returns what it polled for.
    Interest pollEnded(Kind kind);
    void pollFound(Kind kind, std::int32_t events);
    // Removes what is queued and not submitted.
    void withdraw(kernel::Uring& ring);
    // The ring has ended, and its receive and polls with it.
    void endRing();

  private:
    static constexpr std::uint64_t kindBits = 7;  // of the alignment
};

// All UringOperations of one selector, with a count of the references to each.
class UringTable {
  public:
    UringTable() = default;
    UringTable(const UringTable&) = delete;
    UringTable& operator=(const UringTable&) = delete;
    ~UringTable() {
        for (UringOperations* operations : all_) delete operations;
    }

    std::size_t size() const { return all_.size(); }
    UringOperations& operator[](std::size_t index) { return *all_[index]; }

    // Allocates nothing for the table itself after reserve().
    void reserve(std::size_t keys) { all_.reserve(keys); }
    std::size_t capacity() const { return all_.capacity(); }
    UringOperations& add(SelectionKey& key);
    // One reference less.
    void release(UringOperations& operations) {
        --operations.references;
        freeIfDone(operations);
    }
    // Frees it if its key is gone and nothing refers to it.
    void freeIfDone(UringOperations& operations) {
        if (operations.key == nullptr && operations.references == 0) free(operations);
    }

  private:
    [[gnu::cold]] void free(UringOperations& operations);

    std::vector<UringOperations*> all_;
};

}  // namespace nio
