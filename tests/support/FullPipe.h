// A pipe that nobody reads, full to the last byte: a write to it blocks until it is drained.
//
// Thread: one at a time; a write to fd() any.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

namespace support {

class FullPipe {
  public:
    FullPipe() {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        EXPECT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
        fill();
    }
    FullPipe(const FullPipe&) = delete;
    FullPipe& operator=(const FullPipe&) = delete;
    ~FullPipe() {
        for (const int end : ends_) ::close(end);
    }

    int fd() const { return ends_[1]; }
    // A shell that gives the program behind it this pipe in place of a standard stream ("2>" or
    // "1>", or both: "1>&2 2>").
    std::vector<std::string> shell(const std::string& redirection) const {
        const std::string end =
            "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd());
        return {"sh", "-c", "exec " + redirection + end + "; exec \"$@\"", "sh"};
    }

    void fill() {
        const std::array<char, 4096> block{};
        EXPECT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
        while (::write(ends_[1], block.data(), block.size()) > 0) {
        }
        while (::write(ends_[1], block.data(), 1) > 0) {
        }
        EXPECT_EQ(::fcntl(ends_[1], F_SETFL, 0), 0);
    }
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
