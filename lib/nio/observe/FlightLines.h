// Writes text to a descriptor through a fixed buffer, without allocating. After a failed write the
// rest is discarded.
//
// Thread: its owner's; async-signal-safe.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string_view>

#include <nio/base/Cpp20.h>
#include <nio/sys/LineSink.h>

namespace nio {

class FlightLines {
  public:
    explicit FlightLines(int fd) : fd_(fd) {}
    FlightLines(const FlightLines&) = delete;
    FlightLines& operator=(const FlightLines&) = delete;
    ~FlightLines() { flush(); }

    FlightLines& operator<<(std::string_view text) {
        for (const char letter : text) put(letter);
        return *this;
    }
    FlightLines& operator<<(const char* text) { return *this << std::string_view(text); }
    template <std::integral T>
    FlightLines& operator<<(T number) {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return *this << std::string_view(digits.data(), end);
    }
    FlightLines& operator<<(char letter) {
        put(letter);
        return *this;
    }

    void flush() {
        constexpr int milliseconds = 1000;
        isLost_ =
            isLost_ || kernel::writeWithin(fd_, buffer_.data(), size_, milliseconds).bytes < size_;
        size_ = 0;
    }

  private:
    void put(char letter) {
        if (size_ == buffer_.size()) flush();
        buffer_[size_++] = letter;
    }

    const int fd_;
    std::size_t size_ = 0;
    bool isLost_ = false;
    std::array<char, 4096> buffer_{};
};

}  // namespace nio
