// The bytes that a load is made of, so that each one that comes back can be told from every other:
// a long random sequence, repeated. Each connection begins at a place of its own, and goes on
// through it, message after message.
//
// The period is a prime number, no divisor of any message's size: a byte that is shifted, swapped
// with another message's, or another connection's, is a wrong one (a single byte may be right by
// chance, 1 in 94 to 256; a message of some length never is).
//
// A position is kept within the period: [0, period()).
//
// Thread: any; not changed once made.
#pragma once

#include <nio/base/Bytes.h>

namespace load {

class Pattern {
  public:
    // anyByte: all 256 values. printable: none that a framing uses ('!' to '~').
    enum class Alphabet { anyByte, printable };

    // view() shows at most `longestView` bytes.
    Pattern(Alphabet alphabet, std::size_t longestView);

    std::size_t period() const { return period_; }
    std::size_t startOf(std::size_t connection) const;
    // For a `count` of at most longestView.
    std::size_t after(std::size_t position, std::size_t count) const {
        return (position + count) % period_;
    }
    nio::ByteView view(std::size_t position, std::size_t count) const {
        return nio::ByteView(bytes_).subspan(position, count);
    }

  private:
    std::size_t period_;
    nio::Bytes bytes_;
};

}  // namespace load
