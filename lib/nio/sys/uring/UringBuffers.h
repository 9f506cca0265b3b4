// The receive buffers of a ring: buffers of one size, which the kernel uses in the order in which
// they were provided, by way of a ring of their own.
//
// Address space for all buffers is reserved at once, but only a few are provided at first, and more
// when they run out. So memory follows the load, and idle connections hold none.
//
// Thread: the one of its Uring.
// Limits: at most `count` buffers, a power of two up to 32,768, of 1 byte to 1 GiB each.
#pragma once

#include <cstdint>
#include <span>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

struct io_uring_buf;

namespace nio::kernel {

class UringBuffers {
  public:
    using Id = std::uint16_t;
    static constexpr Id none = UINT16_MAX;

    static Result<UringBuffers> reserve(std::size_t count, std::size_t bytesEach);
    UringBuffers() = default;
    UringBuffers(UringBuffers&& other) noexcept { swap(other); }
    UringBuffers& operator=(UringBuffers&& other) noexcept {
        swap(other);
        return *this;
    }
    ~UringBuffers();

    std::size_t bytesEach() const { return bytesEach_; }
    // Buffers provided so far, whether in use or not.
    std::size_t provided() const { return provided_; }
    // Free buffers in the ring, as of the next publish().
    std::size_t waiting() const { return waiting_; }
    Byte* data(Id id) const { return memory_ + id * stride_; }

    bool canProvideMore() const { return provided_ < capacity(); }
    // Doubles the number of provided buffers, up to the limit. False: the limit is reached.
    bool provideMore();
    // The kernel can use returned buffers only after publish().
    void giveBack(Id id);
    void publish();
    // The kernel has used a buffer.
    void taken() { --waiting_; }

    // Prepares a second buffer ring, for opening another Uring. The first one stays in use until
    // startOver().
    Result<void> prepareToStartOver();
    // Moves every buffer to the second ring and empties the first.
    void startOver();
    // The ring that a Uring registers: the second one if it exists.
    std::uint64_t ringAddress() const {
        return reinterpret_cast<std::uint64_t>(second_ != nullptr ? second_ : ring_);
    }
    std::uint32_t capacity() const { return mask_ + 1u; }

  private:
    void swap(UringBuffers& other) noexcept;
    std::size_t ringBytes() const;

    Byte* memory_ = nullptr;
    io_uring_buf* ring_ = nullptr;
    io_uring_buf* second_ = nullptr;
    std::size_t memoryBytes_ = 0;
    std::size_t stride_ = 0;
    std::size_t bytesEach_ = 0;
    std::size_t provided_ = 0;
    std::size_t waiting_ = 0;
    std::uint16_t mask_ = 0;
    std::uint16_t tail_ = 0;
};

}  // namespace nio::kernel
