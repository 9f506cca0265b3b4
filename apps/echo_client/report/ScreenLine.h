// One line of a terminal: what does not fit is left out. Colours take no columns.
//
// Thread: one at a time.
#pragma once

#include <cstddef>
#include <string>

namespace load {

enum class Colour { none, dim, green, yellow, red };

class ScreenLine {
  public:
    ScreenLine(std::size_t columns, bool colours) : left_(columns), colours_(colours) {}

    // UTF-8, of letters that take one column each.
    ScreenLine& add(const std::string& text, Colour colour = Colour::none);
    // A bar of so many columns, with its frame; `part` is 0 to 1.
    ScreenLine& addBar(double part, std::size_t columns, Colour colour);
    std::size_t columnsLeft() const { return left_; }
    const std::string& toString() const { return text_; }

  private:
    std::size_t left_;
    bool colours_;
    std::string text_;
};

}  // namespace load
