#include <nio/sys/uring/UringBuffers.h>

#include <nio/sys/uring/UringAbi.h>

#if NIO_HAS_URING

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

constexpr std::size_t cacheLine = 64;
constexpr std::size_t providedAtFirst = 16;
constexpr std::size_t most = 32768;

// No huge pages: a single byte in a buffer would use two megabytes.
Result<void*> map(std::size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return lastError("mmap");
    (void)::madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

}  // namespace

// Buffers start at different offsets in their pages: otherwise all of them would share a few cache
// lines.
Result<UringBuffers> UringBuffers::reserve(std::size_t count, std::size_t bytesEach) {
    UringBuffers buffers;
    const std::size_t number = std::bit_floor(std::clamp<std::size_t>(count, 1, most));
    buffers.mask_ = static_cast<std::uint16_t>(number - 1);
    buffers.bytesEach_ = bytesEach;
    buffers.stride_ = (bytesEach + cacheLine - 1) / cacheLine * cacheLine + cacheLine;
    buffers.memoryBytes_ = buffers.stride_ * number;
    const Result<void*> memory = map(buffers.memoryBytes_);
    if (!memory) return memory.error();
    buffers.memory_ = static_cast<Byte*>(memory.value());
    if (Result<void> ring = buffers.prepareToStartOver(); !ring) return ring.error();
    buffers.ring_ = std::exchange(buffers.second_, nullptr);
    while (buffers.provided_ < std::min(providedAtFirst, number)) (void)buffers.provideMore();
    return buffers;
}

UringBuffers::~UringBuffers() {
    if (memory_ != nullptr) ::munmap(memory_, memoryBytes_);
    for (io_uring_buf* ring : {ring_, second_}) {
        if (ring != nullptr) ::munmap(ring, ringBytes());
    }
}

void UringBuffers::swap(UringBuffers& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(ring_, other.ring_);
    std::swap(second_, other.second_);
    std::swap(memoryBytes_, other.memoryBytes_);
    std::swap(stride_, other.stride_);
    std::swap(bytesEach_, other.bytesEach_);
    std::swap(provided_, other.provided_);
    std::swap(waiting_, other.waiting_);
    std::swap(mask_, other.mask_);
    std::swap(tail_, other.tail_);
}

std::size_t UringBuffers::ringBytes() const {
    return capacity() * sizeof(io_uring_buf);
}

bool UringBuffers::provideMore() {
    const std::size_t before = provided_;
    const std::size_t after =
        std::min<std::size_t>(std::max<std::size_t>(2 * before, 1), capacity());
    while (provided_ < after) giveBack(static_cast<Id>(provided_++));
    return after > before;
}

void UringBuffers::giveBack(Id id) {
    io_uring_buf& entry = ring_[tail_++ & mask_];
    entry.addr = reinterpret_cast<std::uint64_t>(data(id));
    entry.len = static_cast<std::uint32_t>(bytesEach_);
    entry.bid = id;
    ++waiting_;
}

// The tail is stored in the unused field of the first entry.
void UringBuffers::publish() {
    std::atomic_ref<std::uint16_t>(ring_[0].resv).store(tail_, std::memory_order_release);
}

Result<void> UringBuffers::prepareToStartOver() {
    if (second_ != nullptr) return {};
    const Result<void*> memory = map(ringBytes());
    if (!memory) return memory.error();
    second_ = static_cast<io_uring_buf*>(memory.value());
    return {};
}

void UringBuffers::startOver() {
    io_uring_buf* before = std::exchange(ring_, std::exchange(second_, nullptr));
    const std::size_t kept = std::exchange(waiting_, 0);
    const auto head = static_cast<std::uint16_t>(tail_ - kept);
    const std::uint16_t end = std::exchange(tail_, std::uint16_t{0});
    std::atomic_ref<std::uint16_t>(before[0].resv).store(head, std::memory_order_release);
    for (std::uint16_t at = head; at != end; ++at) giveBack(before[at & mask_].bid);
    ::munmap(before, ringBytes());
}

}  // namespace nio::kernel

#endif
