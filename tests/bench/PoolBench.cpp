// Where pending output lies: chunks of 16 KiB (ChunkPool) beside a bounded best-fit pool whose
// least recently used buffers go first. docs/decisions/0022-output-memory.md says what was found.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <list>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <nio/channel/ChunkPool.h>
#include <nio/channel/OutputQueue.h>

namespace {

constexpr std::size_t poolBytes =
    nio::ChunkPool::maximumKept * (nio::ChunkPool::chunkBytes + sizeof(nio::Chunk));

// The smallest free buffer that is large enough, else a new one.
class BestFitPool {
  public:
    using Buffer = std::vector<nio::Byte>;

    Buffer take(std::size_t bytes) {
        const auto found = bySize_.lower_bound(bytes);
        if (found == bySize_.end()) return Buffer(bytes);
        Buffer buffer = std::move(*found->second);
        byAge_.erase(found->second);
        bySize_.erase(found);
        kept_ -= buffer.size();
        return buffer;
    }
    void giveBack(Buffer buffer) {
        kept_ += buffer.size();
        byAge_.push_back(std::move(buffer));
        bySize_.emplace(byAge_.back().size(), std::prev(byAge_.end()));
        while (kept_ > poolBytes) dropOldest();
    }

  private:
    void dropOldest() {
        const auto oldest = byAge_.begin();
        auto found = bySize_.lower_bound(oldest->size());
        while (found->second != oldest) ++found;
        kept_ -= oldest->size();
        bySize_.erase(found);
        byAge_.erase(oldest);
    }

    std::list<Buffer> byAge_;
    std::multimap<std::size_t, std::list<Buffer>::iterator> bySize_;
    std::size_t kept_ = 0;
};

// What OutputQueue is to ChunkPool: each write has a buffer of its own.
class BestFitQueue {
  public:
    std::size_t bytes() const { return bytes_; }
    std::size_t memory() const { return memory_; }
    void append(nio::ByteView bytes, BestFitPool& pool) {
        Piece piece{pool.take(bytes.size()), 0, bytes.size()};
        std::memcpy(piece.buffer.data(), bytes.data(), bytes.size());
        bytes_ += bytes.size();
        memory_ += piece.buffer.size() + sizeof(Piece) + 2 * sizeof(void*);
        pieces_.push_back(std::move(piece));
    }
    void consume(std::size_t count, BestFitPool& pool) {
        bytes_ -= count;
        while (count > 0) {
            Piece& piece = pieces_.front();
            const std::size_t here = std::min(count, piece.end - piece.begin);
            piece.begin += here;
            count -= here;
            if (piece.begin < piece.end) return;
            memory_ -= piece.buffer.size() + sizeof(Piece) + 2 * sizeof(void*);
            pool.giveBack(std::move(piece.buffer));
            pieces_.pop_front();
        }
    }

  private:
    struct Piece {
        BestFitPool::Buffer buffer;
        std::size_t begin;
        std::size_t end;
    };
    std::list<Piece> pieces_;
    std::size_t bytes_ = 0;
    std::size_t memory_ = 0;
};

struct Chunks {
    using Pool = nio::ChunkPool;
    using Queue = nio::OutputQueue;
};
struct BestFit {
    using Pool = BestFitPool;
    using Queue = BestFitQueue;
};

// From 16 bytes to 64 KiB; as many from each power of two.
class Sizes {
  public:
    std::size_t next() { return static_cast<std::size_t>(std::exp2(exponent_(random_))); }
    std::size_t below(std::size_t end) { return random_() % end; }

  private:
    std::mt19937 random_{1};
    std::uniform_real_distribution<double> exponent_{4, 16};
};

// An echo: written, and taken by the kernel at once.
template <class Kind>
void echo(benchmark::State& state) {
    typename Kind::Pool pool;
    typename Kind::Queue queue;
    const nio::Bytes message(static_cast<std::size_t>(state.range(0)), nio::Byte{'x'});
    for (auto _ : state) {
        queue.append(message, pool);
        queue.consume(queue.bytes(), pool);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(echo<Chunks>)->Arg(64)->Arg(1024);
BENCHMARK(echo<BestFit>)->Arg(64)->Arg(1024);

// Peers that do not read: so much waits for each of 1,000, written 64 bytes at a time.
template <class Kind>
void waiting(benchmark::State& state) {
    const nio::Bytes message(64, nio::Byte{'x'});
    double held = 0;
    for (auto _ : state) {
        typename Kind::Pool pool;
        std::vector<typename Kind::Queue> queues(1000);
        for (auto& queue : queues) {
            while (queue.bytes() < static_cast<std::size_t>(state.range(0)))
                queue.append(message, pool);
        }
        for (auto& queue : queues) held += static_cast<double>(queue.memory());
        for (auto& queue : queues) queue.consume(queue.bytes(), pool);
    }
    state.counters["KiB_per_connection"] =
        held / 1024 / 1000 / static_cast<double>(state.iterations());
}
BENCHMARK(waiting<Chunks>)->Arg(64)->Arg(1024)->Arg(16 * 1024)->Arg(256 * 1024);
BENCHMARK(waiting<BestFit>)->Arg(64)->Arg(1024)->Arg(16 * 1024)->Arg(256 * 1024);

// 1,000 connections that write messages of all sizes and whose peers read now and then: what the
// heap holds afterwards beside what waits.
template <class Kind>
void mixed(benchmark::State& state) {
    const nio::Bytes message(64 * 1024, nio::Byte{'x'});
    double pending = 0;
    double held = 0;
    double heap = 0;
    for (auto _ : state) {
        const std::size_t before = mallinfo2().arena + mallinfo2().hblkhd;
        typename Kind::Pool pool;
        std::vector<typename Kind::Queue> queues(1000);
        Sizes sizes;
        for (int i = 0; i < 300'000; ++i) {
            auto& queue = queues[sizes.below(queues.size())];
            queue.append(nio::ByteView(message).first(sizes.next()), pool);
            if (queue.bytes() > 256 * 1024 || sizes.below(3) == 0)
                queue.consume(std::min(queue.bytes(), 4 * sizes.next()), pool);
        }
        for (auto& queue : queues) pending += static_cast<double>(queue.bytes());
        for (auto& queue : queues) held += static_cast<double>(queue.memory());
        heap += static_cast<double>(mallinfo2().arena + mallinfo2().hblkhd - before);
        for (auto& queue : queues) queue.consume(queue.bytes(), pool);
    }
    state.counters["held_per_pending"] = held / pending;
    state.counters["heap_per_pending"] = heap / pending;
}
BENCHMARK(mixed<Chunks>)->Unit(benchmark::kMillisecond);
BENCHMARK(mixed<BestFit>)->Unit(benchmark::kMillisecond);

}  // namespace
