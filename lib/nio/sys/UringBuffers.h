// The memory that a ring receives into: buffers of one size, which the kernel takes from a ring of
// their own in the order in which they were provided.
//
// The address space of all is reserved at once, but few are provided to begin with; whoever sees
// them run out provides more. So memory follows the load, and an idle connection holds none.
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
    // Buffers that were provided so far, wherever they are now.
    std::size_t provided() const { return provided_; }
    // Buffers that wait in the ring, once it is published.
    std::size_t waiting() const { return waiting_; }
    Byte* data(Id id) const { return memory_ + id * stride_; }

    bool canProvideMore() const { return provided_ < capacity(); }
    // Doubles those provided, up to the limit. False: all are.
    bool provideMore();
    // Given back buffers are the kernel's again only when they are published.
    void giveBack(Id id);
    void publish();
    // The kernel took one.
    void taken() { --waiting_; }

    // For another Uring: makes the second ring of buffers that it is to be opened with. Until
    // startOver() the first one stays in use, also when there never is one.
    Result<void> prepareToStartOver();
    // Every buffer is in the second ring now, and nobody finds one in the first.
    void startOver();
    // What a Uring registers: the second ring where there is one.
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
