// A text of few octets that is kept in place.
//
// Thread: one at a time; a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

template <std::size_t Maximum>
class ShortText {
  public:
    static constexpr std::size_t maximum = Maximum;

    std::string_view view() const { return {octets_.data(), size_}; }
    bool empty() const { return size_ == 0; }
    bool isFull() const { return size_ == Maximum; }
    void clear() { size_ = 0; }
    // What is over the maximum is dropped.
    void push(char octet) {
        if (!isFull()) octets_[size_++] = octet;
    }
    void assign(std::string_view text) {
        size_ = std::min(text.size(), Maximum);
        std::copy_n(text.begin(), size_, octets_.begin());
    }

  private:
    std::array<char, Maximum> octets_{};
    std::size_t size_ = 0;
};

}  // namespace smpp
