// The pool of output chunks of one dispatcher.
//
// Thread: the dispatcher's own; no lock.
// Limit: keeps at most `maximumKept` free chunks and frees the others.
#pragma once

#include <cstddef>
#include <memory>

#include <nio/base/Bytes.h>

namespace nio {

// The header of `capacity` bytes of memory, which follow it; [begin, end) is in use.
struct Chunk {
    Chunk* next;
    std::size_t capacity;
    std::size_t begin;
    std::size_t end;

    Byte* data() { return reinterpret_cast<Byte*>(this + 1); }
    std::size_t room() const { return capacity - end; }

    static Chunk* allocate(std::size_t capacity);
    static void release(Chunk* chunk) noexcept;
};

class ChunkPool {
  public:
    static constexpr std::size_t chunkBytes = 16 * 1024 - sizeof(Chunk);
    static constexpr std::size_t maximumKept = 64;

    ChunkPool() = default;
    ChunkPool(const ChunkPool&) = delete;
    ChunkPool& operator=(const ChunkPool&) = delete;
    ~ChunkPool();

    // A chunk of at least `bytes` capacity, empty. Throws std::bad_alloc.
    Chunk* take(std::size_t bytes);
    void giveBack(Chunk* chunk) noexcept;

    std::size_t kept() const { return kept_; }

  private:
    Chunk* free_ = nullptr;
    std::size_t kept_ = 0;
};

}  // namespace nio
