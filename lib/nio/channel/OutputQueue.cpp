#include <nio/channel/OutputQueue.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <nio/channel/ChunkPool.h>

namespace nio {

OutputQueue::OutputQueue(OutputQueue&& other) noexcept
    : head_(std::exchange(other.head_, nullptr)),
      tail_(std::exchange(other.tail_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

std::size_t OutputQueue::memory() const {
    return head_ == nullptr ? 0 : head_->begin + bytes_ + tail_->room();
}

void OutputQueue::append(ByteView bytes, ChunkPool& pool) {
    const std::size_t here = std::min(bytes.size(), tail_ == nullptr ? 0 : tail_->room());
    // Allocates before copying: all or nothing.
    Chunk* more = here < bytes.size() ? pool.take(bytes.size() - here) : nullptr;
    fillTail(bytes.first(here));
    if (more == nullptr) return;
    (tail_ == nullptr ? head_ : tail_->next) = more;
    tail_ = more;
    fillTail(bytes.subspan(here));
}

void OutputQueue::fillTail(ByteView bytes) {
    if (bytes.empty()) return;
    std::memcpy(tail_->data() + tail_->end, bytes.data(), bytes.size());
    tail_->end += bytes.size();
    bytes_ += bytes.size();
}

void OutputQueue::prepend(ByteView bytes, ChunkPool& pool) {
    if (bytes.empty()) return;
    OutputQueue front;
    front.append(bytes, pool);
    front.tail_->next = std::exchange(head_, front.head_);
    if (tail_ == nullptr) tail_ = front.tail_;
    bytes_ += bytes.size();
    front.head_ = front.tail_ = nullptr;
    front.bytes_ = 0;
}

std::span<const iovec> OutputQueue::front(std::span<iovec> into) const {
    std::size_t count = 0;
    for (Chunk* chunk = head_; chunk != nullptr && count < into.size(); chunk = chunk->next) {
        into[count++] = {chunk->data() + chunk->begin, chunk->end - chunk->begin};
    }
    return into.first(count);
}

void OutputQueue::consume(std::size_t count, ChunkPool& pool) {
    assert(count <= bytes_);
    bytes_ -= count;
    while (count > 0) {
        const std::size_t here = std::min(count, head_->end - head_->begin);
        head_->begin += here;
        count -= here;
        if (head_->begin == head_->end) dropHead(&pool);
    }
}

void OutputQueue::clear(ChunkPool* pool) {
    while (head_ != nullptr) dropHead(pool);
    bytes_ = 0;
}

void OutputQueue::dropHead(ChunkPool* pool) {
    Chunk* dropped = std::exchange(head_, head_->next);
    if (head_ == nullptr) tail_ = nullptr;
    pool != nullptr ? pool->giveBack(dropped) : Chunk::release(dropped);
}

}  // namespace nio
