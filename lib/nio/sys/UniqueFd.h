// Owns a descriptor and closes it in the destructor.
//
// Thread: any; one thread at a time.
#pragma once

#include <cstdint>
#include <utility>

#include <nio/base/Cpp20.h>

namespace nio {

namespace kernel {
void close(int fd) noexcept;  // Kernel.h
}

class UniqueFd {
  public:
    // Stands for the descriptor of an open channel that has none. The kernel never assigns it.
    static constexpr int unreal = INT32_MAX;

    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~UniqueFd() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset() {
        const int fd = release();
        if (fd >= 0 && fd != unreal) kernel::close(fd);
    }

  private:
    int fd_ = -1;
};

}  // namespace nio
