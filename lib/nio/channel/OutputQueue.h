// The pending output of a connection: bytes in order that the kernel has not accepted yet.
//
// append() copies into chunks of the dispatcher's pool, which return to it when sent, so the steady
// state allocates nothing. An empty queue holds no chunk.
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
    // The memory of its chunks. Chunks in the middle are full, except for gaps left by prepend().
    std::size_t memory() const;

    // Appends all, or nothing if it throws std::bad_alloc.
    void append(ByteView bytes, ChunkPool& pool);
    // The same, at the front.
    void prepend(ByteView bytes, ChunkPool& pool);

    // Fills `into` with the first pieces of output and returns those filled in. They are valid
    // until the next change of the queue.
    std::span<const iovec> front(std::span<iovec> into) const;

    // Removes the first `count` bytes (at most bytes()).
    void consume(std::size_t count, ChunkPool& pool);

    // Removes everything. Without a pool the memory is freed.
    void clear(ChunkPool* pool);

  private:
    void fillTail(ByteView bytes);
    void dropHead(ChunkPool* pool);

    Chunk* head_ = nullptr;
    Chunk* tail_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace nio
