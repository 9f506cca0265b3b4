#include <nio/channel/ChunkPool.h>

#include <algorithm>
#include <new>
#include <utility>

namespace nio {

Chunk* Chunk::allocate(std::size_t capacity) {
    void* memory = ::operator new(sizeof(Chunk) + capacity);
    return new (memory) Chunk{nullptr, capacity, 0, 0};
}

void Chunk::release(Chunk* chunk) noexcept {
    ::operator delete(chunk);
}

ChunkPool::~ChunkPool() {
    while (free_ != nullptr) Chunk::release(std::exchange(free_, free_->next));
}

Chunk* ChunkPool::take(std::size_t bytes) {
    if (free_ == nullptr || bytes > chunkBytes) return Chunk::allocate(std::max(bytes, chunkBytes));
    Chunk* chunk = std::exchange(free_, free_->next);
    --kept_;
    *chunk = Chunk{nullptr, chunkBytes, 0, 0};
    return chunk;
}

void ChunkPool::giveBack(Chunk* chunk) noexcept {
    if (kept_ == maximumKept || chunk->capacity != chunkBytes) return Chunk::release(chunk);
    chunk->next = std::exchange(free_, chunk);
    ++kept_;
}

}  // namespace nio
