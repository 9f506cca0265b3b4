// One input of a fuzzer, taken from its front: numbers, and runs of bytes. Behind its end every
// number is 0 and every run is empty.
//
// Thread: one at a time. Lifetime: that of the bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace fuzz {

class FuzzInput {
  public:
    explicit FuzzInput(std::string_view bytes) : rest_(bytes) {}

    bool isEmpty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const std::string_view one = take(1);
        return one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one.front());
    }
    // 0 to `largest`, which is at most 255.
    std::size_t upTo(std::size_t largest) { return byte() % (largest + 1); }
    // So many bytes, or those that are left.
    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    std::string_view rest() { return take(rest_.size()); }

  private:
    std::string_view rest_;
};

}  // namespace fuzz
