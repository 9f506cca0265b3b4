// A pipe that nobody reads, full to the last byte: a write to it blocks until it is drained.
//
// Thread: one at a time; a write to fd() any.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace support {

class FullPipe {
  public:
    FullPipe() {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        const std::array<char, 4096> block{};
        EXPECT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
        while (::write(ends_[1], block.data(), block.size()) > 0) {
        }
        while (::write(ends_[1], block.data(), 1) > 0) {
        }
        EXPECT_EQ(::fcntl(ends_[1], F_SETFL, 0), 0);
        EXPECT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    }
    FullPipe(const FullPipe&) = delete;
    FullPipe& operator=(const FullPipe&) = delete;
    ~FullPipe() {
        for (const int end : ends_) ::close(end);
    }

    int fd() const { return ends_[1]; }

    // What was written behind that which fills it.
    std::string drain() {
        std::string text;
        std::array<char, 4096> block{};
        for (ssize_t got = 0; (got = ::read(ends_[0], block.data(), block.size())) > 0;) {
            for (ssize_t i = 0; i < got; ++i) {
                if (block[i] != 0) text += block[i];
            }
        }
        return text;
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

}  // namespace support
