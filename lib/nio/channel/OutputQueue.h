// What a connection was given to send and the kernel has not taken yet: bytes in order.
//
// append() copies into chunks that come from the dispatcher's pool and go back to it when they are
// sent, so that in the steady state nothing is allocated. An empty queue holds no chunk.
//
// Thread: that of its channel.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include <nio/base/Bytes.h>

namespace nio {

class ChunkPool;
struct Chunk;

class OutputQueue {
  public:
    OutputQueue() = default;
    OutputQueue(OutputQueue&& other) noexcept;
    OutputQueue(const OutputQueue&) = delete;
    OutputQueue& operator=(const OutputQueue&) = delete;
    ~OutputQueue() { clear(nullptr); }

    bool empty() const { return bytes_ == 0; }
    std::size_t bytes() const { return bytes_; }
    // What they take: whole chunks. Those in the middle are full, but for what prepend() leaves.
    std::size_t memory() const;

    // All of it, or nothing where it throws std::bad_alloc.
    void append(ByteView bytes, ChunkPool& pool);
    // The same before all that is there.
    void prepend(ByteView bytes, ChunkPool& pool);

    // Fills in the pieces at the front, as many as fit; returns those filled in. They are valid
    // until the next append, consume or clear.
    std::span<const iovec> front(std::span<iovec> into) const;

    // The first `count` (at most bytes()) bytes are gone.
    void consume(std::size_t count, ChunkPool& pool);

    // Forgets everything. Without a pool the memory is given back to the system.
    void clear(ChunkPool* pool);

  private:
    void fillTail(ByteView bytes);
    void dropHead(ChunkPool* pool);

    Chunk* head_ = nullptr;
    Chunk* tail_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace nio
